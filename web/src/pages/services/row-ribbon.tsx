import { clockTime } from '../../../../src/contract/presentation/times.ts';
import { Moment } from '../../parts/moment.tsx';
import { goneOn } from '../../parts/ribbon/gone-on.ts';
import { Ribbon } from '../../parts/ribbon/ribbon.tsx';
import { ownWindow } from '../../parts/ribbon/ribbon-layout.ts';
import { useRibbon } from './ribbons.ts';
import { shownNow, shownSince } from './row-words.ts';
import type { ServiceRowView } from './rows.ts';

/** The last day of a service in its row. Its script comes after the first screen, as its data does. */
export function RowRibbon({ row, serverNow }: { readonly row: ServiceRowView; readonly serverNow: number }) {
  const read = useRibbon(row);
  const state = shownNow(row);
  const ribbon = read && goneOn(read, { state, since: ribbonSince(row, serverNow) }, serverNow);
  const own = ribbon === undefined ? null : ownWindow(ribbon);
  if (own === null) return <Ribbon ribbon={ribbon} now={state} isNarrow />;
  return (
    <span className="own-window">
      <span className="soft">
        <span className="visually-hidden">since </span>
        <Moment at={own.begin}>{clockTime(own.begin).slice(0, 5)}</Moment>
      </span>
      <Ribbon ribbon={ribbon} now={state} windowMs={own.windowMs} isNarrow />
    </span>
  );
}

/** What is proven at a silent target without a sight of it, as a build that waits, is a state since it began; what runs there is not. */
function ribbonSince(row: ServiceRowView, serverNow: number): number {
  const isUnseen = row.claimView.was === null && row.targetSilentMs !== null;
  return isUnseen ? serverNow - row.targetSilentMs : shownSince(row, serverNow);
}
