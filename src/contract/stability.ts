/** Exits within this time of the last one count together. */
export const EXIT_MEMORY_MS = 600_000;
/** Caps the exits of one instance that are remembered. */
export const EXITS_KEPT = 16;
/** The number of exits within the memory that are a crash loop (F113). */
const CRASH_LOOP_EXITS = 3;
/** An instance that exits is watched for longer than its own window, however short that is. */
const SHORTEST_MS = 1_000;

/** The exits in the ten minutes up to and including the last one, ascending. */
export function countedExits(exits: readonly number[]): readonly number[] {
  const last = Math.max(...exits);
  return exits.filter((at) => at >= last - EXIT_MEMORY_MS).sort((a, b) => a - b);
}

export const isCrashLoop = (exits: readonly number[]): boolean =>
  // mutant: crash-loop
  countedExits(exits).length >= CRASH_LOOP_EXITS;

/**
 * The time that an instance must hold to be steady. Every exit doubles it, and in a crash loop it is at least twice the
 * longest life between the counted exits, so that no rhythm of exits fits into it. It depends on the exits alone: time
 * never shortens it. An instance that never exited holds the plain window, also below a second.
 *
 * @param exits instants, in any order
 * @param isCalledLoop its runtime called it a crash loop, which may be before the third exit
 */
export function stabilityWindow(exits: readonly number[], stabilityMs: number, isCalledLoop = false): number {
  const counted = countedExits(exits);
  if (counted.length === 0) return stabilityMs;
  // mutant: window-doubles
  const doubled = Math.max(stabilityMs, SHORTEST_MS) * 2 ** counted.length;
  const capped = Math.min(doubled, Math.max(stabilityMs, EXIT_MEMORY_MS));
  if (!isCalledLoop && !isCrashLoop(exits)) return capped;
  const lives = counted.slice(1).map((at, i) => at - (counted[i] ?? at));
  // mutant: longest-life
  return Math.max(capped, ...lives.map((ms) => 2 * ms));
}
