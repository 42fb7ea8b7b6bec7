import type { Rng } from '../lab/rng.ts';
import { type FaultContext, SOAK_FAULTS, type SoakFault } from './faults.ts';
import type { SoakTally } from './tally.ts';

/** How often a second fault strikes while the first lasts. */
const PAIR = 0.2;
const PAUSE_MS = { least: 2_000, most: 9_000 };

/** The faults that cannot be done here, with the reason. */
export const skippedFaults = (context: Pick<FaultContext, 'fleet'>): { name: string; why: string }[] =>
  SOAK_FAULTS.flatMap((fault) => {
    const why = fault.unavailable(context.fleet);
    return why === null ? [] : [{ name: fault.name, why }];
  });

/** Every fault once in an order of the seed's, then again in another, until the time is over. */
export async function drive(
  context: FaultContext,
  tally: SoakTally,
  isOver: () => boolean,
  show: (what: string) => void,
): Promise<void> {
  const { rng, fleet, wait } = context;
  const possible = SOAK_FAULTS.filter((fault) => fault.unavailable(fleet) === null);
  let deck: SoakFault[] = [];
  const draw = (): SoakFault | undefined => {
    if (deck.length === 0) deck = shuffled(possible, rng);
    return deck.pop();
  };
  while (!isOver()) {
    const faults = [draw(), ...(rng.chance(PAIR) ? [draw()] : [])].filter((fault) => fault !== undefined);
    const names = faults.map(({ name }) => name);
    tally.begin(names);
    show(names.join(' + '));
    // One that cannot be undone or done in time must not end the run: its claims are judged all the same.
    const results = await Promise.allSettled(faults.map((fault) => fault.run(context)));
    for (const result of results)
      if (result.status === 'rejected') show(`could not be done: ${(result.reason as Error).message}`);
    show(`after ${names.join(' + ')}`);
    await wait(rng.int(PAUSE_MS.least, PAUSE_MS.most));
  }
}

function shuffled<T>(list: readonly T[], rng: Rng): T[] {
  const left = [...list];
  const out: T[] = [];
  while (left.length > 0) out.push(...left.splice(rng.int(0, left.length - 1), 1));
  return out;
}
