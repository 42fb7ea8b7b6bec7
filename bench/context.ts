import type { Places } from './places.ts';
import type { Effort } from './rounds.ts';

/** What every benchmark is given. */
export interface Context {
  readonly places: Places;
  readonly effort: Effort;
  readonly quick: boolean;
  /** A line about what is under way; never part of the result. */
  readonly say: (line: string) => void;
}
