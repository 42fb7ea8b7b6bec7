import type { RuntimeReason } from '../../contract/vocabulary.ts';
import type { PodRecord } from '../cache/pod.ts';

/** Words of the kubelet for a container that waits or has ended. What is not here is passed on as it is, unrecognised. */
const CONTAINER_REASONS: Readonly<Record<string, RuntimeReason>> = {
  CrashLoopBackOff: 'crash_loop',
  ImagePullBackOff: 'image_not_found',
  ErrImagePull: 'image_not_found',
  ErrImageNeverPull: 'image_not_found',
  InvalidImageName: 'image_not_found',
  ImageInspectError: 'image_unreachable',
  RegistryUnavailable: 'image_unreachable',
  CreateContainerConfigError: 'config_missing',
  CreateContainerError: 'config_missing',
  RunContainerError: 'config_missing',
  OOMKilled: 'oom_killed',
  Error: 'exited',
  ContainerCannotRun: 'exited',
  StartError: 'exited',
  DeadlineExceeded: 'deadline_exceeded',
};

/** Waiting that is the ordinary way of a start. */
const ORDINARY = new Set(['ContainerCreating', 'PodInitializing', 'Completed']);

const POD_REASONS: Readonly<Record<string, RuntimeReason>> = {
  Evicted: 'evicted',
  Preempting: 'preempted',
  Preempted: 'preempted',
  NodeLost: 'node_lost',
  DeadlineExceeded: 'deadline_exceeded',
  NodeShutdown: 'evicted',
  Terminated: 'evicted',
  UnexpectedAdmissionError: 'admission_denied',
  NodeAffinity: 'unschedulable',
  OutOfcpu: 'insufficient_resources',
  OutOfmemory: 'insufficient_resources',
  OutOfpods: 'insufficient_resources',
};

/** Why a pod is not ready, in words of the model; null where nothing says why. Pure. */
export function podReason(pod: PodRecord): string | null {
  if (pod.reason !== null) return POD_REASONS[pod.reason] ?? pod.reason;
  const scheduled = pod.conditions.find(({ type }) => type === 'PodScheduled');
  if (pod.node === null && scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return 'unschedulable';
  for (const kind of ['init', 'sidecar', 'main'] as const)
    for (const container of pod.containers) {
      if (container.kind !== kind) continue;
      const reason = endedReason(container);
      if (reason !== null) return kind === 'main' ? reason : ofHelper(kind, reason);
    }
  return null;
}

function endedReason({ state, kind, lastEnd }: PodRecord['containers'][number]): string | null {
  if (state.kind === 'waiting') {
    const { reason } = state;
    if (reason === null || ORDINARY.has(reason)) return null;
    // A pull is refused or unreachable in its message alone, which is free text: the reason says no more than this.
    if (reason === 'CrashLoopBackOff' && lastEnd?.reason === 'OOMKilled') return 'oom_killed';
    return CONTAINER_REASONS[reason] ?? reason;
  }
  if (state.kind !== 'terminated') return null;
  // An init container that is done has ended well.
  if (kind === 'init' && state.exitCode === 0) return null;
  if (state.signal !== null && state.signal > 0) return 'signalled';
  return state.reason === null || ORDINARY.has(state.reason)
    ? 'exited'
    : (CONTAINER_REASONS[state.reason] ?? state.reason);
}

/** An image that cannot be pulled is the same trouble in a helper; everything else is the helper's failure. */
function ofHelper(kind: 'init' | 'sidecar', reason: string): string {
  if (reason.startsWith('image_') || reason === 'config_missing') return reason;
  return kind === 'init' ? 'init_failed' : 'sidecar_failed';
}
