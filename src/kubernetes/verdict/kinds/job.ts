import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, flagAt, isThere } from '../fields.ts';
import { climb } from '../ladder.ts';
import { ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

export const judgeJob: KindLadder = (object) => {
  const conditions = conditionsOf(object);
  const failed = conditions.get('Failed');
  const complete = conditions.get('Complete');
  const active = countAt(object, 'status.active') ?? 0;
  const succeeded = countAt(object, 'status.succeeded') ?? 0;
  return climb(
    [
      () =>
        failed?.status === 'True' && complete?.status === 'True'
          ? ruling('unknown', 'contradictory', 'Complete and Failed are both True')
          : null,
      () => (failed?.status === 'True' ? ruling('failed', 'job_failed', conditionFacts(failed)) : null),
      () =>
        complete?.status !== 'True' && flagAt(object, 'spec.suspend')
          ? ruling('suspended', 'paused', 'spec.suspend is true')
          : null,
      () =>
        complete?.status !== 'True' && !isThere(object, 'status.startTime')
          ? ruling('progressing', 'job_waiting', 'status.startTime is missing')
          : null,
      () =>
        complete?.status === 'True'
          ? null
          : ruling('progressing', 'job_running', `${active} active, ${succeeded} succeeded`),
    ],
    ready(`complete: ${succeeded} succeeded`),
  );
};
