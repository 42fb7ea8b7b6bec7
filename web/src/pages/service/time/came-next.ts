import type { RibbonView } from '../../../../../src/contract/answers/views.ts';
import { failedAt } from '../../../../../src/contract/presentation/failed-stage.ts';
import { type Stop, stopAfter } from '../../../../../src/contract/presentation/life.ts';
import { clockTime, dayBefore, longSpan } from '../../../../../src/contract/presentation/times.ts';
import { labelOf } from '../../../../../src/contract/presentation/words.ts';

/** The next change of the claim after an instant of the past, in words and by its address. */
interface CameNext {
  readonly when: string;
  readonly what: string;
  readonly at: string;
  /** The time of day, for the link that leads there. */
  readonly time: string;
}

/**
 * Null: nothing has changed since. `revision` is the one that was wanted then, `after` the claim after the change, once it
 * was read: a failure has the stage at which it failed.
 */
export function cameNext(
  stops: readonly Stop[],
  ms: number,
  revision: number,
  now: number,
  after?: Parameters<typeof failedAt>[0],
): CameNext | null {
  const next = stopAfter(stops, ms);
  if (next === null) return null;
  const time = `${dayBefore(next.ms, now)}${clockTime(next.ms)}`;
  const what = (after === undefined ? null : failedAt(after)) ?? labelOf(next.to);
  const laterMs = next.ms - ms;
  return {
    when: laterMs < 1_000 ? `At ${time}:` : `${longSpan(laterMs)} later, at ${time}:`,
    what: next.revision === revision ? `${what}.` : `${what}, r${next.revision}.`,
    at: next.at,
    time,
  };
}

/** The exits after one instant and up to another. Pure. */
export const exitsUntil = (ticks: RibbonView['ticks'], from: number, to: number): number =>
  ticks
    .filter(({ kind, at }) => kind === 'exit' && Date.parse(at) > from && Date.parse(at) <= to)
    .reduce((sum, { count = 1 }) => sum + count, 0);
