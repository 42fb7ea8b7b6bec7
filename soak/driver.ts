import { Rng } from '../lab/rng.ts';
import type { FaultContext, SoakFault } from './faults/fault.ts';
import type { SoakTally } from './tally.ts';

/** The share of faults during which a second one strikes. */
const PAIR = 0.2;
const PAUSE_MS = { least: 2_000, most: 8_000 };
const LASTS_MS = [1_500, 6_000, 12_000, 25_000];
/** A fault needs about this besides the time for which it lasts: until what was killed is ready again. */
const AROUND_MS = 3_000;

type FaultSurroundings = Omit<FaultContext, 'rng' | 'lastsMs' | 'complain'>;

interface DriveRequest {
  readonly faults: readonly SoakFault[];
  readonly surroundings: FaultSurroundings;
  readonly seed: number;
  readonly tally: SoakTally;
  /** The time that is left for faults; none is begun without any. */
  readonly leftMs: () => number;
  readonly show: (what: string) => void;
}

/**
 * Every fault once in an order of the seed's, then again in another, until the time is over. Which faults, in which order
 * and in which pairs, is a matter of the seed alone. In the first round no fault lasts longer than leaves room for
 * those that have not had their turn.
 */
export async function drive({
  faults,
  surroundings,
  seed,
  tally,
  leftMs,
  show,
}: DriveRequest): Promise<void> {
  const rng = new Rng(seed);
  let deck: SoakFault[] = [];
  let round = 0;
  let drawn = 0;
  const draw = (): SoakFault | undefined => {
    if (deck.length === 0) {
      deck = shuffled(faults, rng);
      round++;
    }
    return deck.pop();
  };
  while (leftMs() > 0) {
    const struck = [draw(), ...(rng.chance(PAIR) ? [draw()] : [])].filter((fault) => fault !== undefined);
    const pauseMs = rng.int(PAUSE_MS.least, PAUSE_MS.most);
    const lastsMs = rng.pick(LASTS_MS);
    const shareMs = round > 1 ? leftMs() : leftMs() / (deck.length + 1) - pauseMs - AROUND_MS;
    const names = struck.map(({ name }) => name);
    tally.begin(names);
    show(names.join(' + '));
    // One that cannot be undone or done in time must not end the run: its claims are judged all the same.
    const results = await Promise.allSettled(
      struck.map((fault) =>
        fault.run({
          ...surroundings,
          rng: new Rng(seed + 1_000 * ++drawn),
          lastsMs: Math.max(LASTS_MS[0] ?? 0, Math.min(lastsMs, shareMs)),
          complain: (words) => tally.complain(fault.name, words),
        }),
      ),
    );
    for (const result of results)
      if (result.status === 'rejected') show(`could not be done: ${(result.reason as Error).message}`);
    show(`after ${names.join(' + ')}`);
    await surroundings.wait(pauseMs);
  }
}

function shuffled<T>(list: readonly T[], rng: Rng): T[] {
  const left = [...list];
  const out: T[] = [];
  while (left.length > 0) out.push(...left.splice(rng.int(0, left.length - 1), 1));
  return out;
}
