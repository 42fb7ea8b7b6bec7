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
