import { Ribbon } from '../../parts/ribbon/ribbon.tsx';
import { useRibbon } from './ribbons.ts';
import { shownNow } from './row-words.ts';
import type { ServiceRowView } from './rows.ts';

/** The last day of a service in its row. Its script comes after the first screen, as its data does. */
export function RowRibbon({ row }: { readonly row: ServiceRowView }) {
  return <Ribbon ribbon={useRibbon(row)} now={shownNow(row)} />;
}
