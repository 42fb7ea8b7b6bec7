import type { TransitionView } from '../../../../../src/contract/answers/views.ts';

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

const END_STATES: ReadonlySet<TransitionView['to']> = new Set(['running', 'failed', 'cancelled', 'stopped']);
/** Changes further apart than this belong to two stories. */
const CALM_MS = 60_000;
/** A lone change is shown with this much time before it. */
const BEFORE_MS = 45_000;
/** A story that has not ended is shown until now, but not through hours of waiting. */
const WAIT_MS = 10 * 60_000;

/**
 * The first range to show: the latest group of changes, or the group around an instant. It ends now while
 * it goes on, else a little after its last change.
 */
export function latestStory(
  transitions: readonly { readonly ms: number; readonly to: TransitionView['to'] }[],
  at: number | null,
  life: TimeRange,
): TimeRange {
  let last = transitions.length - 1;
  while (at !== null && last > 0 && (transitions[last]?.ms ?? 0) > at) last -= 1;
  const gapAfter = (i: number) =>
    (transitions[i + 1]?.ms ?? Number.POSITIVE_INFINITY) - (transitions[i]?.ms ?? 0);
  let first = last;
  while (first > 0 && gapAfter(first - 1) < CALM_MS) first -= 1;
  while (gapAfter(last) < CALM_MS) last += 1;
  const begin = transitions[first];
  const end = transitions[last];
  if (begin === undefined || end === undefined) return fullLife(life);
  const from = first === last ? Math.max(life.from, begin.ms - BEFORE_MS) : begin.ms;
  const beyond = end.ms + Math.max(3_000, (end.ms - from) * 0.35);
  const isWaiting = last === transitions.length - 1 && !END_STATES.has(end.to) && life.to - end.ms < WAIT_MS;
  const to = isWaiting ? life.to : Math.min(life.to, beyond);
  const room = Math.max(100, (to - from) * ROOM);
  return clampedRange({ from: from - room, to: to + room }, life);
}
