import type { ReasonName } from './index.ts';

/** Words of the kubelet for a container that waits. `underWay` ones are passed through by every start that goes well. */
export const WAITING_WORDS: Readonly<
  Record<string, { readonly reason: ReasonName; readonly underWay?: true }>
> = {
  ContainerCreating: { reason: 'creating', underWay: true },
  PodInitializing: { reason: 'initialising', underWay: true },
  CrashLoopBackOff: { reason: 'crash_loop' },
  ErrImagePull: { reason: 'image_pull_failed' },
  ImagePullBackOff: { reason: 'image_pull_failed' },
  ErrImageNeverPull: { reason: 'image_not_found' },
  ImageInspectError: { reason: 'image_pull_failed' },
  InvalidImageName: { reason: 'image_invalid' },
  RegistryUnavailable: { reason: 'image_unreachable' },
  SignatureValidationFailed: { reason: 'image_not_allowed' },
  CreateContainerConfigError: { reason: 'config_missing' },
  CreateContainerError: { reason: 'start_failed' },
  RunContainerError: { reason: 'start_failed' },
  StartError: { reason: 'start_failed' },
  ContainerCannotRun: { reason: 'start_failed' },
  ErrContainerNotFound: { reason: 'start_failed' },
  VerifyNonRootError: { reason: 'admission_denied' },
  RunInitContainerError: { reason: 'init_failed' },
  PreCreateHookError: { reason: 'hook_failed' },
  PreStartHookError: { reason: 'hook_failed' },
  PostStartHookError: { reason: 'hook_failed' },
  KillContainerError: { reason: 'sandbox_failed' },
  CreatePodSandboxError: { reason: 'sandbox_failed' },
  ConfigPodSandboxError: { reason: 'sandbox_failed' },
  KillPodSandboxError: { reason: 'sandbox_failed' },
  SetupNetworkError: { reason: 'sandbox_failed' },
  TeardownNetworkError: { reason: 'sandbox_failed' },
  NetworkNotReady: { reason: 'network_not_ready' },
};

/** Words for a container that ended. `Completed` is none: it ended well. */
export const TERMINATED_WORDS: Readonly<Record<string, ReasonName>> = {
  Error: 'exited',
  OOMKilled: 'oom_killed',
  ContainerCannotRun: 'start_failed',
  StartError: 'start_failed',
  DeadlineExceeded: 'deadline_exceeded',
  Evicted: 'evicted',
  ContainerStatusUnknown: 'node_lost',
  Unknown: 'node_lost',
  ContainerDied: 'exited',
};

/** Words of `status.reason` of a pod that failed, and of its condition DisruptionTarget. */
export const POD_WORDS: Readonly<Record<string, ReasonName>> = {
  Evicted: 'evicted',
  EvictionByEvictionAPI: 'evicted',
  TerminationByKubelet: 'evicted',
  NodeShutdown: 'evicted',
  Shutdown: 'evicted',
  Terminated: 'evicted',
  Preempted: 'preempted',
  Preempting: 'preempted',
  PreemptionByScheduler: 'preempted',
  PreemptionByKubeScheduler: 'preempted',
  NodeLost: 'node_lost',
  DeletionByTaintManager: 'node_lost',
  DeletionByPodGC: 'node_lost',
  DeadlineExceeded: 'deadline_exceeded',
  OutOfcpu: 'insufficient_resources',
  OutOfmemory: 'insufficient_resources',
  OutOfpods: 'insufficient_resources',
  'OutOfephemeral-storage': 'insufficient_resources',
  UnexpectedAdmissionError: 'node_refused',
  NodeAffinity: 'node_refused',
  NodeName: 'node_refused',
  NodePorts: 'node_refused',
  NodeUnschedulable: 'node_refused',
  TopologyAffinityError: 'node_refused',
  SysctlForbidden: 'node_refused',
  AppArmor: 'node_refused',
  PodOSNotSupported: 'node_refused',
  PodOSSelectorNodeLabelDoesNotMatch: 'node_refused',
  InitContainerRestartPolicyForbidden: 'node_refused',
};

/** A word's entry; own properties only, because the word comes from outside. */
export function entryOf<T>(words: Readonly<Record<string, T>>, word: string | null): T | null {
  return word !== null && Object.hasOwn(words, word) ? (words[word] ?? null) : null;
}
