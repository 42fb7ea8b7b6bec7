import { RUNTIME_REASONS, type RuntimeReason } from '../../contract/vocabulary.ts';
import type { PodRecord } from '../cache/pod.ts';
import { entryOf, POD_WORDS, TERMINATED_WORDS, WAITING_WORDS } from '../verdict/reasons/container-words.ts';
import type { ReasonName } from '../verdict/reasons/index.ts';

type ContainerRecord = PodRecord['containers'][number];

/** Why a pod is not ready, and the container that it is about, where it is about one. */
interface PodTrouble {
  readonly reason: string;
  readonly container: string | null;
}

const ofPod = (reason: string): PodTrouble => ({ reason, container: null });

export const podReason = (pod: PodRecord): string | null => podTrouble(pod)?.reason ?? null;

/**
 * In words of the model; null where nothing says why. A word of the cluster that is not in the catalogue is passed on as
 * it is, unrecognised (F81). Pure.
 */
export function podTrouble(pod: PodRecord): PodTrouble | null {
  if (pod.reason !== null) return ofPod(runtimeReason(entryOf(POD_WORDS, pod.reason)) ?? pod.reason);
  const scheduled = pod.conditions.find(({ type }) => type === 'PodScheduled');
  if (pod.node === null && scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return ofPod(runtimeReason(scheduled.said) ?? 'unschedulable');
  if (pod.node === null && scheduled?.status === 'False' && scheduled.reason === 'SchedulingGated')
    return ofPod('scheduling_gated');
  for (const kind of ['init', 'sidecar', 'main'] as const)
    for (const container of pod.containers) {
      if (container.kind !== kind) continue;
      const reason = containerReason(container);
      if (reason !== null)
        return { reason: kind === 'main' ? reason : ofHelper(kind, reason), container: container.name };
    }
  const ready = pod.conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'False' && ready.reason === 'ReadinessGatesNotReady'
    ? ofPod('readiness_gate')
    : null;
}

/** The code with which the app ended, where that is why its pod is not ready; a helper's code is not the app's. */
export function appExitCode({ containers }: PodRecord): number | null {
  const ended = containers.find((one) => one.kind === 'main' && isOfExit(containerReason(one)));
  if (ended === undefined) return null;
  const { state, lastEnd } = ended;
  return (state.kind === 'terminated' ? state : lastEnd)?.exitCode ?? null;
}

const isOfExit = (reason: string | null) => reason === 'exited' || reason === 'crash_loop';

function containerReason({ state, kind, lastEnd }: ContainerRecord): string | null {
  if (state.kind === 'waiting') {
    const { reason: word, pull, said } = state;
    if (word === null || word === '' || word === 'Completed') return null;
    const entry = entryOf(WAITING_WORDS, word);
    if (entry === null) return word;
    if (entry.underWay) return null;
    if (entry.reason === 'image_pull_failed') return runtimeReason(pull ?? entry.reason);
    if (entry.reason === 'config_missing' || entry.reason === 'start_failed')
      return runtimeReason(said) ?? runtimeReason(entry.reason);
    // A loop of an app that runs out of memory is about memory, and one whose command cannot run never started.
    const ended = entry.reason === 'crash_loop' ? entryOf(TERMINATED_WORDS, lastEnd?.reason ?? null) : null;
    if (ended === 'oom_killed' || ended === 'start_failed') return ended;
    return runtimeReason(entry.reason) ?? word;
  }
  if (state.kind !== 'terminated') return null;
  const { reason: word, exitCode, signal } = state;
  // An init container that is done has ended well.
  if (kind === 'init' && exitCode === 0) return null;
  const listed = word === null || word === 'Completed' ? 'exited' : entryOf(TERMINATED_WORDS, word);
  if (listed === null) return word;
  return listed === 'exited' && (signal ?? 0) > 0 ? 'signalled' : runtimeReason(listed);
}

/** An image that cannot be pulled is the same trouble in a helper; everything else is the helper's failure. */
function ofHelper(kind: 'init' | 'sidecar', reason: string): string {
  if (reason.startsWith('image_') || reason === 'config_missing') return reason;
  return kind === 'init' ? 'init_failed' : 'sidecar_failed';
}

/** Reasons of verdicts that have a wider one among those that agents report. */
const WIDER: { readonly [R in ReasonName]?: RuntimeReason } = {
  image_not_allowed: 'admission_denied',
  node_refused: 'admission_denied',
  hook_failed: 'start_failed',
  network_not_ready: 'sandbox_failed',
};

const REPORTED: ReadonlySet<string> = new Set(RUNTIME_REASONS);

/** The reason as an agent reports it; null where the catalogue of the model has none. */
export function runtimeReason(reason: ReasonName | null): RuntimeReason | null {
  if (reason === null) return null;
  return REPORTED.has(reason) ? (reason as RuntimeReason) : (WIDER[reason] ?? null);
}
