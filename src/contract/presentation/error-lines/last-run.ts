/** The output of an instance is read a moment after it was written, and an exit is seen at once: lines may stand after it. */
export const LINES_LAG_MS = 400;

/** A run of an app that has ended: when that was seen, and when it began, where that is known. */
interface EndedRun {
  readonly at: string;
  /** By the clock of its machine, which is that of its lines: the instant of the end may be of another. */
  readonly startedAt?: string | undefined;
}

/**
 * The lines of the last run of an app that exited, and of no run before it: lines of two runs beside each other tell a story
 * that never happened. What runs now has not failed. All lines where no exit parts them.
 *
 * @param runs the runs that ended, the oldest first
 */
export function lastRunOf<T extends { readonly at: string }>(
  lines: readonly T[],
  runs: readonly EndedRun[],
): readonly T[] {
  for (let i = runs.length - 1; i >= 0; i--) {
    const [before, own, next] = [runs[i - 1], runs[i], runs[i + 1]];
    if (own === undefined) continue;
    const from = own.startedAt !== undefined ? Date.parse(own.startedAt) : endOf(before) + 1;
    const to = next?.startedAt !== undefined ? Date.parse(next.startedAt) - 1 : endOf(own);
    const run = lines.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) <= to);
    // The lines may have been read before the newest exit.
    if (run.length > 0) return run;
  }
  return lines;
}

const endOf = (run: EndedRun | undefined): number =>
  run === undefined ? Number.NEGATIVE_INFINITY : Date.parse(run.at) + LINES_LAG_MS;
