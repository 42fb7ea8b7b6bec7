import { conditionFacts, conditionsOf, type ObjectCondition } from '../conditions.ts';
import { countAt, flagAt, type ObjectFields } from '../fields.ts';
import { generationUnmet } from '../generation.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { availabilityUnmet } from './availability.ts';
import { joinedWithCopies, serving } from './copies.ts';
import { createRefused } from './create-refused.ts';
import type { KindLadder } from './ladder-context.ts';

/** Kubernetes reads this deadline as none, and then writes no condition Progressing. */
const NO_DEADLINE = 2_147_483_647;

export const judgeDeployment: KindLadder = (object, context) => {
  const wanted = countAt(object, 'spec.replicas') ?? 1;
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const [total, updated] = [status('replicas'), status('updatedReplicas')];
  const usable = Math.min(status('availableReplicas'), status('readyReplicas'));
  const unavailable = status('unavailableReplicas');
  const conditions = conditionsOf(object);
  const [progressing, available] = [conditions.get('Progressing'), conditions.get('Available')];
  const count = { have: status('readyReplicas'), want: wanted };
  const isServing = wanted > 0 && usable >= wanted && available?.status === 'True';
  const ruled = climb(
    [
      // A pause holds changes back, and is no reason for copies that are not available. Created paused, it has none.
      () =>
        flagAt(object, 'spec.paused') && total > 0 && wanted > 0 && available?.status === 'False'
          ? ruling('degraded', 'not_available', `spec.paused is true; ${conditionFacts(available)}`, count)
          : null,
      () =>
        flagAt(object, 'spec.paused') ? ruling('suspended', 'paused', 'spec.paused is true', count) : null,
      () => generationUnmet(object),
      () =>
        progressing?.reason === 'ProgressDeadlineExceeded'
          ? stuck(progressing, conditions.get('ReplicaFailure'), isServing ? serving(count) : count)
          : null,
      () => (total < wanted ? createRefused(conditions.get('ReplicaFailure'), count) : null),
      () =>
        wanted === 0 && total === 0
          ? ruling('stopped', 'scaled_to_zero', '0 replicas wanted, none observed')
          : null,
      () => (wanted === 0 ? ruling('progressing', 'scaling', `${total} replicas, 0 wanted`, count) : null),
      () =>
        updated < wanted
          ? ruling('progressing', 'updating', `${updated} of ${wanted} replicas are updated`, count)
          : null,
      () =>
        total > updated
          ? ruling('progressing', 'updating', `${total - updated} replicas of older templates remain`, count)
          : null,
      () =>
        total > wanted
          ? ruling('progressing', 'scaling', `${total} replicas, ${wanted} wanted`, count)
          : null,
      () =>
        total < wanted
          ? ruling('progressing', 'scaling', `${total} replicas, ${wanted} wanted`, count)
          : null,
      () => createRefused(conditions.get('ReplicaFailure'), count),
      () => availabilityUnmet({ ...count, available: usable, unavailable }, 'replicas'),
      () => conditionUnmet(available, 'Available'),
      () =>
        hasDeadline(object) || (progressing !== undefined && progressing.status !== 'True')
          ? progressUnmet(progressing, count)
          : null,
    ],
    ready(`${usable} of ${wanted} replicas are available`),
  );
  return joinedWithCopies(ruled, object, context, wanted);
};

/** A rollout that ended without success is no outage while as many copies as are wanted are available. */
function stuck(
  progressing: ObjectCondition,
  failure: ObjectCondition | undefined,
  count: NonNullable<Ruling['count']>,
): Ruling {
  const refused = createRefused(failure, count);
  const facts = [progressing, ...(refused === null || failure === undefined ? [] : [failure])]
    .map(conditionFacts)
    .join('; ');
  return ruling(count.serves ? 'degraded' : 'failed', refused?.reason ?? 'progress_deadline', facts, count);
}

/** Without numbers: they say the opposite. */
function conditionUnmet(condition: ObjectCondition | undefined, type: string): Ruling | null {
  if (condition?.status === 'True') return null;
  const facts = condition === undefined ? `the condition ${type} is missing` : conditionFacts(condition);
  return ruling('progressing', 'not_available', facts);
}

/** Only `NewReplicaSetAvailable` says that the rollout has ended; the other reasons of True are steps of it. */
function progressUnmet(progressing: ObjectCondition | undefined, count: Ruling['count']): Ruling | null {
  if (progressing?.status === 'True' && progressing.reason === 'NewReplicaSetAvailable') return null;
  const facts =
    progressing === undefined ? 'the condition Progressing is missing' : conditionFacts(progressing);
  return ruling('progressing', 'updating', facts, count);
}

function hasDeadline(object: ObjectFields): boolean {
  const deadline = countAt(object, 'spec.progressDeadlineSeconds');
  return deadline !== null && deadline !== NO_DEADLINE;
}
