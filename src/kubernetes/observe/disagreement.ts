import type { PodInstance } from './instance.ts';
import type { ClusterRecords } from './records.ts';
import type { ObservedWorkload } from './workload.ts';

/** The aggregate that counts fewer copies than are ready one by one. */
export type Disagreement = 'controller' | 'endpoints';

/** Copies of the current template that are ready on a known word, and stay. */
const isReadyCopy = ({ standing, revision, isTerminating }: PodInstance): boolean =>
  standing.kind === 'known' && standing.ready && revision === 'current' && !isTerminating;

/** As many copies as wanted are ready, one by one. */
export const hasEnoughReady = ({ desired, instances }: ObservedWorkload): boolean =>
  desired !== null && desired > 0 && instances.filter(isReadyCopy).length >= desired;

/**
 * Finds the cluster's own counts that speak against copies that are ready one by one (rule 8): the status of the
 * workload counts fewer, or an endpoint of a Service does not serve. Counts follow the copies within moments, so that
 * only one that lasts means something; that is the caller's to measure. Pure.
 */
export function disagreementOf(
  workload: ObservedWorkload,
  unserved: ReadonlySet<string>,
): Disagreement | null {
  if (!hasEnoughReady(workload)) return null;
  const { desired, saidReady, instances, heldBack } = workload;
  if (saidReady !== null && desired !== null && saidReady < desired + heldBack.count) return 'controller';
  return instances.some((one) => isReadyCopy(one) && unserved.has(one.uid)) ? 'endpoints' : null;
}

/**
 * Its controller counts pods that are gone, and has made no others: it does not act. That it has not looked yet is so for
 * moments; the caller measures whether it lasts. Pure.
 */
export function isUnreplaced(workload: ObservedWorkload, records: ClusterRecords): boolean {
  const { kind, uid, desired, instances, isGone, isDeleting } = workload;
  if (isGone || isDeleting || desired === null || desired === 0) return false;
  if (kind === 'Pod' || kind === 'Job' || kind === 'CronJob') return false;
  const there = instances.filter(({ standing }) => standing.kind === 'known').length;
  const isAllKnown = there === instances.length;
  return isAllKnown && there < desired && there < (records.record(kind, uid)?.counts.total ?? 0);
}

/** Pods that a Service has as endpoints and sends nothing to. */
export function unservedPods(namespace: string, records: ClusterRecords): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { endpoints } of records.records('EndpointSlice', namespace))
    for (const { pod, serving, terminating } of endpoints)
      if (pod !== null && !serving && !terminating) found.add(pod);
  return found;
}
