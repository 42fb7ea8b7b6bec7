import type { PodRecord } from '../cache/pod.ts';
import type { KnownPlace, WorkloadFacts } from './known-place.ts';
import type { ClusterRecords } from './records.ts';
import type { PodPlace } from './revision-of-pod.ts';

/**
 * Pods that somebody's deletion left behind on purpose (`--cascade=orphan`): their workload is gone, or is being deleted,
 * and they run on. They stay with it, so that it is not called stopped while anything of it runs. Once another workload
 * adopts them they are that one's. Pure.
 */
export interface LeftBehindPods {
  /** By pod, those that were seen with their workload. */
  readonly pods: ReadonlyMap<string, KnownPlace>;
  /** By ReplicaSet: it was left behind with them, and its new pods are theirs. */
  readonly sets: ReadonlyMap<string, WorkloadFacts>;
  readonly workloads: ReadonlyMap<string, WorkloadFacts>;
}

export function leftBehindIn(
  namespace: string,
  records: ClusterRecords,
  places: ReadonlyMap<string, KnownPlace>,
): LeftBehindPods {
  const pods = new Map<string, KnownPlace>();
  const sets = new Map<string, WorkloadFacts>();
  const workloads = new Map<string, WorkloadFacts>();
  if (places.size > 0)
    for (const pod of records.records('Pod', namespace)) {
      const known = places.get(pod.uid);
      if (known === undefined || !isLeftBehind(pod, known, records)) continue;
      pods.set(pod.uid, known);
      workloads.set(known.workload.uid, known.workload);
      if (pod.controller !== null) sets.set(pod.controller.uid, known.workload);
    }
  return { pods, sets, workloads };
}

/** Nothing controls it any more, or only a ReplicaSet that itself is controlled by nothing; its workload is not there. */
export function isLeftBehind(pod: PodRecord, { workload }: KnownPlace, records: ClusterRecords): boolean {
  const { kind, uid } = workload;
  if (kind === 'Pod' || kind === 'Job' || kind === 'CronJob') return false;
  const set = pod.controller?.kind === 'ReplicaSet' ? records.record('ReplicaSet', pod.controller.uid) : null;
  const isAlone = pod.controller === null || (set !== null && set.controller === null && set.uid !== uid);
  if (!isAlone) return false;
  const there = records.record(kind, uid);
  return there === null || there.deletingSince !== null;
}

export const hasPodEnded = ({ phase }: PodRecord) => phase === 'Succeeded' || phase === 'Failed';

/** The place of a pod that was left behind, or that a ReplicaSet made which was; null for any other. */
export function placeLeftBehind(
  pod: PodRecord,
  { pods, sets }: LeftBehindPods,
  records: ClusterRecords,
): PodPlace | null {
  const known = pods.get(pod.uid);
  const workload = known?.workload ?? sets.get(pod.controller?.uid ?? '');
  if (workload === undefined) return null;
  const set = pod.controller === null ? null : records.record('ReplicaSet', pod.controller.uid);
  const template = known?.template ?? set?.templateHash ?? null;
  const { kind, uid, template: current } = workload;
  const isCurrent = current !== 'unsettled' && template === current.template;
  return { workload: { kind, uid }, template, revision: isCurrent ? 'current' : 'superseded' };
}
