import { HINTS } from '../mutant-hints.ts';

/**
 * One planted mistake: the syntax behind a marker comment in src/, and the text that can take its place in a bundle made
 * for the hunt. The code in src/ holds no switch for any of them. A mutant that survives is a hole in the oracle.
 */
export interface Mutant {
  readonly name: string;
  /** The marker's key, then the way from the marked syntax to the part that is replaced: `stale-lease.condition`. */
  readonly at: string;
  /** The replacement. `$left` stands for the text of a part of what is replaced, `$node` for all of it; empty drops it. */
  readonly put: string;
  /** Identifiers of the code that `put` cannot avoid; a rename of one has to be repeated here. */
  readonly names: readonly string[];
  /** Mistakes in a database's store show only where it is compared with memory. */
  readonly store?: 'memory' | 'sqlite';
  /** A seed that found it before, tried first. If it finds nothing, the hunt goes on from the first seed. */
  readonly seed?: number;
}

export function m(name: string, at: string, put: string, names: readonly string[] = []): Mutant {
  const seed = HINTS[name];
  return { name, at, put, names, ...(seed === undefined ? {} : { seed }) };
}

export function sql(name: string, at: string, put: string, names: readonly string[] = []): Mutant {
  return { ...m(`SQL: ${name}`, at, put, names), store: 'sqlite' };
}
