import type { FencedStamp } from '../../runtime/stamp.ts';
import { type DeployedMarks, marksIn, rolloutIn } from '../deploy/marks.ts';
import { countAt, fieldsAt, flagAt, listAt, type ObjectFields, own, textAt } from '../verdict/fields.ts';
import { keeper, labelsIn, type RecordCondition, type RecordHead, recordConditions } from './head.ts';
import { type Provenance, provenanceOf, templateManagersOf } from './managed-by.ts';

/** Common to everything that makes pods. Counts of the status may weaken a claim, never strengthen it (rule 8). */
interface WorkloadHead extends RecordHead, Provenance {
  readonly labels: Readonly<Record<string, string>>;
  readonly generation: number;
  /** Null: the controller has not looked at it yet. */
  readonly observedGeneration: number | null;
  readonly conditions: readonly RecordCondition[];
  /** Images as the template names them, by container. */
  readonly images: Readonly<Record<string, string>>;
  readonly templateManagers: readonly string[];
  /** A copy counts once it has been ready for this long. */
  readonly minReadySeconds: number;
}

export interface DeploymentRecord extends WorkloadHead {
  readonly replicas: number;
  readonly isPaused: boolean;
  /** The current ReplicaSet has the same (deployment.kubernetes.io/revision). */
  readonly revision: string | null;
  readonly counts: WorkloadCounts;
  /** Evident applied it; null: another tool did. */
  readonly marks: DeployedMarks | null;
}

export interface ReplicaSetRecord extends WorkloadHead {
  readonly replicas: number;
  readonly revision: string | null;
  readonly templateHash: string | null;
  readonly counts: WorkloadCounts;
  /** The order that first made its template, if one of Evident's did. */
  readonly rollout: FencedStamp | null;
}

export interface StatefulSetRecord extends WorkloadHead {
  readonly replicas: number;
  readonly updateRevision: string | null;
  readonly currentRevision: string | null;
  /** Pods below this ordinal keep the former revision on purpose; ordinals begin at the first. */
  readonly partition: number;
  readonly firstOrdinal: number;
  readonly updatesOnDelete: boolean;
  readonly counts: WorkloadCounts;
}

export interface DaemonSetRecord extends WorkloadHead {
  /** Nodes that should run it, by the controller's word. */
  readonly desired: number | null;
  readonly updatesOnDelete: boolean;
  readonly counts: WorkloadCounts;
}

interface WorkloadCounts {
  readonly total: number;
  readonly ready: number;
  readonly updated: number;
  /** Ready for as long as they have to be. */
  readonly available: number;
}

/** A revision of a DaemonSet or StatefulSet; its data, a whole template, is not kept. */
export interface ControllerRevisionRecord extends RecordHead {
  readonly revision: number;
  readonly hash: string | null;
}

