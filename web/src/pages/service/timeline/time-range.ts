/** A visible range of time, in milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** Shortest visible range: instants are whole milliseconds. */
const SHORTEST_MS = 40;
const ROOM = 0.04;

export const lengthOf = ({ from, to }: TimeRange): number => Math.max(1, to - from);

/** Clamps zoom and position, so that some of the service's life stays visible. */
export function clampedRange({ from, to }: TimeRange, life: TimeRange): TimeRange {
  const longest = lengthOf(life) * (1 + 2 * ROOM);
  const length = Math.min(Math.max(to - from, SHORTEST_MS), Math.max(longest, SHORTEST_MS));
  const middle = (from + to) / 2;
  const start = Math.min(Math.max(middle - length / 2, life.from - length / 2), life.to - length / 2);
  return { from: start, to: start + length };
}

/** Zooms; `by` above 1 zooms in, and `place` (0 to 1) stays where it is. */
export function zoomed(range: TimeRange, by: number, place: number, life: TimeRange): TimeRange {
  const length = Math.max(lengthOf(range) / by, SHORTEST_MS);
  const still = range.from + lengthOf(range) * place;
  return clampedRange({ from: still - length * place, to: still + length * (1 - place) }, life);
}

/** Moves by a share of the visible range. */
export function moved(range: TimeRange, by: number, life: TimeRange): TimeRange {
  const ms = lengthOf(range) * by;
  return clampedRange({ from: range.from + ms, to: range.to + ms }, life);
}

export function fullLife(life: TimeRange): TimeRange {
  const room = lengthOf(life) * ROOM;
  return clampedRange({ from: life.from - room, to: life.to + room }, life);
}

/** Moves an instant into view; moves nothing if it is visible. */
export function showing(range: TimeRange, ms: number | null, life: TimeRange): TimeRange {
  if (ms === null || (ms >= range.from && ms <= range.to)) return range;
  const length = lengthOf(range);
  const start = ms < range.from ? ms - length * 0.15 : ms - length * 0.85;
  return clampedRange({ from: start, to: start + length }, life);
}
