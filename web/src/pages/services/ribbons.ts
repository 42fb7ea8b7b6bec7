import { useEffect, useSyncExternalStore } from 'react';
import type { Page, RibbonView } from '../../../../src/contract/answers/views.ts';
import { get } from '../../api.ts';
import { steadyNow } from '../../live/live.ts';
import { readRibbons } from './read-ribbons.ts';
import { RibbonShelf } from './ribbon-shelf.ts';
import type { ServiceRowView } from './rows.ts';

/** As many points as a row has pairs of pixels. */
const POINTS = 96;

const read = async (refs: readonly string[]): Promise<readonly RibbonView[]> => {
  const services = encodeURIComponent(refs.join(','));
  const { items } = await get<Page<RibbonView>>(`/v1/ribbons?services=${services}&points=${POINTS}`);
  for (const ribbon of items) readRibbons.set(ribbon.ref, ribbon);
  return items;
};

const REFRESH_MS = 10_000;

const shelf = new RibbonShelf(read, steadyNow, (run) => setTimeout(run, 60));
// Reads again what has become old on the screen; without a row in sight there is nothing to read.
setInterval(() => shelf.refresh(), REFRESH_MS);

/** The ribbon of a row on the screen; read together with those of the others. */
export function useRibbon({ ref, claim }: ServiceRowView): RibbonView | undefined {
  // A transition or an exit changes one of these, and so what is drawn.
  const { exits = '', lastExit = '' } = claim.cause?.params ?? {};
  const { revision, attempt } = claim.desired;
  const mark = `${claim.state} ${claim.since} ${revision}.${attempt} ${exits} ${lastExit}`;
  useEffect(() => shelf.show(ref, mark), [ref, mark]);
  return useSyncExternalStore(shelf.subscribe, () => shelf.ribbonOf(ref));
}
