import { longAgo } from '../../../contract/presentation/times.ts';
import { flagAt, isThere, listAt, type ObjectFields, textAt } from '../fields.ts';
import { objectIdentity } from '../identity.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { comesEver, isSchedule, isTimeZone, overdue } from './cron-schedule.ts';
import type { KindLadder, LadderContext } from './ladder-context.ts';

export const judgeCronJob: KindLadder = (object, context) => {
  const schedule = textAt(object, 'spec.schedule');
  const active = listAt(object, 'status.active').length;
  return climb(
    [
      () =>
        flagAt(object, 'spec.suspend') ? ruling('suspended', 'runs_suspended', 'spec.suspend is true') : null,
      () => (schedule ? null : ruling('unknown', 'schedule_invalid', 'spec.schedule is missing')),
      () => scheduleUnmet(object, schedule ?? ''),
      () => (isThere(object, 'status') ? null : ruling('progressing', 'not_observed', 'status is missing')),
      () => lastJobUnmet(context),
      () => (active === 0 ? lastRunUnmet(object) : unfinished(object, active, context)),
      () => (active === 0 ? neverRan(object, context) : null),
      () => (active === 0 || !waitsForItsLastRun(object) ? missed(object, context.now) : null),
    ],
    ready(active > 0 ? `${active} jobs are active` : `schedule ${schedule}, last run ${lastRun(object)}`),
  );
};

const lastRun = (object: ObjectFields) => textAt(object, 'status.lastScheduleTime') ?? 'none yet';

/** A schedule or a time zone that the controller cannot read: no run ever begins. */
function scheduleUnmet(object: ObjectFields, schedule: string): Ruling | null {
  const zone = textAt(object, 'spec.timeZone');
  if (zone !== null && !isTimeZone(zone))
    return ruling('failed', 'schedule_invalid', `spec.timeZone ${zone} is none`);
  if (!isSchedule(schedule))
    return ruling('failed', 'schedule_invalid', `spec.schedule ${schedule} is not understood`);
  return comesEver(schedule)
    ? null
    : ruling('failed', 'schedule_invalid', `spec.schedule ${schedule} names a day that no month has`);
}

const waitsForItsLastRun = (object: ObjectFields) => textAt(object, 'spec.concurrencyPolicy') === 'Forbid';

/** Its last run is older than its schedule allows: it was not run since, or this is an old export of it. */
function missed(object: ObjectFields, now: number): Ruling | null {
  const started = textAt(object, 'status.lastScheduleTime');
  const last = Date.parse(started ?? '');
  const due = Number.isNaN(last) ? null : overdue(textAt(object, 'spec.schedule') ?? '', last, now);
  if (due === null) return null;
  return ruling('unknown', 'schedule_missed', `last run ${started}, and one was due ${longAgo(now - due)}`);
}

/** Nothing of the object says that it ever ran, though its time has come. */
function neverRan(object: ObjectFields, { identity, around, now }: LadderContext): Ruling | null {
  if (isThere(object, 'status.lastScheduleTime') || around.controlledBy(identity).length > 0) return null;
  const created = Date.parse(textAt(object, 'metadata.creationTimestamp') ?? '');
  const due = Number.isNaN(created) ? null : overdue(textAt(object, 'spec.schedule') ?? '', created, now);
  // That its time has not come proves nothing of how a run of it ends.
  if (due === null) return ruling('progressing', 'job_waiting', 'no run is recorded');
  return ruling('unknown', 'never_ran', `no run is recorded, and one was due ${longAgo(now - due)}`);
}

/** The last job that finished, where it is in the input: it says more than two times do. One under way proves nothing. */
function lastJobUnmet(context: LadderContext): Ruling | null {
  const last = lastFinished(context);
  return last?.ruled.verdict === 'failed'
    ? ruling('degraded', 'last_run_failed', `job ${last.name}: ${last.ruled.facts}`)
    : null;
}

function lastFinished({ identity, around, rulingOn }: LadderContext) {
  const jobs = around.controlledBy(identity).flatMap((job) => {
    const its = objectIdentity(job);
    if (its?.kind !== 'Job') return [];
    const at = textAt(job, 'metadata.creationTimestamp') ?? '';
    return [{ name: its.name, ruled: rulingOn(job, its), at }];
  });
  return jobs
    .filter(({ ruled }) => ruled.verdict === 'failed' || ruled.verdict === 'ready')
    .sort((a, b) => b.at.localeCompare(a.at))[0];
}

/**
 * A run is under way, and no job in the input has finished: only a success since the run before this one proves that the
 * last one that finished ended well.
 */
function unfinished(object: ObjectFields, active: number, context: LadderContext): Ruling | null {
  if (lastFinished(context) !== undefined) return null;
  const [started, succeeded] = [
    textAt(object, 'status.lastScheduleTime'),
    textAt(object, 'status.lastSuccessfulTime'),
  ];
  const facts = `${active} jobs are active, last success ${succeeded ?? 'none'}`;
  if (succeeded === null) return ruling('progressing', 'job_running', facts);
  if (started === null) return null;
  const schedule = textAt(object, 'spec.schedule') ?? '';
  const due = overdue(schedule, Date.parse(succeeded), Date.parse(started));
  return due === null
    ? null
    : ruling('progressing', 'job_running', `${facts}; a run was due ${new Date(due).toISOString()}`);
}

/** Nothing is active, so that a last run without a success after it did not succeed. */
function lastRunUnmet(object: ObjectFields): Ruling | null {
  const [started, succeeded] = [
    textAt(object, 'status.lastScheduleTime'),
    textAt(object, 'status.lastSuccessfulTime'),
  ];
  if (started === null) return null;
  if (succeeded !== null && Date.parse(succeeded) >= Date.parse(started)) return null;
  return ruling('degraded', 'last_run_failed', `last run ${started}, last success ${succeeded ?? 'none'}`);
}
