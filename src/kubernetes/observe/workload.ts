import { nameOf } from '../../contract/names.ts';
import type { Provenance } from '../cache/managed-by.ts';
import type { PodRecord } from '../cache/pod.ts';
import type { DeploymentRecord } from '../cache/workloads.ts';
import { FIELD_MANAGER } from '../deploy/marks.ts';
import { type HeldBack, heldBackIn, NONE_HELD_BACK, wantedInForce } from './held-back.ts';
import { instanceOf, type PodInstance, vanishedInstance } from './instance.ts';
import type { KnownPlace, WorkloadFacts } from './known-place.ts';
import { hasPodEnded, type LeftBehindPods, leftBehindIn, placeLeftBehind } from './left-behind.ts';
import { type NodeLeases, nodeWord } from './node-leases.ts';
import type { ClusterRecords } from './records.ts';
import type { RestoredPods } from './restored-pods.ts';
import {
  type CurrentTemplates,
  currentTemplates,
  ofBareSet,
  type PodPlace,
  placeOfPod,
  type WorkloadRef,
} from './revision-of-pod.ts';
import type { VanishedPods } from './vanished-pods.ts';

/** A workload with every copy of it, counted one by one (rule 8). */
export interface ObservedWorkload extends WorkloadFacts {
  /** The API no longer has it; its pods are not proven gone. */
  readonly isGone: boolean;
  /** It is gone, and somebody wanted its pods to run on. */
  readonly isLeftBehind: boolean;
  readonly instances: readonly PodInstance[];
  /** Copies that keep an older template on purpose. */
  readonly heldBack: HeldBack;
  /** Copies that the workload declares, of whatever template. */
  readonly declared: number | null;
  /** Containers of the current template that run under two digests (rule 15). */
  readonly contradictory: readonly string[];
}

interface ObservedInputs {
  readonly records: ClusterRecords;
  /** By pod. A pod outlives its controllers while it ends, and longer on a silent node: it is not forgotten with them. */
  readonly places: ReadonlyMap<string, KnownPlace>;
  readonly leases: NodeLeases;
  readonly vanished: VanishedPods;
  readonly restored: RestoredPods;
  readonly now: number;
  readonly wallNow: number;
}

/**
 * Every workload of a namespace with its instances: Deployments, StatefulSets, DaemonSets, CronJobs, and ReplicaSets,
 * Jobs and Pods that nothing controls. Pure: the same records give the same answer. Whether the records themselves may
 * be believed is the scope's standing, which the caller has.
 *
 * A pod whose controller is not in the cache belongs to no workload, and is left out: labels alone prove nothing.
 */
export function observeWorkloads(namespace: string, inputs: ObservedInputs): ObservedWorkload[] {
  const { records } = inputs;
  const current = currentTemplates(namespace, records);
  const leftBehind = leftBehindIn(namespace, records, inputs.places);
  const instances = instancesByWorkload(namespace, inputs, current, leftBehind);
  const heads = [...headsOf(namespace, records, current)].filter(
    ({ uid }) => !leftBehind.pods.has(uid) && !leftBehind.sets.has(uid),
  );
  const known = new Set(heads.map(({ uid }) => uid));
  const gone = goneWorkloads(inputs, instances, known, leftBehind);
  return [
    ...heads.map((head) => ({ head, isGone: false })),
    ...gone.map((head) => ({ head, isGone: true })),
  ].map(({ head, isGone }) => {
    const own = instances.get(head.uid) ?? [];
    const heldBack = isGone ? NONE_HELD_BACK : heldBackOf(head, own, records);
    const isLeftBehind = isGone && leftBehind.workloads.has(head.uid);
    // Nobody says any more how many there should be: those that are there.
    const desired = isLeftBehind ? stayingIn(own, records) : wantedInForce(head.desired, heldBack);
    const contradictory = contradictoryIn(own);
    return {
      ...head,
      desired,
      declared: head.desired,
      isGone,
      isLeftBehind,
      instances: own,
      heldBack,
      contradictory,
    };
  });
}

function stayingIn(instances: readonly PodInstance[], records: ClusterRecords): number {
  const staying = instances.filter(({ uid, isTerminating, revision }) => {
    const pod = isTerminating || revision !== 'current' ? null : records.record('Pod', uid);
    return pod !== null && !hasPodEnded(pod);
  });
  return staying.length;
}

