import type { PodRecord } from '../cache/pod.ts';
import type {
  ControllerRevisionRecord,
  DaemonSetRecord,
  DeploymentRecord,
  ReplicaSetRecord,
  StatefulSetRecord,
} from '../cache/workloads.ts';
import type { ClusterRecords } from './records.ts';
import { templateInForce } from './template-in-force.ts';

/**
 * Which workload a pod belongs to, and which template of it the pod runs (rule 3). The chain of controllers by UID
 * decides; labels are copied by anyone's edit. A template is current only once the controller has observed the
 * workload's generation: before that the one that looks current is the one of before. Pure.
 */
export interface PodPlace {
  /** The outermost controller that the cache has; the pod itself where nothing controls it. */
  readonly workload: WorkloadRef;
  readonly template: string | null;
  readonly revision: 'current' | 'superseded' | 'unsettled';
}

export interface WorkloadRef {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'ReplicaSet' | 'Job' | 'CronJob' | 'Pod';
  readonly uid: string;
}

/** Null: its controller is not in the cache, or is of a kind that we do not follow. */
export function placeOfPod(
  pod: PodRecord,
  records: ClusterRecords,
  current: CurrentTemplates,
): PodPlace | null {
  const { controller } = pod;
  if (controller === null)
    return { workload: { kind: 'Pod', uid: pod.uid }, template: null, revision: 'current' };
  switch (controller.kind) {
    case 'ReplicaSet':
      return placeInReplicaSet(records.record('ReplicaSet', controller.uid), records, current);
    case 'StatefulSet': {
      const owner = records.record('StatefulSet', controller.uid);
      return owner && placed({ kind: 'StatefulSet', uid: owner.uid }, pod.revisionHash, current(owner));
    }
    case 'DaemonSet': {
      const owner = records.record('DaemonSet', controller.uid);
      return owner && placed({ kind: 'DaemonSet', uid: owner.uid }, pod.revisionHash, current(owner));
    }
    case 'Job': {
      const job = records.record('Job', controller.uid);
      if (job === null) return null;
      const cron = job.controller?.kind === 'CronJob' ? records.record('CronJob', job.controller.uid) : null;
      const workload: WorkloadRef =
        cron === null ? { kind: 'Job', uid: job.uid } : { kind: 'CronJob', uid: cron.uid };
      // A Job's template never changes: each attempt is a Job of its own.
      return { workload, template: job.uid, revision: 'current' };
    }
    default:
      return null;
  }
}

function placeInReplicaSet(
  set: ReplicaSetRecord | null,
  records: ClusterRecords,
  current: CurrentTemplates,
): PodPlace | null {
  if (set === null) return null;
  const { controller } = set;
  if (controller === null) {
    const template = ofBareSet(set);
    return placed({ kind: 'ReplicaSet', uid: set.uid }, template, { template });
  }
  const owner = controller.kind === 'Deployment' ? records.record('Deployment', controller.uid) : null;
  if (owner === null) return null;
  return placed({ kind: 'Deployment', uid: owner.uid }, set.templateHash, current(owner));
}

function placed(workload: WorkloadRef, template: string | null, current: CurrentTemplate): PodPlace {
  if (current === 'unsettled' || template === null) return { workload, template, revision: 'unsettled' };
  return { workload, template, revision: template === current.template ? 'current' : 'superseded' };
}

/** The hash of the template that the workload wants now, as far as its controller has said so. */
export type CurrentTemplate = { readonly template: string | null } | 'unsettled';

export type CurrentTemplates = (
  workload: DeploymentRecord | StatefulSetRecord | DaemonSetRecord,
) => CurrentTemplate;

/** Finds the current templates of a namespace; each is found once, since every pod needs it. */
export function currentTemplates(namespace: string, records: ClusterRecords): CurrentTemplates {
  const sets = byController(records.records('ReplicaSet', namespace));
  const revisions = byController(records.records('ControllerRevision', namespace));
  const pods = byController(records.records('Pod', namespace));
  const found = new Map<string, CurrentTemplate>();
  const find: CurrentTemplates = (workload) => {
    if ((workload.observedGeneration ?? -1) < workload.generation) return 'unsettled';
    const template =
      'isPaused' in workload
        ? ofDeployment(workload, sets.get(workload.uid) ?? [])
        : inForce(workload, pods.get(workload.uid) ?? [], revisions.get(workload.uid) ?? []);
    return template === null ? 'unsettled' : { template };
  };
  return (workload) => {
    const template = found.get(workload.uid) ?? find(workload);
    found.set(workload.uid, template);
    return template;
  };
}

function inForce(
  workload: StatefulSetRecord | DaemonSetRecord,
  pods: readonly PodRecord[],
  revisions: readonly ControllerRevisionRecord[],
): string | null {
  const newest = 'updateRevision' in workload ? workload.updateRevision : ofDaemonSet(revisions);
  return newest && templateInForce(workload, { newest, pods, revisions });
}

function byController<T extends { readonly controller: { readonly uid: string } | null }>(
  owned: Iterable<T>,
): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const one of owned) {
    if (one.controller === null) continue;
    const list = found.get(one.controller.uid);
    if (list === undefined) found.set(one.controller.uid, [one]);
    else list.push(one);
  }
  return found;
}

/** Only a Deployment labels its sets with a hash. A set by itself is its own template: a change of it changes no pod. */
export const ofBareSet = ({ templateHash, uid }: ReplicaSetRecord): string => templateHash ?? uid;

/** The ReplicaSet that the controller gave the Deployment's own number. Two of them say nothing. */
function ofDeployment({ revision }: DeploymentRecord, owned: readonly ReplicaSetRecord[]): string | null {
  const sets = revision === null ? [] : owned.filter((set) => set.revision === revision);
  return sets.length === 1 ? (sets[0]?.templateHash ?? null) : null;
}

/** The status of a DaemonSet does not name its revision: it is the highest of its ControllerRevisions. */
function ofDaemonSet(owned: readonly ControllerRevisionRecord[]): string | null {
  return owned.toSorted((a, b) => b.revision - a.revision)[0]?.hash ?? null;
}
