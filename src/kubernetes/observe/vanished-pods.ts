import type { PodRecord } from '../cache/pod.ts';
import { isBackFor, type NodeLeases } from './node-leases.ts';

/**
 * Pods that the API no longer has, and whose processes nobody has proven gone (rule 6). A pod that is force-deleted
 * while its node is silent is gone from the API and goes on answering. It counts as stopped once its node's lease was
 * renewed afterwards; "afterwards" needs a proof of the copy of the leases after the deletion first, since a renewal of
 * before may arrive late. Where the pod is missing because the cluster was restored (rule 1), a renewal proves nothing: the
 * kubelet may still go by what it knew before. There it counts once its kubelet has taken up a pod of the restored cluster.
 * Pure.
 */
export type VanishedPods = ReadonlyMap<string, VanishedPod>;

interface VanishedPod {
  readonly pod: PodRecord;
  readonly node: string;
  readonly vanishedAt: number;
  readonly isByRestore: boolean;
  /** The node's renewTime at the first proof after the deletion; undefined before that proof. */
  readonly renewTime: string | null | undefined;
}

/** A node that is gone for good never renews: after a day nobody asks any more. */
const FORGET_MS = 24 * 3_600_000;
/**
 * A kubelet that is back says within 10 s that its node is ready, and only then are new pods given to it, and started.
 * Until then that nothing replaces the old ones is no failure of theirs: they are `unknown`, never degraded.
 */
const GIVEN_PODS_MS = 20_000;

/** A pod was deleted. It is stopped by its kubelet's own word if every container had ended, or if it never had a node. */
export function podDeleted(
  before: VanishedPods,
  pod: PodRecord,
  now: number,
  isByRestore = false,
): VanishedPods {
  if (pod.node === null || hasEnded(pod)) return before;
  const vanished = { pod, node: pod.node, vanishedAt: now, isByRestore, renewTime: undefined };
  return new Map(before).set(pod.uid, vanished);
}

/** Looks at the leases again; pods that are proven gone are left out. `hasCaughtUp` tells of nodes after a restore. */
export function settleVanished(
  before: VanishedPods,
  leases: NodeLeases,
  now: number,
  hasCaughtUp: (node: string) => boolean = () => true,
): VanishedPods {
  const after = new Map<string, VanishedPod>();
  for (const [uid, vanished] of before) {
    if (now - vanished.vanishedAt > FORGET_MS) continue;
    const renewTime = leases.nodes.get(vanished.node)?.renewTime ?? null;
    const isProvenSince = leases.provenAt !== null && leases.provenAt > vanished.vanishedAt;
    if (vanished.renewTime === undefined)
      after.set(uid, isProvenSince ? { ...vanished, renewTime } : vanished);
    else if (renewTime === null || renewTime === vanished.renewTime) after.set(uid, vanished);
    else if (isBackFor(leases, vanished.node, now, GIVEN_PODS_MS)) after.set(uid, vanished);
    else if (vanished.isByRestore && !hasCaughtUp(vanished.node)) after.set(uid, vanished);
  }
  return after;
}

function hasEnded({ containers }: PodRecord): boolean {
  const running = containers.filter(({ kind }) => kind !== 'ephemeral' && kind !== 'init');
  return running.length > 0 && running.every(({ state }) => state.kind === 'terminated');
}