function heldBackOf(
  { kind, uid }: WorkloadRef,
  instances: readonly PodInstance[],
  records: ClusterRecords,
): HeldBack {
  const holding = kind === 'StatefulSet' || kind === 'DaemonSet' ? records.record(kind, uid) : null;
  return holding === null ? NONE_HELD_BACK : heldBackIn(holding, instances);
}

/** Workloads that the API no longer has, and whose pods are not proven gone. */
function goneWorkloads(
  { places }: ObservedInputs,
  instances: ReadonlyMap<string, readonly PodInstance[]>,
  known: ReadonlySet<string>,
  leftBehind: LeftBehindPods,
): WorkloadFacts[] {
  return [...instances]
    .filter(([uid]) => !known.has(uid))
    .flatMap(
      ([uid, [first]]) => leftBehind.workloads.get(uid) ?? places.get(first?.uid ?? '')?.workload ?? [],
    );
}

/**
 * Pods whose controller is of a kind that is followed, and that neither the copy nor the memory has: nobody can say whose
 * they are, so that nothing in their namespace is proven absent.
 */
export function hasOrphans(
  namespace: string,
  records: ClusterRecords,
  places: ReadonlyMap<string, KnownPlace>,
): boolean {
  for (const pod of records.records('Pod', namespace))
    if (isOrphan(pod, records) && !places.has(pod.uid)) return true;
  return false;
}

function isOrphan({ controller }: PodRecord, records: ClusterRecords): boolean {
  switch (controller?.kind) {
    case 'ReplicaSet': {
      const set = records.record('ReplicaSet', controller.uid);
      if (set === null) return true;
      return (
        set.controller?.kind === 'Deployment' && records.record('Deployment', set.controller.uid) === null
      );
    }
    case 'StatefulSet':
      return records.record('StatefulSet', controller.uid) === null;
    case 'DaemonSet':
      return records.record('DaemonSet', controller.uid) === null;
    default:
      return false;
  }
}

function instancesByWorkload(
  namespace: string,
  inputs: ObservedInputs,
  current: CurrentTemplates,
  leftBehind: LeftBehindPods,
): Map<string, PodInstance[]> {
  const { records, places, leases, vanished, restored, now, wallNow } = inputs;
  const found = new Map<string, PodInstance[]>();
  const add = (pod: PodRecord, isVanished: boolean) => {
    const place =
      placeLeftBehind(pod, leftBehind, records) ??
      placeOfPod(pod, records, current) ??
      formerPlace(pod, places);
    if (place === null) return;
    const instance = isVanished
      ? vanishedInstance(pod, place, isNodeSilent(pod, leases, now))
      : instanceOf(pod, place, {
          leases,
          restored,
          now,
          wallNow,
          minReadySeconds: minReadyOf(place, records),
        });
    const list = found.get(place.workload.uid);
    if (list === undefined) found.set(place.workload.uid, [instance]);
    else list.push(instance);
  };
  for (const pod of records.records('Pod', namespace)) add(pod, false);
  for (const { pod } of vanished.values()) if (pod.namespace === namespace) add(pod, true);
  return found;
}

const isNodeSilent = ({ node }: PodRecord, leases: NodeLeases, now: number): boolean =>
  node !== null && nodeWord(leases, node, now).kind !== 'alive';

function minReadyOf({ workload: { kind, uid } }: PodPlace, records: ClusterRecords): number {
  if (kind === 'Pod' || kind === 'Job' || kind === 'CronJob') return 0;
  return records.record(kind, uid)?.minReadySeconds ?? 0;
}

function formerPlace({ uid }: PodRecord, places: ReadonlyMap<string, KnownPlace>): PodPlace | null {
  const known = places.get(uid);
  if (known === undefined) return null;
  const { kind, uid: workload } = known.workload;
  return { workload: { kind, uid: workload }, template: known.template, revision: 'superseded' };
}

