import { conditionsOf } from '../conditions.ts';
import { countAt } from '../fields.ts';
import { generationUnmet } from '../generation.ts';
import { climb } from '../ladder.ts';
import { ready, ruling } from '../verdict.ts';
import { availabilityUnmet } from './availability.ts';
import { joinedWithCopies } from './copies.ts';
import { createRefused } from './create-refused.ts';
import type { KindLadder } from './ladder-context.ts';

/** ReplicaSet, and ReplicationController, whose fields are the same. */
export const judgeReplicaSet: KindLadder = (object, context) => {
  const wanted = countAt(object, 'spec.replicas') ?? 1;
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const total = status('replicas');
  const count = { have: status('readyReplicas'), want: wanted };
  const labelled = countAt(object, 'status.fullyLabeledReplicas') ?? wanted;
  const usable = Math.min(count.have, status('availableReplicas'), labelled);
  const ruled = climb(
    [
      () => generationUnmet(object),
      () => createRefused(conditionsOf(object).get('ReplicaFailure'), count),
      () =>
        wanted === 0 && total === 0
          ? ruling('stopped', 'scaled_to_zero', '0 replicas wanted, none observed')
          : null,
      () =>
        total === wanted
          ? null
          : ruling('progressing', 'scaling', `${total} replicas, ${wanted} wanted`, count),
      () =>
        labelled < wanted
          ? ruling('progressing', 'not_available', `${labelled} of ${wanted} replicas have all labels`)
          : null,
      () => availabilityUnmet({ ...count, available: usable }, 'replicas'),
    ],
    ready(`${usable} of ${wanted} replicas are available`),
  );
  return joinedWithCopies(ruled, object, context, wanted);
};
