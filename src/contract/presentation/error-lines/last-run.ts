/** The output of an instance is read a moment after it was written, and an exit is seen at once: lines may stand after it. */
export const LINES_LAG_MS = 400;

/**
 * The lines of the last run of an app that exited, and of no run before it: lines of two runs beside each other tell a story
 * that never happened. What runs now has not failed. All lines where no exit parts them.
 *
 * @param exits the instants at which exits were seen, oldest first
 */
export function lastRunOf<T extends { readonly at: string }>(
  lines: readonly T[],
  exits: readonly string[],
): readonly T[] {
  const ends = exits.map((at) => Date.parse(at) + LINES_LAG_MS);
  for (let i = ends.length - 1; i >= 0; i--) {
    const [from = Number.NEGATIVE_INFINITY, to = 0] = [ends[i - 1], ends[i]];
    const run = lines.filter(({ at }) => Date.parse(at) > from && Date.parse(at) <= to);
    // The lines may have been read before the newest exit.
    if (run.length > 0) return run;
  }
  return lines;
}