function* headsOf(
  namespace: string,
  records: ClusterRecords,
  current: CurrentTemplates,
): Generator<WorkloadFacts> {
  for (const one of records.records('Deployment', namespace))
    yield {
      ...common('Deployment', one),
      desired: one.replicas,
      template: current(one),
      saidReady: saidReadyBy(one),
      ...deployedIn(one),
    };
  for (const one of records.records('StatefulSet', namespace))
    yield {
      ...common('StatefulSet', one),
      desired: one.replicas,
      template: current(one),
      saidReady: saidReadyBy(one),
    };
  for (const one of records.records('DaemonSet', namespace))
    yield {
      ...common('DaemonSet', one),
      desired: one.desired === null ? null : Math.max(one.desired, nodesWith(one.uid, namespace, records)),
      template: current(one),
      saidReady: saidReadyBy(one),
    };
  for (const one of records.records('CronJob', namespace))
    yield { ...common('CronJob', one), desired: null, template: { template: null }, saidReady: null };
  for (const one of records.records('ReplicaSet', namespace))
    if (one.controller === null)
      yield {
        ...common('ReplicaSet', one),
        desired: one.replicas,
        template: { template: ofBareSet(one) },
        saidReady: saidReadyBy(one),
      };
  for (const one of records.records('Job', namespace))
    if (one.controller === null)
      yield {
        ...common('Job', one),
        desired: one.parallelism,
        template: { template: one.uid },
        saidReady: null,
      };
  for (const pod of records.records('Pod', namespace)) if (pod.controller === null) yield barePod(pod);
}

/** A copy under another name has the same marks, and is not what was applied. */
function deployedIn({ marks, name, templateManagers }: DeploymentRecord): Pick<WorkloadFacts, 'deployed'> {
  if (marks === null || nameOf(marks.service) !== name) return {};
  const changedBy = templateManagers.filter((manager) => manager !== FIELD_MANAGER);
  return { deployed: { ...marks, changedBy } };
}

/**
 * Nodes that have a copy of a DaemonSet which nobody has asked to end. A controller that does not hear a node does not
 * want a copy there, and leaves the one that is: it is wanted until it is told to go.
 */
function nodesWith(uid: string, namespace: string, records: ClusterRecords): number {
  const nodes = new Set<string>();
  for (const pod of records.records('Pod', namespace))
    if (pod.controller?.uid === uid && pod.deletingSince === null && pod.node !== null && !hasPodEnded(pod))
      nodes.add(pod.node);
  return nodes.size;
}

/** By the same measure as the copies are counted. */
const saidReadyBy = ({ minReadySeconds, counts }: Pick<DeploymentRecord, 'minReadySeconds' | 'counts'>) =>
  minReadySeconds > 0 ? counts.available : counts.ready;

interface CommonRecord extends Provenance {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string | null;
  readonly deletingSince: string | null;
  readonly generation: number;
  readonly observedGeneration: number | null;
  readonly images: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

function common(kind: WorkloadRef['kind'], record: CommonRecord) {
  const { uid, namespace, name, createdAt, managedBy, fieldManager, release, commit, images, labels } =
    record;
  const generation = { desired: record.generation, observed: record.observedGeneration };
  return {
    kind,
    uid,
    namespace,
    name,
    createdAt,
    managedBy,
    fieldManager,
    release,
    commit,
    images,
    labels,
    generation,
    isDeleting: record.deletingSince !== null,
  };
}

function barePod(pod: PodRecord): WorkloadFacts {
  const { uid, namespace, name, createdAt } = pod;
  const images = pod.containers.flatMap(({ name, image, kind }) =>
    image === null || kind === 'ephemeral' ? [] : [[name, image]],
  );
  return {
    ...{ kind: 'Pod', uid, namespace, name, createdAt, generation: null, saidReady: null },
    ...{ managedBy: null, fieldManager: null, release: null, commit: null },
    images: Object.fromEntries(images),
    labels: pod.labels ?? {},
    isDeleting: pod.deletingSince !== null,
    desired: 1,
    template: { template: null },
  };
}

function contradictoryIn(instances: readonly PodInstance[]): string[] {
  const digests = new Map<string, Set<string>>();
  for (const { revision, digests: own } of instances)
    if (revision === 'current')
      for (const [container, digest] of Object.entries(own))
        digests.set(container, (digests.get(container) ?? new Set()).add(digest));
  return [...digests].filter(([, found]) => found.size > 1).map(([container]) => container);
}
