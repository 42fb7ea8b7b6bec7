import { entryOf } from './container-words.ts';
import type { ReasonName } from './index.ts';
import { reasonOfMessage, reasonOfPull } from './message-words.ts';

/** Reasons of warnings. An event explains an object that is not ready, and makes none worse (F72). */
const EVENT_WORDS: Readonly<Record<string, ReasonName>> = {
  FailedScheduling: 'unschedulable',
  NotTriggerScaleUp: 'unschedulable',
  Preempted: 'preempted',
  Preempting: 'preempted',
  Evicted: 'evicted',
  EvictionThresholdMet: 'node_pressure',
  TaintManagerEviction: 'evicted',
  NodeNotReady: 'node_lost',
  FailedMount: 'volume_failed',
  FailedMapVolume: 'volume_failed',
  FailedAttachVolume: 'volume_failed',
  FailedBinding: 'volume_provisioning_failed',
  ProvisioningFailed: 'volume_provisioning_failed',
  WaitForFirstConsumer: 'volume_waits',
  WaitForPodScheduled: 'volume_waits',
  VolumeResizeFailed: 'volume_resize_failed',
  FileSystemResizeFailed: 'volume_resize_failed',
  VolumeMismatch: 'volume_provisioning_failed',
  FailedCreatePodSandBox: 'sandbox_failed',
  FailedPodSandBoxStatus: 'sandbox_failed',
  SandboxChanged: 'sandbox_failed',
  NetworkNotReady: 'network_not_ready',
  ErrImageNeverPull: 'image_not_found',
  InspectFailed: 'image_pull_failed',
  FailedPostStartHook: 'hook_failed',
  FailedPreStopHook: 'hook_failed',
  FailedKillPod: 'sandbox_failed',
  Unhealthy: 'probe_failed',
  FailedCreate: 'create_failed',
  ReplicaSetCreateError: 'create_failed',
  FailedDelete: 'delete_failed',
  BackoffLimitExceeded: 'backoff_limit',
  DeadlineExceeded: 'deadline_exceeded',
  UnparseableSchedule: 'schedule_invalid',
  InvalidSchedule: 'schedule_invalid',
  UnknownTimeZone: 'schedule_invalid',
  TooManyMissedTimes: 'schedule_missed',
  MissSchedule: 'schedule_missed',
  FailedGetScale: 'cannot_scale',
  FailedRescale: 'cannot_scale',
  FailedUpdateStatus: 'cannot_scale',
  SelectorRequired: 'cannot_scale',
  InvalidSelector: 'cannot_scale',
  FailedComputeMetricsReplicas: 'metrics_missing',
  FailedGetResourceMetric: 'metrics_missing',
  FailedGetContainerResourceMetric: 'metrics_missing',
  FailedGetPodsMetric: 'metrics_missing',
  FailedGetObjectMetric: 'metrics_missing',
  FailedGetExternalMetric: 'metrics_missing',
  NoPods: 'budget_unmet',
  NoControllers: 'budget_sync_failed',
  CalculateExpectedPodCountFailed: 'budget_sync_failed',
  SyncLoadBalancerFailed: 'load_balancer_failed',
  CreatingLoadBalancerFailed: 'load_balancer_failed',
  UpdateLoadBalancerFailed: 'load_balancer_failed',
  UnAvailableLoadBalancer: 'load_balancer_failed',
  AllocationFailed: 'no_address',
};

/** The reason of a warning; null where neither its word nor its message is in the catalogue. */
export function reasonOfEvent(word: string | null, message: string | null): ReasonName | null {
  if (word === 'Failed' || word === 'BackOff') return pullReason(message);
  return reasonOfMessage(message) ?? entryOf(EVENT_WORDS, word);
}

/**
 * Kubelets of before 1.35 say why an image cannot be pulled for a moment only, and then that they wait; their warning
 * about the pull says it all the while.
 */
export const isCauseOfPull = (reason: ReasonName): boolean =>
  reason.startsWith('image_') && reason !== 'image_pull_failed';

/** The kubelet says `Failed` and `BackOff` of images and of containers; only the message tells them apart. */
function pullReason(message: string | null): ReasonName | null {
  if (message === null || !/pull/i.test(message)) return reasonOfMessage(message);
  return reasonOfPull(message) ?? 'image_pull_failed';
}