export interface JobRecord extends WorkloadHead {
  readonly isSuspended: boolean;
  readonly completions: number | null;
  readonly parallelism: number;
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

export interface CronJobRecord extends WorkloadHead {
  readonly schedule: string;
  readonly isSuspended: boolean;
  /** No run begins before the one before it has ended. */
  readonly runsAlone: boolean;
  readonly lastScheduleAt: string | null;
  readonly lastSuccessAt: string | null;
  readonly active: readonly string[];
}

const REVISION = 'deployment.kubernetes.io/revision';

export const keepDeployment: (object: unknown) => DeploymentRecord | null = keeper((object) => ({
  ...workload(object),
  replicas: countAt(object, 'spec.replicas') ?? 1,
  isPaused: flagAt(object, 'spec.paused'),
  revision: revisionOf(object),
  counts: counts(object, 'replicas', 'readyReplicas', 'updatedReplicas'),
  marks: marksIn(object),
}));

export const keepReplicaSet: (object: unknown) => ReplicaSetRecord | null = keeper((object) => ({
  ...workload(object),
  replicas: countAt(object, 'spec.replicas') ?? 1,
  revision: revisionOf(object),
  templateHash: labelsIn(object)['pod-template-hash'] ?? null,
  counts: counts(object, 'replicas', 'readyReplicas', 'fullyLabeledReplicas'),
  rollout: rolloutIn(object),
}));

export const keepStatefulSet: (object: unknown) => StatefulSetRecord | null = keeper((object) => ({
  ...workload(object),
  replicas: countAt(object, 'spec.replicas') ?? 1,
  updateRevision: textAt(object, 'status.updateRevision'),
  currentRevision: textAt(object, 'status.currentRevision'),
  partition: countAt(object, 'spec.updateStrategy.rollingUpdate.partition') ?? 0,
  firstOrdinal: countAt(object, 'spec.ordinals.start') ?? 0,
  updatesOnDelete: textAt(object, 'spec.updateStrategy.type') === 'OnDelete',
  counts: counts(object, 'replicas', 'readyReplicas', 'updatedReplicas'),
}));

export const keepDaemonSet: (object: unknown) => DaemonSetRecord | null = keeper((object) => ({
  ...workload(object),
  desired: countAt(object, 'status.desiredNumberScheduled'),
  updatesOnDelete: textAt(object, 'spec.updateStrategy.type') === 'OnDelete',
  counts: counts(
    object,
    'currentNumberScheduled',
    'numberReady',
    'updatedNumberScheduled',
    'numberAvailable',
  ),
}));

export const keepControllerRevision: (object: unknown) => ControllerRevisionRecord | null = keeper(
  (object) => ({
    revision: countAt(object, 'revision') ?? 0,
    hash:
      labelsIn(object)['controller-revision-hash'] ??
      labelsIn(object)['controller.kubernetes.io/hash'] ??
      null,
  }),
);

export const keepJob: (object: unknown) => JobRecord | null = keeper((object) => ({
  ...workload(object),
  isSuspended: flagAt(object, 'spec.suspend'),
  completions: countAt(object, 'spec.completions'),
  parallelism: countAt(object, 'spec.parallelism') ?? 1,
  active: countAt(object, 'status.active') ?? 0,
  succeeded: countAt(object, 'status.succeeded') ?? 0,
  failed: countAt(object, 'status.failed') ?? 0,
  startedAt: textAt(object, 'status.startTime'),
  completedAt: textAt(object, 'status.completionTime'),
}));

export const keepCronJob: (object: unknown) => CronJobRecord | null = keeper((object) => ({
  ...workload(object, 'spec.jobTemplate.spec.template.spec'),
  schedule: textAt(object, 'spec.schedule') ?? '',
  isSuspended: flagAt(object, 'spec.suspend'),
  runsAlone: textAt(object, 'spec.concurrencyPolicy') === 'Forbid',
  lastScheduleAt: textAt(object, 'status.lastScheduleTime'),
  lastSuccessAt: textAt(object, 'status.lastSuccessfulTime'),
  active: listAt(object, 'status.active').flatMap((job) => textAt(job, 'uid') ?? []),
}));

function workload(
  object: ObjectFields,
  template = 'spec.template.spec',
): Omit<WorkloadHead, keyof RecordHead> {
  const images = ['initContainers', 'containers'].flatMap((list) =>
    listAt(object, `${template}.${list}`).map((one) => [
      textAt(one, 'name') ?? '',
      textAt(one, 'image') ?? '',
    ]),
  );
  return {
    labels: labelsIn(object),
    ...provenanceOf(object),
    generation: countAt(object, 'metadata.generation') ?? 0,
    observedGeneration: countAt(object, 'status.observedGeneration'),
    conditions: recordConditions(object),
    images: Object.fromEntries(images),
    templateManagers: templateManagersOf(object),
    minReadySeconds: countAt(object, 'spec.minReadySeconds') ?? 0,
  };
}

/** Read by key: the name of the annotation has dots in it. */
function revisionOf(object: ObjectFields): string | null {
  const value = own(fieldsAt(object, 'metadata.annotations'), REVISION);
  return typeof value === 'string' ? value : null;
}

function counts(
  object: ObjectFields,
  total: string,
  ready: string,
  updated: string,
  available = 'availableReplicas',
): WorkloadCounts {
  const count = (name: string) => countAt(object, `status.${name}`) ?? 0;
  return { total: count(total), ready: count(ready), updated: count(updated), available: count(available) };
}
