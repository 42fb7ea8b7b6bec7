import type { RuntimeReason } from '../../contract/vocabulary.ts';
import { isRuntimeReason } from '../../projection/runtime-reasons.ts';
import type { PodRecord } from '../cache/pod.ts';
import type { JobRecord } from '../cache/workloads.ts';
import { hasPodEnded } from '../observe/left-behind.ts';
import type { ClusterRecords } from '../observe/records.ts';
import { type Warnings, warnedReason } from '../observe/warnings.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import { podReason, runtimeReason } from './pod-reason.ts';

/** A cluster may need this long to fetch an image or to make room: until then a run that waits is no trouble. */
const PATIENCE_MS = 60_000;

interface RunSources {
  readonly records: ClusterRecords;
  readonly warnings: Warnings;
  readonly now: number;
}

/**
 * The reason why a run of a CronJob does not get on: its node is silent, or its pod cannot start or be created.
 * The first of `runs` that has trouble says it. Exits are none: the Job itself counts those, and gives up. Pure.
 */
export function runTrouble(
  workload: ObservedWorkload,
  runs: readonly JobRecord[],
  sources: RunSources,
): RuntimeReason | null {
  for (const run of runs) {
    const trouble = troubleOf(run, workload, sources);
    if (trouble !== null) return trouble;
  }
  return null;
}

function troubleOf(
  run: JobRecord,
  { instances }: ObservedWorkload,
  sources: RunSources,
): RuntimeReason | null {
  const { records, warnings, now } = sources;
  const all = instances.filter(({ template }) => template === run.uid);
  if (all.length === 0) return isLate(run, now) ? runtimeReason(warnedReason(run.uid, warnings, now)) : null;
  const live = all.flatMap(({ uid, standing }) => {
    const pod = records.record('Pod', uid);
    return pod !== null && !hasPodEnded(pod) ? [{ pod, isKnown: standing.kind === 'known' }] : [];
  });
  // A copy that works is enough: the others may wait for their turn.
  if (live.some(({ pod, isKnown }) => isKnown && pod.phase === 'Running')) return null;
  if (live.some(({ isKnown }) => !isKnown)) return 'node_lost';
  for (const { pod } of live) {
    const reason = isLate(pod, now) ? waitsFor(pod, sources) : null;
    if (reason !== null) return reason;
  }
  return null;
}

function waitsFor(pod: PodRecord, { warnings, now }: RunSources): RuntimeReason | null {
  const own = podReason(pod);
  const reason =
    own !== null && isRuntimeReason(own) ? own : runtimeReason(warnedReason(pod.uid, warnings, now));
  return reason === 'init_failed' ? null : reason;
}

const isLate = ({ createdAt }: Pick<PodRecord, 'createdAt'>, now: number): boolean =>
  now - Date.parse(createdAt ?? '') >= PATIENCE_MS;
