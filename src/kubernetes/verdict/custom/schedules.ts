import { longAgo } from '../../../contract/presentation/times.ts';
import { type ObjectFields, textAt } from '../fields.ts';
import { overdue } from '../kinds/cron-schedule.ts';
import { type Ruling, ruling } from '../verdict.ts';
import { timeAt } from './reading.ts';

/** A time of the schedule has passed since the last run, or since it was made: nothing ran, or this is an old export. */
export function runUnmet(
  object: ObjectFields,
  {
    schedules,
    last,
    now,
  }: { readonly schedules: readonly string[]; readonly last: string; readonly now: number },
): Ruling | null {
  const ran = timeAt(object, last);
  const from = ran ?? timeAt(object, 'metadata.creationTimestamp');
  if (from === null) return null;
  const due = schedules.map((schedule) => overdue(schedule, from, now)).find((at) => at !== null);
  if (due === undefined || due === null) return null;
  return ran === null
    ? ruling('unknown', 'never_ran', `no run is recorded, and one was due ${longAgo(now - due)}`)
    : ruling(
        'unknown',
        'schedule_missed',
        `last run ${textAt(object, last)}, and one was due ${longAgo(now - due)}`,
      );
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A span such as `1h30m` in milliseconds; null of any other text. */
export function intervalOf(text: string | null): number | null {
  if (text === null || !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return null;
  return [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0),
    0,
  );
}

/** A look that is late may still come: it is missed only when a second one is due as well, and ten minutes more. */
const SLACK_MS = 10 * 60_000;

/** What is looked at again and again was not for two of its spans: nothing looks any more, or this is an old export. */
export function lookUnmet(
  object: ObjectFields,
  { every, last, now }: { readonly every: number | null; readonly last: string; readonly now: number },
): Ruling | null {
  const at = timeAt(object, last);
  if (at === null || every === null || every === 0 || now - at <= 2 * every + SLACK_MS) return null;
  return ruling('unknown', 'schedule_missed', `${last} was ${longAgo(now - at)}`);
}
