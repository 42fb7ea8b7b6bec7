import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, fieldsAt, flagAt, isThere, listAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { annotationOf, observedUnmet, type PhaseTable, phaseUnmet } from './reading.ts';

const PHASES: PhaseTable = {
  Healthy: 'met',
  Progressing: ['progressing', 'updating'],
  Paused: ['suspended', 'paused'],
  Degraded: ['degraded', 'impaired'],
};

/** A Rollout writes its observed generation as text, and the end of its work into `phase`. */
function judgeRollout(object: ObjectFields): Ruling {
  const wanted = countAt(object, 'spec.replicas') ?? 1;
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const [total, usable] = [status('replicas'), status('availableReplicas')];
  const updated = countAt(object, 'status.updatedReplicas');
  const count = { have: status('readyReplicas'), want: wanted };
  const conditions = conditionsOf(object);
  const [invalid, progressing] = [conditions.get('InvalidSpec'), conditions.get('Progressing')];
  const phase = textAt(object, 'status.phase');
  return climb(
    [
      // A pause holds changes back, and is no reason for copies that are not available.
      () =>
        flagAt(object, 'spec.paused') && wanted > 0 && total > 0 && usable === 0
          ? ruling('degraded', 'not_available', 'spec.paused is true, and no replica is available', count)
          : null,
      () =>
        flagAt(object, 'spec.paused') ? ruling('suspended', 'paused', 'spec.paused is true', count) : null,
      () =>
        isThere(object, 'status.observedGeneration')
          ? observedUnmet(object)
          : ruling('progressing', 'generation_behind', 'no controller has observed it yet'),
      () => referredUnmet(object),
      () =>
        invalid?.status === 'True' ? ruling('failed', 'reconcile_failed', conditionFacts(invalid)) : null,
      () =>
        phase === 'Degraded' && progressing?.reason === 'ProgressDeadlineExceeded'
          ? ruling('degraded', 'progress_deadline', conditionFacts(progressing), count)
          : null,
      () =>
        phase === 'Paused' && goesOnByItself(object)
          ? ruling('progressing', 'updating', 'a step of the rollout waits for its time', count)
          : null,
      () => phaseUnmet(object, 'status.phase', PHASES),
      () =>
        wanted === 0 && total === 0
          ? ruling('stopped', 'scaled_to_zero', '0 replicas wanted, none observed')
          : null,
      () =>
        flagAt(object, 'status.abort')
          ? ruling('degraded', 'rolled_back', 'status.abort is true', count)
          : null,
      () =>
        updated !== null && updated < wanted
          ? ruling('progressing', 'updating', `${updated} of ${wanted} replicas are updated`, count)
          : null,
      () =>
        usable < wanted
          ? ruling('progressing', 'not_available', `${usable} of ${wanted} replicas are available`, count)
          : null,
    ],
    ready(`phase Healthy, ${usable} of ${wanted} replicas are available`),
  );
}

/** F70 for a Rollout whose template is that of another workload: the generation of that one counts too. */
function referredUnmet(object: ObjectFields): Ruling | null {
  const wanted = annotationOf(object, 'rollout.argoproj.io/workload-generation');
  if (!isThere(object, 'spec.workloadRef') || wanted === null) return null;
  const observed = textAt(object, 'status.workloadObservedGeneration') ?? 'none';
  return observed === wanted
    ? null
    : ruling(
        'progressing',
        'generation_behind',
        `generation ${observed} of ${wanted} of its workload is observed`,
      );
}

/** A step that pauses for a time rests because nobody has to say anything: the rollout is under way. */
function goesOnByItself(object: ObjectFields): boolean {
  const step = listAt(object, 'spec.strategy.canary.steps')[countAt(object, 'status.currentStepIndex') ?? 0];
  return step !== undefined && isThere(fieldsAt(step, 'pause'), 'duration');
}

export const ARGO_ROLLOUTS: readonly CustomFamily[] = [
  { group: 'argoproj.io', kinds: ['Rollout'], judge: judgeRollout },
];
