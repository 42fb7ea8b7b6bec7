import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, flagAt } from '../fields.ts';
import { generationUnmet } from '../generation.ts';
import { climb } from '../ladder.ts';
import { ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

export const judgeDeployment: KindLadder = (object) => {
  const wanted = countAt(object, 'spec.replicas') ?? 1;
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const [total, updated, available, readyCount] = [
    status('replicas'),
    status('updatedReplicas'),
    status('availableReplicas'),
    status('readyReplicas'),
  ];
  const conditions = conditionsOf(object);
  const progressing = conditions.get('Progressing');
  const failure = conditions.get('ReplicaFailure');
  const isAvailable = conditions.get('Available');
  const count = { have: readyCount, want: wanted };
  return climb(
    [
      () => generationUnmet(object),
      () => (flagAt(object, 'spec.paused') ? ruling('suspended', 'paused', 'spec.paused is true') : null),
      () =>
        progressing?.reason === 'ProgressDeadlineExceeded'
          ? ruling('failed', 'progress_deadline', conditionFacts(progressing), count)
          : null,
      () =>
        failure?.status === 'True' && updated < wanted
          ? ruling('degraded', 'create_failed', conditionFacts(failure), count)
          : null,
      () =>
        wanted === 0 && total === 0
          ? ruling('stopped', 'scaled_to_zero', '0 replicas wanted, none observed')
          : null,
      () =>
        updated < wanted
          ? ruling('progressing', 'updating', `${updated} of ${wanted} replicas are updated`, count)
          : null,
      () =>
        total > updated || total > wanted
          ? ruling('progressing', 'updating', `${total - updated} replicas of older templates remain`, count)
          : null,
      () =>
        Math.min(available, readyCount) < wanted
          ? ruling('progressing', 'not_available', `${available} of ${wanted} replicas are available`, count)
          : null,
      () =>
        isAvailable?.status === 'True'
          ? null
          : ruling(
              'progressing',
              'not_available',
              isAvailable === undefined ? 'the condition Available is missing' : conditionFacts(isAvailable),
              count,
            ),
    ],
    ready(`${available} of ${wanted} replicas are available`),
  );
};
