import type { CacheChange } from '../cache/cluster-cache.ts';
import { NO_LEASES, type NodeLeases, type NodeWord, nodeWord, observeLeases } from './node-leases.ts';
import type { ClusterRecords } from './records.ts';
import { podAnswered, podsRestored, type RestoredPods } from './restored-pods.ts';
import { podDeleted, settleVanished, type VanishedPods } from './vanished-pods.ts';
import { type ObservedWorkload, observeWorkloads } from './workload.ts';

const LOOK_MS = 500;

/**
 * Remembers what a copy of the cluster alone cannot say: when leases changed, which pods vanished, and what was there
 * when the cluster was restored. Does no I/O and has no clock; the agent passes every change of its cache to it.
 */
export class ClusterObserver {
  readonly #records: ClusterRecords;
  /** The instant up to which the copy of nodes and leases is proven. */
  readonly #nodesProvenAt: () => number | null;
  #leases: NodeLeases = NO_LEASES;
  #vanished: VanishedPods = new Map();
  #restored: RestoredPods = new Map();
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The word of each node at the last look. */
  #words: ReadonlyMap<string, NodeWord['kind']> = new Map();
  /** Namespaces that are known otherwise since they were last taken; `all` of them after a restore. */
  #stale: Set<string> | 'all' = new Set();
  /** Pods were forgotten because of a restore, and not listed again yet. */
  #awaitsPods = false;

  constructor(records: ClusterRecords, nodesProvenAt: () => number | null) {
    this.#records = records;
    this.#nodesProvenAt = nodesProvenAt;
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
  workloads(namespace: string, now: number): ObservedWorkload[] {
    if (now - this.#lookedAt >= LOOK_MS) this.lookAtNodes(now);
    return observeWorkloads(namespace, {
      records: this.#records,
      leases: this.#leases,
      vanished: this.#vanished,
      restored: this.#restored,
      now: this.#lookedAt,
    });
  }

  /** Namespaces whose workloads would be answered otherwise than before, so that the others need not be read again. */
  takeStale(): ReadonlySet<string> | 'all' {
    const stale = this.#stale;
    this.#stale = new Set();
    return stale;
  }

  /** A pod answered a direct request: it runs, whatever the API has forgotten. */
  answered(uid: string): void {
    this.#restored = podAnswered(this.#restored, uid);
    const pod = this.#records.record('Pod', uid);
    if (pod !== null) this.#markNamespace(pod.namespace);
  }

  /** Silence of a node changes what is known of its pods, and no event comes with it: somebody must look. */
  lookAtNodes(now: number): void {
    this.#lookedAt = now;
    const provenAt = this.#nodesProvenAt();
    this.#leases = observeLeases(this.#leases, this.#records.records('Lease'), provenAt, now);
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

  #wordOf(node: string): NodeWord['kind'] {
    return nodeWord(this.#leases, node, this.#lookedAt).kind;
  }

  #settleVanished(now: number): void {
    if (this.#vanished.size === 0) return;
    const before = this.#vanished;
    this.#vanished = settleVanished(before, this.#leases, now);
    for (const [uid, { pod }] of before) if (!this.#vanished.has(uid)) this.#markNamespace(pod.namespace);
  }

  #markStale(change: CacheChange): void {
    if (change.kind === 'dropped') this.#stale = 'all';
    // Leases count by the word of their node alone; a node's own record is not read.
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
    if (change.kind === 'deleted') this.#vanished = podDeleted(this.#vanished, change.record, now);
    else if (change.kind === 'complete' && this.#awaitsPods) {
      this.#awaitsPods = false;
      this.#restored = podsRestored(this.#records.records('Pod'));
    } else if (change.kind === 'put' && this.#vanished.has(change.record.uid)) {
      const vanished = new Map(this.#vanished);
      vanished.delete(change.record.uid);
      this.#vanished = vanished;
    }
  }

  /** Any kind tells it, and it is about every pod. Pods that the restored cluster does not have may run on (rule 1). */
  #clusterRestored(of: CacheChange['of'], now: number): void {
    if (of !== 'Pod') {
      this.#restored = podsRestored(this.#records.records('Pod'));
      return;
    }
    this.#awaitsPods = true;
    for (const pod of this.#records.records('Pod')) this.#vanished = podDeleted(this.#vanished, pod, now);
  }
}
