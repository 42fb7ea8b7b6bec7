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
  /** Pods were forgotten because of a restore, and not listed again yet. */
  #awaitsPods = false;

  constructor(records: ClusterRecords, nodesProvenAt: () => number | null) {
    this.#records = records;
    this.#nodesProvenAt = nodesProvenAt;
  }

  receive(change: CacheChange, now: number): void {
    if (change.kind === 'dropped') {
      if (change.because === 'restored') this.#clusterRestored(change.of, now);
    } else if (change.of === 'Lease') {
      // Thousands of nodes renew hundreds of times a second: the instant of a change need not be finer than this.
      if (now - this.#lookedAt >= LOOK_MS) this.#lookAtNodes(now);
    } else if (change.of === 'Pod') this.#podChanged(change, now);
  }

  workloads(namespace: string, now: number): ObservedWorkload[] {
    this.#lookAtNodes(now);
    return observeWorkloads(namespace, {
      records: this.#records,
      leases: this.#leases,
      vanished: this.#vanished,
      restored: this.#restored,
      now,
    });
  }

  node(name: string, now: number): NodeWord {
    this.#lookAtNodes(now);
    return nodeWord(this.#leases, name, now);
  }

  /** A pod answered a direct request: it runs, whatever the API has forgotten. */
  answered(uid: string): void {
    this.#restored = podAnswered(this.#restored, uid);
  }

  #lookAtNodes(now: number): void {
    this.#lookedAt = now;
    const provenAt = this.#nodesProvenAt();
    this.#leases = observeLeases(this.#leases, this.#records.records('Lease'), provenAt, now);
    if (this.#vanished.size > 0) this.#vanished = settleVanished(this.#vanished, this.#leases, now);
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
