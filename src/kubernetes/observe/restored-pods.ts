import type { PodRecord } from '../cache/pod.ts';

/**
 * Pods whose status was written before the cluster was restored (rule 1): what the API says of them is of another time.
 * Each is believed again once its kubelet has written its status afterwards, or once it answered a direct request.
 * The value is the time of the kubelet's last write as it stood after the restore. Pure.
 */
export type RestoredPods = ReadonlyMap<string, string | null>;

/** The first complete list after a restore. */
export function podsRestored(pods: Iterable<PodRecord>): RestoredPods {
  return new Map([...pods].map(({ uid, kubeletWroteAt }) => [uid, kubeletWroteAt]));
}

export function isStillRestored(restored: RestoredPods, pod: PodRecord): boolean {
  return restored.has(pod.uid) && restored.get(pod.uid) === pod.kubeletWroteAt;
}
