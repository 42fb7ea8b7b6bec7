import { longSpan } from '../../../../src/contract/presentation/times.ts';
import { heldState } from '../../parts/ribbon/holding.ts';
import { Ribbon } from '../../parts/ribbon/ribbon.tsx';
import { useRibbon } from './ribbons.ts';
import { shownNow, shownSince } from './row-words.ts';
import type { ServiceRowView } from './rows.ts';

/** The last day of a service in its row. Its script comes after the first screen, as its data does. */
export function RowRibbon({ row }: { readonly row: ServiceRowView }) {
  return <Ribbon ribbon={useRibbon(row)} now={shownNow(row)} />;
}

/** The time for which the state of a row is known to hold: a silence of seconds is a part of it, and no new begin. */
export function RowSince({ row, serverNow }: { readonly row: ServiceRowView; readonly serverNow: number }) {
  const ribbon = useRibbon(row);
  const held = row.claimView.was === null ? heldState(ribbon, row.claim) : null;
  return (
    <span title={held === null ? undefined : `not known for ${longSpan(held.unknownMs)} of it`}>
      {longSpan(serverNow - (held?.since ?? shownSince(row, serverNow)))}
    </span>
  );
}
