import type { CacheChange } from '../cache/cluster-cache.ts';
import type { RecordCondition } from '../cache/head.ts';
import type { PodRecord } from '../cache/pod.ts';
import type { KnownPlace } from './known-place.ts';
import { isLeftBehind } from './left-behind.ts';
import { NO_LEASES, type NodeLeases, type NodeWord, nodeWord, observeLeases } from './node-leases.ts';
import type { ClusterRecords } from './records.ts';
import { isStillRestored, podsRestored } from './restored-pods.ts';
import { podDeleted, settleVanished, type VanishedPods } from './vanished-pods.ts';
import { hasOrphans, type ObservedWorkload, observeWorkloads } from './workload.ts';

const LOOK_MS = 500;

/** The degree to which the copy may be believed, as the observer needs it. */
interface CopyStanding {
  /** The instant up to which the copy of nodes and leases is proven. */
  nodesProvenAt(): number | null;
  /** Every copy of pods is complete and proven. */
  arePodsProven(): boolean;
}

/** Doubts that must outlive the agent: a restart does not make them untrue. */
export interface KeptDoubts {
  readonly restored: readonly (readonly [uid: string, wroteAt: string | null])[];
  readonly vanished: readonly {
    readonly pod: PodRecord;
    readonly place: KnownPlace | null;
    readonly isByRestore: boolean;
  }[];
  /** By pod, the workload that it was left behind by; absent in files of before. */
  readonly leftBehind?: readonly (readonly [uid: string, place: KnownPlace])[];
}

/**
 * Remembers what a copy of the cluster alone cannot say: when leases changed, which pods vanished, whose they were, and
 * what was there when the cluster was restored. Does no I/O and has no clock; the agent passes every change of its cache
 * to it.
 */
export class ClusterObserver {
  readonly #records: ClusterRecords;
  readonly #standing: CopyStanding;
  readonly #places = new Map<string, KnownPlace>();
  #leases: NodeLeases = NO_LEASES;
  #vanished: VanishedPods = new Map();
  readonly #restored = new Map<string, string | null>();
  /** Pods that were there when the cluster was restored, whatever their kubelets have written since. */
  readonly #ofBefore = new Set<string>();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The word of each node at the last look. */
  #words: ReadonlyMap<string, NodeWord['kind']> = new Map();
  /** Namespaces that are known otherwise since they were last taken; `all` of them after a restore. */
  #stale: Set<string> | 'all' = new Set();
  /** The cluster was restored, and not every pod of it is listed again: each that comes is doubted. */
  #isRestoring = false;

  constructor(records: ClusterRecords, standing: CopyStanding, kept: KeptDoubts | null = null, now = 0) {
    this.#records = records;
    this.#standing = standing;
    if (kept === null) return;
    for (const [uid, wroteAt] of kept.restored) this.#doubt(uid, wroteAt);
    for (const [uid, place] of kept.leftBehind ?? []) this.#places.set(uid, place);
    for (const { pod, place, isByRestore } of kept.vanished) {
      this.#vanished = podDeleted(this.#vanished, pod, now, isByRestore);
      if (place !== null) this.#places.set(pod.uid, place);
    }
  }

