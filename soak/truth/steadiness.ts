const MEMORY_MS = 600_000;
const LOOP_EXITS = 3;
const LEAST_MS = 1_000;

/** The window that the last exit left behind: a claim may doubt for so long that it holds. */
export interface Steadiness {
  /** Exits in the ten minutes up to and including the last one. */
  readonly exits: number;
  readonly windowMs: number;
}

export const NO_EXITS: Steadiness = { exits: 0, windowMs: 0 };

/**
 * Stability has a memory (F113): each exit of the last ten minutes doubles the window, and in a crash loop it is at least
 * twice the longest life between them. It is fixed when the last one exits. We know the exits of a service and not
 * of which copy, so that the window is at times longer than it must be.
 */
export function steadinessAfter(exits: readonly number[], stabilityMs: number): Steadiness {
  const last = exits.at(-1);
  if (last === undefined) return NO_EXITS;
  const counted = exits.filter((at) => at > last - MEMORY_MS);
  const lives = counted.map((at, n) => at - (counted[n - 1] ?? at));
  const doubled = Math.max(stabilityMs, LEAST_MS) * 2 ** counted.length;
  const lived = counted.length >= LOOP_EXITS ? 2 * Math.max(...lives) : 0;
  const windowMs = Math.min(Math.max(stabilityMs, MEMORY_MS), Math.max(doubled, lived));
  return { exits: counted.length, windowMs };
}
