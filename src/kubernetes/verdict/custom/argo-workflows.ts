import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, fieldsAt, flagAt, listAt, type ObjectFields, own, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { namesTrouble } from './condition-names.ts';
import type { CustomFamily } from './family.ts';
import { type PhaseTable, phaseUnmet, timeAt } from './reading.ts';
import { runUnmet } from './schedules.ts';

const PHASES: PhaseTable = {
  Succeeded: 'met',
  Pending: ['progressing', 'job_waiting'],
  Running: ['progressing', 'job_running'],
  Failed: ['failed', 'job_failed'],
  Error: ['failed', 'job_failed'],
};
const ENDED: ReadonlySet<string | null> = new Set(['Succeeded', 'Failed', 'Error']);

/** Its condition Completed is True for every end, a bad one too: only the phase says which. */
function judgeWorkflow(object: ObjectFields): Ruling {
  const trouble = [...conditionsOf(object).values()].find(
    ({ type, status }) => status === 'True' && namesTrouble(type),
  );
  return climb(
    [
      () =>
        flagAt(object, 'spec.suspend') && !ENDED.has(textAt(object, 'status.phase'))
          ? ruling('suspended', 'paused', 'spec.suspend is true')
          : null,
      () => phaseUnmet(object, 'status.phase', PHASES),
      () => (trouble === undefined ? null : ruling('degraded', 'impaired', conditionFacts(trouble))),
    ],
    ready('phase Succeeded', 'ended'),
  );
}

/**
 * A CronWorkflow does not say how its last run ended. Ready is one that runs, and one of which no run ever failed.
 */
function judgeCronWorkflow(object: ObjectFields, now: number): Ruling {
  const conditions = conditionsOf(object);
  const [spec, submission] = [conditions.get('SpecError'), conditions.get('SubmissionError')];
  const active = listAt(object, 'status.active').length;
  const [succeeded, failed] = ['succeeded', 'failed'].map((name) => countAt(object, `status.${name}`) ?? 0);
  return climb(
    [
      () => (flagAt(object, 'spec.suspend') ? ruling('suspended', 'paused', 'spec.suspend is true') : null),
      () => (spec?.status === 'True' ? ruling('failed', 'schedule_invalid', conditionFacts(spec)) : null),
      () =>
        submission?.status === 'True'
          ? ruling('failed', 'reconcile_failed', conditionFacts(submission))
          : null,
      () =>
        textAt(object, 'status.phase') === 'Stopped'
          ? ruling('suspended', 'paused', 'its stop strategy ended it')
          : null,
      () =>
        active > 0 || timeAt(object, 'status.lastScheduledTime') !== null
          ? null
          : ruling('progressing', 'not_observed', 'it has not run yet'),
      () =>
        active > 0 || (succeeded !== 0 && failed === 0)
          ? null
          : ruling('unknown', 'health_unknown', 'it does not say how its last run ended'),
      () =>
        active > 0
          ? null
          : runUnmet(object, { schedules: schedulesOf(object), last: 'status.lastScheduledTime', now }),
    ],
    ready(active > 0 ? `${active} workflows are active` : `${succeeded} runs succeeded, none failed`),
  );
}

function schedulesOf(object: ObjectFields): readonly string[] {
  const several = own(fieldsAt(object, 'spec'), 'schedules');
  return [textAt(object, 'spec.schedule'), ...(Array.isArray(several) ? several : [])].filter(
    (schedule): schedule is string => typeof schedule === 'string',
  );
}

export const ARGO_WORKFLOWS: readonly CustomFamily[] = [
  { group: 'argoproj.io', kinds: ['Workflow'], judge: judgeWorkflow },
  { group: 'argoproj.io', kinds: ['CronWorkflow'], judge: judgeCronWorkflow },
];
