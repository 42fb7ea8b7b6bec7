import type { PodRecord } from '../cache/pod.ts';
import type { NodeLeases } from './node-leases.ts';

/**
 * Pods that the API no longer has, and whose processes nobody has proven gone (rule 6). A pod that is force-deleted
 * while its node is silent is gone from the API and goes on answering. It counts as stopped once its node's lease was
 * renewed afterwards; "afterwards" needs a proof of the copy of the leases after the deletion first, since a renewal of
 * before may arrive late. Pure.
 */
export type VanishedPods = ReadonlyMap<string, VanishedPod>;

interface VanishedPod {
  readonly pod: PodRecord;
  readonly node: string;
  readonly vanishedAt: number;
  /** The node's renewTime at the first proof after the deletion; undefined before that proof. */
  readonly renewTime: string | null | undefined;
}

/** A node that is gone for good never renews: after a day nobody asks any more. */
const FORGET_MS = 24 * 3_600_000;

/** A pod was deleted. It is stopped by its kubelet's own word if every container had ended, or if it never had a node. */
export function podDeleted(before: VanishedPods, pod: PodRecord, now: number): VanishedPods {
  if (pod.node === null || hasEnded(pod)) return before;
  const vanished = { pod, node: pod.node, vanishedAt: now, renewTime: undefined };
  return new Map(before).set(pod.uid, vanished);
}

/** Looks at the leases again; pods that are proven gone are left out. */
export function settleVanished(before: VanishedPods, leases: NodeLeases, now: number): VanishedPods {
  const after = new Map<string, VanishedPod>();
  for (const [uid, vanished] of before) {
    if (now - vanished.vanishedAt > FORGET_MS) continue;
    const renewTime = leases.nodes.get(vanished.node)?.renewTime ?? null;
    const isProvenSince = leases.provenAt !== null && leases.provenAt > vanished.vanishedAt;
    if (vanished.renewTime === undefined)
      after.set(uid, isProvenSince ? { ...vanished, renewTime } : vanished);
    else if (renewTime === null || renewTime === vanished.renewTime) after.set(uid, vanished);
  }
  return after;
}

function hasEnded({ containers }: PodRecord): boolean {
  const running = containers.filter(({ kind }) => kind !== 'ephemeral' && kind !== 'init');
  return running.length > 0 && running.every(({ state }) => state.kind === 'terminated');
}
