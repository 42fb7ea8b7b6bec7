import type { Rng } from '../lab/rng.ts';
import type { FaultContext, SoakFault } from './faults.ts';
import type { SoakTally } from './tally.ts';

/** The share of faults during which a second one strikes. */
const PAIR = 0.2;
const PAUSE_MS = { least: 2_000, most: 9_000 };

/** Every fault once in an order of the seed's, then again in another, until the time is over. */
export async function drive(
  faults: readonly SoakFault[],
  context: FaultContext,
  tally: SoakTally,
  isOver: () => boolean,
  show: (what: string) => void,
): Promise<void> {
  const { rng, wait } = context;
  let deck: SoakFault[] = [];
  const draw = (): SoakFault | undefined => {
    if (deck.length === 0) deck = shuffled(faults, rng);
    return deck.pop();
  };
  while (!isOver()) {
    const struck = [draw(), ...(rng.chance(PAIR) ? [draw()] : [])].filter((fault) => fault !== undefined);
    const names = struck.map(({ name }) => name);
    tally.begin(names);
    show(names.join(' + '));
    // One that cannot be undone or done in time must not end the run: its claims are judged all the same.
    const results = await Promise.allSettled(struck.map((fault) => fault.run(context)));
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
