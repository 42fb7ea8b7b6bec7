import type { RuntimeReason } from '../../contract/vocabulary.ts';
import type { ClusterRecords } from '../observe/records.ts';
import type { ObservedWorkload } from '../observe/workload.ts';

/** The reason why copies of the newest template are missing that nothing refuses: a rollout waits for a person. Pure. */
export function waitingReason(workload: ObservedWorkload, records: ClusterRecords): RuntimeReason | null {
  if (workload.isGone || workload.isDeleting) return null;
  if (workload.kind === 'Deployment') return isPausedMidway(workload, records) ? 'rollout_paused' : null;
  return workload.kind === 'StatefulSet' && isOlderInTheWay(workload) ? 'older_in_the_way' : null;
}

/** Paused before its first copy of the new template, a change waits; after the last one nothing does. */
function isPausedMidway({ uid }: ObservedWorkload, records: ClusterRecords): boolean {
  const deployment = records.record('Deployment', uid);
  if (!deployment?.isPaused || (deployment.observedGeneration ?? -1) < deployment.generation) return false;
  const { total, updated } = deployment.counts;
  return updated > 0 && updated < total;
}

/**
 * Its controller replaces copies one by one, each once all are ready: every newer copy is, and an older one is not. While
 * a copy is on its way out it is at work.
 */
function isOlderInTheWay({ instances, heldBack }: ObservedWorkload): boolean {
  if (heldBack.count > 0 || instances.some(({ isTerminating }) => isTerminating)) return false;
  const isKnown = instances.every(({ standing }) => standing.kind === 'known');
  const unready = instances.filter(({ standing }) => standing.kind === 'known' && !standing.ready);
  return isKnown && unready.length > 0 && unready.every(({ revision }) => revision === 'superseded');
}
