import { conditionFacts, conditionsOf, type ObjectCondition } from '../conditions.ts';
import { countAt, flagAt, isThere, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { entryOf } from '../reasons/container-words.ts';
import type { ReasonName } from '../reasons/index.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { joinedWithCopies } from './copies.ts';
import type { KindLadder } from './ladder-context.ts';

/** Reasons of a job's conditions Failed and FailureTarget. */
const FAILED_WORDS: Readonly<Record<string, ReasonName>> = {
  BackoffLimitExceeded: 'backoff_limit',
  MaxFailedIndexesExceeded: 'backoff_limit',
  FailedIndexes: 'backoff_limit',
  DeadlineExceeded: 'deadline_exceeded',
  PodFailurePolicy: 'pod_failure_policy',
};

export const judgeJob: KindLadder = (object, context) => {
  const conditions = conditionsOf(object);
  const [failed, complete, target] = ['Failed', 'Complete', 'FailureTarget'].map((type) =>
    conditions.get(type),
  );
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const [active, succeeded] = [status('active'), status('succeeded')];
  const counts = `${active} active, ${succeeded} succeeded, ${status('failed')} failed`;
  const isComplete = complete?.status === 'True';
  const hasBegun = active + succeeded + status('failed') > 0;
  const ruled = climb(
    [
      () =>
        failed?.status === 'True' && isComplete
          ? ruling('unknown', 'contradictory', 'Complete and Failed are both True')
          : null,
      () => (failed?.status === 'True' ? failedBy(failed, counts) : null),
      () => (target?.status === 'True' ? failedBy(target, counts) : null),
      () =>
        !isComplete && flagAt(object, 'spec.suspend')
          ? active > 0
            ? ruling('progressing', 'job_suspending', `spec.suspend is true, ${counts}`)
            : ruling('suspended', 'runs_suspended', `spec.suspend is true, ${counts}`)
          : null,
      () =>
        !isComplete && !hasBegun && !isThere(object, 'status.startTime')
          ? ruling('progressing', 'job_waiting', 'status.startTime is missing')
          : null,
      () => (isComplete ? null : ruling('progressing', 'job_running', counts)),
      () =>
        active > 0 || lacksSuccesses(object)
          ? ruling('unknown', 'contradictory', `Complete=True, and ${counts}`)
          : null,
      () =>
        textAt(object, 'status.failedIndexes') && !isThere(object, 'spec.successPolicy')
          ? ruling('unknown', 'contradictory', 'Complete=True, and status.failedIndexes names some')
          : null,
    ],
    ready(`Complete=True, ${counts}`, 'ended'),
  );
  const isUnderWay = ruled.verdict === 'progressing' || ruled.verdict === 'failed';
  return isUnderWay ? explainedByPods(ruled, object, context) : ruled;
};

/** Fewer pods have succeeded than it asks for, and nothing in it says that these are enough. */
function lacksSuccesses(object: ObjectFields): boolean {
  const wanted = countAt(object, 'spec.completions');
  const succeeded = countAt(object, 'status.succeeded');
  if (wanted === null || succeeded === null || isThere(object, 'spec.successPolicy')) return false;
  return succeeded < wanted;
}

function failedBy(condition: ObjectCondition, counts: string): Ruling {
  const reason = entryOf(FAILED_WORDS, condition.reason) ?? 'job_failed';
  return ruling('failed', reason, `${conditionFacts(condition)}; ${counts}`);
}

/** A pod that cannot start says why nothing goes on. The job's own rules decide whether it failed, so its verdict stays. */
const explainedByPods: (ruled: Ruling, ...rest: Parameters<KindLadder>) => Ruling = (
  ruled,
  object,
  context,
) => {
  const joined = joinedWithCopies(ruled, object, context, 0);
  return { ...joined, verdict: ruled.verdict };
};
