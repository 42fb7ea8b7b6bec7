import { clockTime, dayBefore, preciseTime } from '../../../../../src/contract/presentation/times.ts';
import { lengthOf, type TimeRange } from './time-range.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
];

/** Room for a name; one to the millisecond is longer. */
const NAME_PX = 68;
const PRECISE_PX = 94;

interface AxisTick {
  readonly ms: number;
  readonly text: string;
}

/** Round instants, as close as their names fit. Times and days are in the viewer's zone. */
export function axisOf(range: TimeRange, widthPx: number, now: number): AxisTick[] {
  const perPx = lengthOf(range) / Math.max(1, widthPx);
  const step = STEPS.find((ms) => ms >= perPx * (ms < SECOND ? PRECISE_PX : NAME_PX)) ?? DAY * 365;
  const zone = new Date(range.from).getTimezoneOffset() * MINUTE;
  const first = Math.ceil((range.from - zone) / step) * step + zone;
  const ticks: AxisTick[] = [];
  for (let ms = first; ms <= range.to; ms += step) ticks.push({ ms, text: nameOf(ms, step, now) });
  return ticks;
}

function nameOf(ms: number, step: number, now: number): string {
  if (step >= DAY) return dayBefore(ms, now).trim() || 'today';
  if (step < SECOND) return preciseTime(ms);
  return step < MINUTE ? clockTime(ms) : clockTime(ms).slice(0, 5);
}