  receive(change: CacheChange, now: number): void {
    this.#markStale(change);
    if (change.kind === 'dropped') {
      if (change.because === 'restored') this.#clusterRestored(change.of, now);
    } else if (change.of === 'Lease') {
      // Thousands of nodes renew hundreds of times a second: the instant of a change need not be finer than this. A list
      // comes lease by lease, and each of them begins to count once it is whole.
      if (change.kind === 'complete' || now - this.#lookedAt >= LOOK_MS) this.lookAtNodes(now);
    } else if (change.of === 'Pod') this.#podChanged(change, now);
  }

  /** As of the last look at the nodes: between two looks the answer changes with the records alone. */
  workloads(namespace: string, now: number, wallNow: number): ObservedWorkload[] {
    if (now - this.#lookedAt >= LOOK_MS) this.lookAtNodes(now);
    const workloads = observeWorkloads(namespace, {
      records: this.#records,
      places: this.#places,
      leases: this.#leases,
      vanished: this.#vanished,
      restored: this.#restored,
      now: this.#lookedAt,
      wallNow,
    });
    for (const workload of workloads)
      if (!workload.isGone || workload.isLeftBehind) this.#rememberPlaces(workload);
    return workloads;
  }

  /** Nothing there is proven absent while a pod is there of which nobody can say whose it is. */
  hasOrphans(namespace: string): boolean {
    return hasOrphans(namespace, this.#records, this.#places);
  }

  /** Namespaces whose workloads would be answered otherwise than before, so that the others need not be read again. */
  takeStale(): ReadonlySet<string> | 'all' {
    const stale = this.#stale;
    this.#stale = new Set();
    return stale;
  }

  /** A pod answered a direct request: it runs, whatever the API has forgotten. True if that was in doubt. */
  answered(uid: string): boolean {
    const pod = this.#records.record('Pod', uid);
    if (pod !== null) this.#markNamespace(pod.namespace);
    return this.#restored.delete(uid);
  }

  /** Doubts to be kept for the next agent; null while the pods of a restored cluster are not all listed. */
  doubts(): KeptDoubts | null {
    if (this.#isRestoring) return null;
    return {
      restored: [...this.#restored].filter(([uid]) => {
        const pod = this.#records.record('Pod', uid);
        return pod !== null && isStillRestored(this.#restored, pod);
      }),
      vanished: [...this.#vanished.values()].map(({ pod, isByRestore }) => ({
        pod,
        isByRestore,
        place: this.#places.get(pod.uid) ?? null,
      })),
      leftBehind: [...this.#places].filter(([uid, place]) => {
        const pod = this.#records.record('Pod', uid);
        return pod !== null && isLeftBehind(pod, place, this.#records);
      }),
    };
  }

  #rememberPlaces(observed: ObservedWorkload): void {
    const {
      instances,
      heldBack: _,
      declared: _____,
      contradictory: __,
      isGone: ___,
      isLeftBehind: ____,
      ...workload
    } = observed;
    // One that is being deleted may have let go of its pods already: it is remembered as it was.
    for (const { uid, template } of instances)
      if (!workload.isDeleting || !this.#places.has(uid)) this.#places.set(uid, { workload, template });
  }

  #doubt(uid: string, wroteAt: string | null): void {
    this.#restored.set(uid, wroteAt);
    this.#ofBefore.add(uid);
  }

  /** Its kubelet reports a pod that was created after the restore: it goes by what the restored cluster says. */
  #hasCaughtUp(node: string): boolean {
    for (const pod of this.#records.records('Pod'))
      if (pod.node === node && pod.kubeletWroteAt !== null && !this.#ofBefore.has(pod.uid)) return true;
    return false;
  }

  /** Silence of a node changes what is known of its pods, and no event comes with it: somebody must look. */
  lookAtNodes(now: number): void {
    this.#lookedAt = now;
    const provenAt = this.#standing.nodesProvenAt();
    const leases = this.#records.records('Lease');
    this.#leases = observeLeases(this.#leases, leases, provenAt, now, this.#givenUp());
    if (this.#isRestoring && this.#standing.arePodsProven()) this.#isRestoring = false;
    this.#settleVanished(now);
    const words = new Map([...this.#leases.nodes.keys()].map((node) => [node, this.#wordOf(node)]));
    const before = this.#words;
    this.#words = words;
    const turned = new Set(
      [...before.keys(), ...words.keys()].filter((node) => before.get(node) !== words.get(node)),
    );
    if (turned.size === 0) return;
    for (const { node, namespace } of this.#records.records('Pod'))
      if (node !== null && turned.has(node)) this.#markNamespace(namespace);
  }

  /** A kubelet never says of its own node that it does not know whether it is ready. */
  #givenUp(): ReadonlySet<string> {
    const nodes = [...this.#records.records('Node')];
    const isGivenUp = ({ type, status }: RecordCondition) => type === 'Ready' && status === 'Unknown';
    return new Set(nodes.filter(({ conditions }) => conditions.some(isGivenUp)).map(({ name }) => name));
  }

  #wordOf(node: string): NodeWord['kind'] {
    return nodeWord(this.#leases, node, this.#lookedAt).kind;
  }

  #settleVanished(now: number): void {
    if (this.#vanished.size === 0) return;
    const before = this.#vanished;
    this.#vanished = settleVanished(before, this.#leases, now, (node) => this.#hasCaughtUp(node));
    for (const [uid, { pod }] of before)
      if (!this.#vanished.has(uid)) {
        this.#places.delete(uid);
        this.#markNamespace(pod.namespace);
      }
  }

  #markStale(change: CacheChange): void {
    if (change.kind === 'dropped') this.#stale = 'all';
    // Leases and nodes count by the word of the node alone.
    else if (change.of === 'Lease' || change.of === 'Node') return;
    else if (change.kind === 'complete') this.#stale = 'all';
    // A list that is read again brings every record again.
    else if (change.kind === 'deleted' || change.before?.version !== change.record.version)
      this.#markNamespace(change.record.namespace);
  }

  #markNamespace(namespace: string): void {
    if (this.#stale !== 'all') this.#stale.add(namespace);
  }

  #podChanged(change: Extract<CacheChange, { of: 'Pod' }>, now: number): void {
    if (change.kind === 'deleted') {
      this.#vanished = podDeleted(this.#vanished, change.record, now);
      if (!this.#vanished.has(change.record.uid)) this.#places.delete(change.record.uid);
    } else if (change.kind === 'put') {
      const { uid, kubeletWroteAt } = change.record;
      if (this.#isRestoring && change.before === null) this.#doubt(uid, kubeletWroteAt);
      if (!this.#vanished.has(uid)) return;
      const vanished = new Map(this.#vanished);
      vanished.delete(uid);
      this.#vanished = vanished;
    }
  }

  /** Any kind tells it, and it is about every pod. Pods that the restored cluster does not have may run on (rule 1). */
  #clusterRestored(of: CacheChange['of'], now: number): void {
    this.#isRestoring = true;
    for (const [uid, wroteAt] of podsRestored(this.#records.records('Pod'))) this.#doubt(uid, wroteAt);
    if (of !== 'Pod') return;
    for (const pod of this.#records.records('Pod'))
      this.#vanished = podDeleted(this.#vanished, pod, now, true);
  }
}
