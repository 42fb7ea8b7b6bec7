import { inRow, runBatch, type Tally } from '../batch.ts';
import type { Mutant } from './mutant.ts';

/** The name of the mistake that a process makes from its first line on. */
export const PLANTED_VARIABLE = 'EVIDENT_PLANTED';

export const HUNT_STEPS = 300;
/** So many seeds find most mistakes that are not shy. */
const FIRST_SEEDS = 20;

declare global {
  /** Set by the bundle that holds the mistakes. */
  var plantMistake: ((name: string | null) => void) | undefined;
}

export interface Catch {
  readonly name: string;
  readonly tried: number;
  readonly violation: Tally['violation'];
}

/**
 * Every `of`th mistake from the `from`th on, in this process, which is warm after the first: a process for each
 * took five times as long. One that is found nowhere may have been made while the code was loaded, and needs its own.
 */
export async function* huntHere(mutants: readonly Mutant[], from: number, of: number): AsyncGenerator<Catch> {
  const { plantMistake } = globalThis;
  if (plantMistake === undefined)
    throw new Error('only the bundle that `--mutants` makes can plant mistakes');
  for (const [index, { name, seed, store }] of mutants.entries()) {
    if (index % of !== from) continue;
    const seeds = [
      ...(seed === undefined ? [] : [seed]),
      ...Array.from({ length: FIRST_SEEDS }, (_, i) => i + 1),
    ];
    // What a store's mistake leaves in its pool of statements would stay there for the next one.
    const found = store === undefined ? await firstToFind(name, seeds, plantMistake) : null;
    yield found ?? { name, tried: 0, violation: null };
  }
}

async function firstToFind(
  name: string,
  seeds: readonly number[],
  plantMistake: (name: string | null) => void,
): Promise<Catch | null> {
  for (const [before, seed] of seeds.entries()) {
    plantMistake(name);
    const { violation } = await schedule(seed);
    plantMistake(null);
    if (violation === null) continue;
    // Found is what only the mistake shows: it must not have changed anything that outlives its schedule.
    const without = await schedule(seed);
    if (without.violation === null) return { name, tried: before + 1, violation };
    throw new Error(
      `seed ${seed} finds ${without.violation.invariant} after the mistake "${name}" was taken back`,
    );
  }
  return null;
}

function schedule(seed: number): Promise<Tally> {
  return runBatch({ chosen: inRow(seed, 1, HUNT_STEPS), store: { kind: 'memory' } }, 1, () => {});
}
