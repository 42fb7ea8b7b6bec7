import { clockTime } from '../../../../src/contract/presentation/times.ts';
import { SHORTEST_MS } from '../../parts/ribbon/ribbon-layout.ts';

/** A stretch of time that is drawn as one ribbon. */
interface TimeWindow {
  readonly kind: 'life' | 'day' | 'week';
  readonly windowMs: number;
}

export const DAY_MS = 24 * 3_600_000;
const WEEK_MS = 7 * DAY_MS;

/**
 * The windows that say something of their own: of a service that is younger than a day the day and the week hold the same,
 * and nearly all of them is empty, so that its life is drawn instead. Pure.
 */
export function windowsOf(createdAt: number | null, now: number): readonly TimeWindow[] {
  const lived = createdAt === null ? WEEK_MS : now - createdAt;
  if (lived < DAY_MS) return [{ kind: 'life', windowMs: Math.max(lived, SHORTEST_MS) }];
  return [
    { kind: 'day', windowMs: DAY_MS },
    { kind: 'week', windowMs: WEEK_MS },
  ];
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** The words below a ribbon, left to right; its end is now. */
export function windowLabels(kind: TimeWindow['kind'], begin: number, now: number): readonly string[] {
  if (kind === 'week')
    return [7, 6, 5, 4, 3, 2, 1].map((days) => DAYS[new Date(now - days * DAY_MS).getDay()] ?? '');
  const middle = begin + (now - begin) / 2;
  const isShort = now - begin < 3_600_000;
  const clock = (ms: number) => (isShort ? clockTime(ms) : clockTime(ms).slice(0, 5));
  return [`${clock(begin)}${kind === 'day' ? ' yesterday' : ''}`, clock(middle)];
}
