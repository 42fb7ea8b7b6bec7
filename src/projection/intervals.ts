/** A stretch of time, [from, to). */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/**
 * The instant at which `ms` have passed since `start`, not counting the excluded stretches.
 * Stretches may overlap each other; each millisecond is excluded once.
 */
export function instantAfter(start: number, ms: number, excluded: readonly Interval[]): number {
  // mutant: excluded-time
  if (excluded.length === 0) return start + ms;
  let end = start + ms;
  let covered = start;
  for (const gap of sorted(excluded)) {
    if (gap.from >= end) break;
    const from = Math.max(gap.from, covered);
    if (gap.to <= from) continue;
    end += gap.to - from;
    covered = gap.to;
  }
  return end;
}

/** The part of [from, to) that lies outside the excluded stretches, in ms. */
export function countedMs(from: number, to: number, excluded: readonly Interval[]): number {
  let counted = Math.max(0, to - from);
  let covered = from;
  for (const gap of sorted(excluded)) {
    const start = Math.max(gap.from, covered);
    const end = Math.min(gap.to, to);
    if (end > start) counted -= end - start;
    covered = Math.max(covered, gap.to);
  }
  return Math.max(0, counted);
}

function sorted(list: readonly Interval[]): readonly Interval[] {
  return list.length < 2 ? list : [...list].sort((a, b) => a.from - b.from || a.to - b.to);
}
