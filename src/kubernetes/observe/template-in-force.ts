import type { PodRecord } from '../cache/pod.ts';
import type { ControllerRevisionRecord, DaemonSetRecord, StatefulSetRecord } from '../cache/workloads.ts';

/** A workload whose copies may keep an older template on purpose: with a partition, or until somebody deletes them. */
export type HoldingWorkload = StatefulSetRecord | DaemonSetRecord;

const isStatefulSet = (workload: HoldingWorkload): workload is StatefulSetRecord =>
  'updateRevision' in workload;

export function holdsBack(workload: HoldingWorkload): boolean {
  return workload.updatesOnDelete || (isStatefulSet(workload) && workload.partition > 0);
}

/** True of a copy that its controller leaves at an older template. */
export function mayBeHeldBack(workload: HoldingWorkload, podName: string): boolean {
  if (workload.updatesOnDelete) return true;
  if (!isStatefulSet(workload)) return false;
  const ordinal = Number(/-(\d+)$/.exec(podName)?.[1] ?? Number.NaN);
  return ordinal < workload.firstOrdinal + workload.partition;
}

/** The sources that tell the template in force. */
interface InForceInputs {
  /** The newest template, as its controller says it. */
  readonly newest: string | null;
  readonly pods: readonly PodRecord[];
  readonly revisions: readonly ControllerRevisionRecord[];
}

/**
 * The template that a workload wants copies of now. One that no copy has, and that its controller will give to none until
 * somebody acts, is not in force yet: what runs is as it was, and waits on purpose. Pure.
 */
export function templateInForce(
  workload: HoldingWorkload,
  { newest, pods, revisions }: InForceInputs,
): string | null {
  if (!holdsBack(workload)) return newest;
  const staying = pods.filter(({ deletingSince }) => deletingSince === null);
  if (staying.some(({ revisionHash }) => revisionHash === newest)) return newest;
  if (givesNewest(workload, staying.length)) return newest;
  const former = isStatefulSet(workload) && !workload.updatesOnDelete ? workload.currentRevision : null;
  return newestOf(staying, revisions) ?? former ?? newest;
}

/** The controller makes a copy of the newest template without anybody's help. */
function givesNewest(workload: HoldingWorkload, staying: number): boolean {
  if (!isStatefulSet(workload)) return staying < (workload.desired ?? 0);
  return workload.updatesOnDelete ? staying < workload.replicas : workload.partition < workload.replicas;
}

/** The newest template that any of these pods has. The pods of a StatefulSet name their revision, others its hash. */
function newestOf(pods: readonly PodRecord[], revisions: readonly ControllerRevisionRecord[]): string | null {
  const hashes = new Set(pods.flatMap(({ revisionHash }) => revisionHash ?? []));
  const numbered = revisions
    .toSorted((a, b) => b.revision - a.revision)
    .flatMap(({ name, hash }) => [name, hash ?? name]);
  return numbered.find((one) => hashes.has(one)) ?? [...hashes][0] ?? null;
}
