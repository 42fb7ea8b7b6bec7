import type { TransitionView } from '../answers/views.ts';
import type { State } from '../vocabulary.ts';

/** An instant at which the claim changed, and what it said after that. */
export interface Stop {
  /** The text of the server, so that a read of it is of exactly this instant. */
  readonly at: string;
  readonly ms: number;
  readonly to: State;
  readonly revision: number;
  readonly attempt: number;
}

/**
 * The instants at which the claim of a service changed. Two changes within a millisecond are one stop: an instant names
 * the claim after all that was recorded in it, so that the change between has no instant of its own.
 */
export function stopsOf(transitions: readonly TransitionView[]): Stop[] {
  const stops: Stop[] = [];
  const byTime = transitions
    .map((transition) => ({ ...transition, ms: Date.parse(transition.at) }))
    .sort((a, b) => a.ms - b.ms);
  for (const { at, ms, to, revision, attempt } of byTime) {
    if (stops.at(-1)?.ms === ms) stops.pop();
    stops.push({ at, ms, to, revision, attempt });
  }
  return stops;
}

/** Counts the stops at or before an instant. */
function countUntil(stops: readonly Stop[], ms: number): number {
  let low = 0;
  let high = stops.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((stops[middle]?.ms ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The stop whose claim still stood at an instant; null before the first. */
export const stopAt = (stops: readonly Stop[], ms: number): Stop | null =>
  stops[countUntil(stops, ms) - 1] ?? null;

/** The change before an instant, or before now (null). */
export function stopBefore(stops: readonly Stop[], ms: number | null): Stop | null {
  if (ms === null) return stops.at(-1) ?? null;
  return stops[countUntil(stops, ms - 1) - 1] ?? null;
}

/** The next change after an instant; null if there is none, and now follows. */
export const stopAfter = (stops: readonly Stop[], ms: number | null): Stop | null =>
  ms === null ? null : (stops[countUntil(stops, ms)] ?? null);

const SHORTEST_MS = 450;
const LONGEST_MS = 1_600;

/** The time for which playback shows a stop: as long as it lasted, within bounds, so that nobody waits through a calm night. */
export function displayMs(stop: Stop, next: Stop | null): number {
  const real = next === null ? LONGEST_MS : next.ms - stop.ms;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, real));
}

/** A line from the first change to now: places from 0 to 1, and the instants they stand for. */
export interface LifeLine {
  readonly placeOf: (ms: number) => number;
  readonly instantAt: (place: number) => number;
}

/**
 * Calm is shortened, by its logarithm: on a line that is true to time, a deployment of seconds in a life of months
 * would be less than a pixel. Order is kept, and each change has room.
 */
export function lifeLine(stops: readonly Stop[], now: number): LifeLine {
  const first = stops[0]?.ms ?? now;
  const times = [first, ...stops.slice(1).map(({ ms }) => ms), Math.max(now, stops.at(-1)?.ms ?? now)];
  const ends: number[] = [0];
  for (const [i, ms] of times.entries()) {
    if (i === 0) continue;
    const gap = ms - (times[i - 1] ?? ms);
    ends.push((ends[i - 1] ?? 0) + (gap <= 0 ? 0 : 1 + Math.log2(1 + gap / 1_000)));
  }
  const total = ends.at(-1) || 1;
  const between = (from: readonly number[], to: readonly number[], value: number): number => {
    const last = from.length - 1;
    if (value <= (from[0] ?? 0)) return to[0] ?? 0;
    if (value >= (from[last] ?? 0)) return to[last] ?? 0;
    let i = 0;
    for (let high = last; high - i > 1; ) {
      const middle = (i + high) >>> 1;
      if ((from[middle] ?? 0) <= value) i = middle;
      else high = middle;
    }
    const [a = 0, b = 0, c = 0, d = 0] = [from[i], from[i + 1], to[i], to[i + 1]];
    return c + ((value - a) / (b - a || 1)) * (d - c);
  };
  return {
    placeOf: (ms) => between(times, ends, ms) / total,
    instantAt: (place) => Math.round(between(ends, times, place * total)),
  };
}
