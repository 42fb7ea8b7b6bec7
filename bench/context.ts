import type { BenchDatabases } from './databases.ts';
import type { Effort } from './rounds.ts';

/** The stores, the effort and the output of one run of benchmarks. */
export interface Context {
  readonly databases: BenchDatabases;
  readonly effort: Effort;
  readonly quick: boolean;
  /** Prints a line about the work under way; never part of the result. */
  readonly say: (line: string) => void;
}
