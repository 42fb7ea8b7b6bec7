import { describe, expect, it } from 'vitest';
import { judgeObject } from '../judge-object.ts';
import { NO_OBJECTS } from '../objects.ts';
import { READY_OBJECTS } from '../ready-objects.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');

/** Changes of a ready object: a path and its new value; undefined removes the field. */
type Changes = Readonly<Record<string, unknown>>;

const GONE = undefined;
const condition = (type: string, status: string, reason?: string, message?: string) => ({
  type,
  status,
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

const TAKEN = [condition('Accepted', 'True'), condition('ResolvedRefs', 'True')];

function changed(kind: keyof typeof READY_OBJECTS, changes: Changes): unknown {
  const object = structuredClone(READY_OBJECTS[kind]) as Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let at = object;
    for (const key of keys) {
      at[key] ??= {};
      at = at[key] as Record<string, unknown>;
    }
    if (value === GONE) delete at[last];
    else at[last] = value;
  }
  return object;
}

const verdictOn = (object: unknown) => {
  const { verdict, reason } = judgeObject(object, NO_OBJECTS, NOW);
  return reason === null ? verdict : `${verdict} ${reason}`;
};

const CASES: Readonly<Record<keyof typeof READY_OBJECTS, readonly (readonly [string, Changes, string])[]>> = {
  Deployment: [
    ['is ready', {}, 'ready'],
    ['has no status', { status: GONE }, 'progressing generation_behind'],
    [
      'was not observed since its change',
      { 'status.observedGeneration': 1 },
      'progressing generation_behind',
    ],
    ['has no generation, as an export without one', { 'metadata.generation': GONE }, 'ready'],
    ['was observed after its newest change', { 'metadata.generation': 1 }, 'unknown contradictory'],
    ['was never observed', { 'status.observedGeneration': GONE }, 'progressing generation_behind'],
    ['is paused', { 'spec.paused': true }, 'suspended paused'],
    [
      'is paused, and has too few copies for its service by its own condition',
      {
        'spec.paused': true,
        'status.readyReplicas': 0,
        'status.conditions': [condition('Available', 'False', 'MinimumReplicasUnavailable')],
      },
      'degraded not_available',
    ],
    [
      'was created paused',
      {
        'spec.paused': true,
        status: {
          observedGeneration: 2,
          conditions: [condition('Available', 'False', 'MinimumReplicasUnavailable')],
        },
      },
      'suspended paused',
    ],
    [
      'is scaled to zero (F76)',
      { 'spec.replicas': 0, status: { observedGeneration: 2 } },
      'stopped scaled_to_zero',
    ],
    ['is scaled to zero, and copies remain', { 'spec.replicas': 0 }, 'progressing scaling'],
    [
      'is scaled to zero, and its counts are not of one moment',
      { 'spec.replicas': 0, 'status.updatedReplicas': 0 },
      'progressing scaling',
    ],
    ['rolls out', { 'status.updatedReplicas': 1 }, 'progressing updating'],
    ['has old copies left', { 'status.replicas': 3 }, 'progressing updating'],
    ['has a ready copy that must hold a while', { 'status.availableReplicas': 1 }, 'progressing settling'],
    ['lacks a ready copy', { 'status.readyReplicas': GONE }, 'progressing not_available'],
    ['counts one as unavailable', { 'status.unavailableReplicas': 1 }, 'progressing not_available'],
    [
      'counts more than it has',
      { 'status.readyReplicas': 5, 'status.availableReplicas': 5 },
      'unknown contradictory',
    ],
    ['has no conditions', { 'status.conditions': GONE }, 'progressing not_available'],
    [
      'is not available by its condition',
      { 'status.conditions': [condition('Available', 'False', 'MinimumReplicasUnavailable')] },
      'progressing not_available',
    ],
    [
      'has not ended its rollout, and no deadline',
      {
        'spec.progressDeadlineSeconds': GONE,
        'status.conditions': [condition('Available', 'True'), condition('Progressing', 'False', 'Other')],
      },
      'progressing updating',
    ],
    [
      'has not ended its rollout by its condition',
      {
        'status.conditions': [
          condition('Available', 'True'),
          condition('Progressing', 'True', 'ReplicaSetUpdated'),
        ],
      },
      'progressing updating',
    ],
    [
      'has passed its deadline, though the old version serves',
      {
        'status.conditions': [
          condition('Available', 'True'),
          condition('Progressing', 'False', 'ProgressDeadlineExceeded'),
        ],
      },
      'degraded progress_deadline',
    ],
    [
      'has passed its deadline, and lacks copies',
      {
        'status.readyReplicas': 1,
        'status.availableReplicas': 1,
        'status.conditions': [
          condition('Available', 'True'),
          condition('Progressing', 'False', 'ProgressDeadlineExceeded'),
        ],
      },
      'failed progress_deadline',
    ],
    [
      'has passed its deadline, and says why',
      {
        'status.readyReplicas': 0,
        'status.availableReplicas': 0,
        'status.conditions': [
          condition('Available', 'False'),
          condition('Progressing', 'False', 'ProgressDeadlineExceeded'),
          condition('ReplicaFailure', 'True', 'FailedCreate', 'pods "web" is forbidden: exceeded quota: q'),
        ],
      },
      'failed quota_exceeded',
    ],
    [
      'cannot create pods over its quota',
      {
        status: {
          observedGeneration: 2,
          conditions: [
            condition('ReplicaFailure', 'True', 'FailedCreate', 'pods "a" is forbidden: exceeded quota: q'),
          ],
        },
      },
      'failed quota_exceeded',
    ],
    ['has text for a count', { 'spec.replicas': '2' }, 'unknown unreadable'],
    ['has null for a count', { 'status.readyReplicas': null }, 'unknown unreadable'],
    ['has a list for a status', { status: [] }, 'unknown unreadable'],
    [
      'is being deleted',
      { 'metadata.deletionTimestamp': '2026-11-17T11:59:59Z' },
      'progressing being_deleted',
    ],
  ],
  StatefulSet: [
    ['is ready', {}, 'ready'],
    ['writes no count of updated copies, with one revision', { 'status.updatedReplicas': GONE }, 'ready'],
    ['lacks a copy', { 'status.replicas': 1 }, 'progressing scaling'],
    ['lacks a ready copy', { 'status.readyReplicas': 1 }, 'progressing not_available'],
    ['has ready copies that must hold a while', { 'status.availableReplicas': 0 }, 'progressing settling'],
    ['rolls out', { 'status.updateRevision': 'db-2', 'status.updatedReplicas': 1 }, 'progressing updating'],
    ['has all updated and not settled', { 'status.updateRevision': 'db-2' }, 'progressing updating'],
    [
      'holds back copies by a partition',
      {
        'spec.updateStrategy.rollingUpdate.partition': 1,
        'status.updateRevision': 'db-2',
        'status.updatedReplicas': 1,
        'status.currentReplicas': 1,
      },
      'ready',
    ],
    [
      'waits for somebody to delete copies',
      {
        'spec.updateStrategy': { type: 'OnDelete' },
        'status.updateRevision': 'db-2',
        'status.updatedReplicas': 0,
      },
      'suspended update_on_delete',
    ],
    [
      'is scaled to zero',
      { 'spec.replicas': 0, status: { observedGeneration: 2, replicas: 0 } },
      'stopped scaled_to_zero',
    ],
  ],
  DaemonSet: [
    ['is ready', {}, 'ready'],
    ['does not say how many it wants', { 'status.desiredNumberScheduled': GONE }, 'progressing not_observed'],
    [
      'selects no node',
      { status: { observedGeneration: 2, desiredNumberScheduled: 0 } },
      'stopped no_node_selected',
    ],
    [
      'selects no node, and one has a pod of it',
      { status: { observedGeneration: 2, desiredNumberScheduled: 0, numberMisscheduled: 1 } },
      'progressing scaling',
    ],
    ['is on all its nodes and on one too many', { 'status.numberMisscheduled': 1 }, 'ready'],
    ['lacks a node', { 'status.currentNumberScheduled': 2 }, 'progressing scaling'],
    ['rolls out', { 'status.updatedNumberScheduled': 2 }, 'progressing updating'],
    ['lacks a ready node', { 'status.numberReady': 2 }, 'progressing not_available'],
    ['has a ready node that must hold a while', { 'status.numberAvailable': 2 }, 'progressing settling'],
    [
      'waits for somebody to delete copies',
      { 'spec.updateStrategy.type': 'OnDelete', 'status.updatedNumberScheduled': 0 },
      'suspended update_on_delete',
    ],
  ],
  ReplicaSet: [
    ['is ready', {}, 'ready'],
    [
      'is an old one',
      { 'spec.replicas': 0, status: { observedGeneration: 2, replicas: 0 } },
      'stopped scaled_to_zero',
    ],
    ['has too many', { 'status.replicas': 3 }, 'progressing scaling'],
    ['has a ready copy that must hold a while', { 'status.availableReplicas': 1 }, 'progressing settling'],
    [
      'is refused more copies',
      {
        'status.conditions': [
          condition('ReplicaFailure', 'True', 'FailedCreate', 'admission webhook "x" denied the request'),
        ],
      },
      'degraded admission_denied',
    ],
  ],
  Pod: [
    [
      'is refused another size, as it was said before 1.33',
      { 'status.resize': 'Infeasible' },
      'degraded resize_refused',
    ],
    [
      'waits for another size, as it was said before 1.33',
      { 'status.resize': 'Deferred' },
      'progressing resize_pending',
    ],
    [
      'has a device that is unhealthy',
      {
        'status.containerStatuses': [
          {
            ...{ name: 'web', ready: true, started: true, restartCount: 0, state: { running: {} } },
            allocatedResourcesStatus: [
              { name: 'example.com/gpu', resources: [{ resourceID: 'gpu-0', health: 'Unhealthy' }] },
            ],
          },
        ],
      },
      'degraded impaired',
    ],
    [
      'is ready without a sandbox',
      {
        'status.conditions': [condition('Ready', 'True'), condition('PodReadyToStartContainers', 'False')],
      },
      'unknown contradictory',
    ],
    [
      'says that it is ready, and an init container still runs',
      {
        'spec.initContainers': [{ name: 'i' }],
        'status.initContainerStatuses': [
          { name: 'i', ready: false, restartCount: 0, state: { running: {} } },
        ],
      },
      'unknown contradictory',
    ],
    [
      'says that it is ready, and nothing of its sidecar',
      {
        'spec.initContainers': [{ name: 's', restartPolicy: 'Always' }],
        'status.initContainerStatuses': [],
      },
      'unknown contradictory',
    ],
    [
      'says that it is ready, and has not passed its startup probe',
      {
        'status.containerStatuses': [
          { name: 'web', ready: true, started: false, restartCount: 0, state: { running: {} } },
        ],
      },
      'unknown contradictory',
    ],
    [
      'says that it is ready, and that it was evicted',
      { 'status.reason': 'Evicted' },
      'unknown contradictory',
    ],
    ['is ready', {}, 'ready'],
    ['has no status', { status: GONE }, 'progressing not_observed'],
    [
      'has only a phase and a condition',
      { spec: GONE, status: { phase: 'Running', conditions: [condition('Ready', 'True')] } },
      'ready',
    ],
    ['has a phase that does not exist', { 'status.phase': 'Dreaming' }, 'unknown unrecognised:Dreaming'],
    ['is on a lost node', { 'status.phase': 'Unknown' }, 'unknown node_lost'],
    ['has no condition Ready', { 'status.conditions': [] }, 'progressing not_ready'],
    [
      'is ready by its condition and not by its container',
      { 'status.containerStatuses': [{ name: 'web', ready: false }] },
      'unknown contradictory',
    ],
    ['says nothing of a container', { 'status.containerStatuses': [] }, 'unknown contradictory'],
    [
      'was declared not ready for its silent node',
      { 'status.conditions': [condition('Ready', 'False'), condition('ContainersReady', 'True')] },
      'unknown node_lost',
    ],
    [
      'waits for a readiness gate',
      {
        'spec.readinessGates': [{ conditionType: 'lb' }],
        'status.conditions': [
          condition('Ready', 'False', 'ReadinessGatesNotReady'),
          condition('ContainersReady', 'True'),
        ],
      },
      'progressing readiness_gate',
    ],
    [
      'ended well',
      {
        'status.phase': 'Succeeded',
        'status.containerStatuses': [{ name: 'web', state: { terminated: { exitCode: 0 } } }],
      },
      'ready',
    ],
    [
      'ended well, and its container did not',
      {
        'status.phase': 'Succeeded',
        'status.containerStatuses': [{ name: 'web', state: { terminated: { exitCode: 1 } } }],
      },
      'unknown contradictory',
    ],
    [
      'failed',
      {
        'status.phase': 'Failed',
        'status.containerStatuses': [
          { name: 'web', state: { terminated: { exitCode: 1, reason: 'Error' } } },
        ],
      },
      'failed exited',
    ],
    [
      'failed in its init container (F75)',
      {
        'status.phase': 'Failed',
        'status.initContainerStatuses': [
          { name: 'init', state: { terminated: { exitCode: 1, reason: 'Error' } } },
        ],
      },
      'failed init_failed',
    ],
    ['was evicted', { 'status.phase': 'Failed', 'status.reason': 'Evicted' }, 'failed evicted'],
    [
      'failed for a reason that is not listed',
      { 'status.phase': 'Failed', 'status.reason': 'Bored' },
      'failed unrecognised:Bored',
    ],
    ['runs to its end', { 'spec.restartPolicy': 'Never' }, 'progressing running_to_end'],
    ['crashes', waiting('CrashLoopBackOff'), 'failed crash_loop'],
    [
      'cannot run its command',
      waiting('CrashLoopBackOff', null, {
        lastState: { terminated: { exitCode: 128, reason: 'StartError' } },
      }),
      'failed start_failed',
    ],
    [
      'was changed after its kubelet last looked',
      { 'metadata.generation': 3, 'status.observedGeneration': 2 },
      'progressing generation_behind',
    ],
    [
      'was observed after its newest change',
      { 'metadata.generation': 2, 'status.observedGeneration': 3 },
      'unknown contradictory',
    ],
    ['is observed by its kubelet', { 'status.observedGeneration': 2 }, 'ready'],
    [
      'wants a size that its node never has',
      ready('PodResizePending', 'Infeasible'),
      'degraded resize_refused',
    ],
    ['waits for room to grow', ready('PodResizePending', 'Deferred'), 'progressing resize_pending'],
    ['is being resized', ready('PodResizeInProgress'), 'progressing resize_pending'],
    ['fails to be resized', ready('PodResizeInProgress', 'Error'), 'degraded resize_refused'],
    ['is to be moved away', ready('DisruptionTarget', 'PreemptionByScheduler'), 'progressing disrupted'],
    [
      'is ready by one condition and not by another',
      { 'status.conditions': [condition('Ready', 'True'), condition('Ready', 'False')] },
      'unknown contradictory',
    ],
    [
      'crashes for lack of memory',
      waiting('CrashLoopBackOff', null, {
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
      }),
      'failed oom_killed',
    ],
    [
      'lacks its image',
      waiting(
        'ImagePullBackOff',
        'Back-off pulling image "x": ErrImagePull: failed to resolve reference "x": not found',
      ),
      'failed image_not_found',
    ],
    [
      'may not pull its image',
      waiting('ErrImagePull', 'pull access denied, repository does not exist or may require authorization'),
      'failed image_denied',
    ],
    [
      'cannot reach the registry',
      waiting('ErrImagePull', 'dial tcp: lookup registry.local: no such host'),
      'failed image_unreachable',
    ],
    ['cannot pull, without a word why', waiting('ImagePullBackOff'), 'failed image_pull_failed'],
    [
      'lacks its configuration',
      waiting('CreateContainerConfigError', 'secret "a" not found'),
      'failed config_missing',
    ],
    ['waits for a reason that is not listed (F81)', waiting('Meditating'), 'unknown unrecognised:Meditating'],
    ['is created', { ...waiting('ContainerCreating'), 'status.phase': 'Pending' }, 'progressing creating'],
    [
      'cannot be scheduled',
      {
        status: {
          phase: 'Pending',
          conditions: [condition('PodScheduled', 'False', 'Unschedulable', 'no nodes available')],
        },
      },
      'progressing unschedulable',
    ],
    [
      'asks for labels that no node has',
      {
        status: {
          phase: 'Pending',
          conditions: [
            condition(
              'PodScheduled',
              'False',
              'Unschedulable',
              "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint.",
            ),
          ],
        },
      },
      'progressing no_matching_node',
    ],
    [
      'finds no room',
      {
        status: {
          phase: 'Pending',
          conditions: [condition('PodScheduled', 'False', 'Unschedulable', '0/3 nodes: 3 Insufficient cpu.')],
        },
      },
      'progressing insufficient_resources',
    ],
    [
      'restarted and is not ready',
      {
        'status.conditions': [condition('Ready', 'False', 'ContainersNotReady')],
        'status.containerStatuses': [
          {
            name: 'web',
            ready: false,
            restartCount: 1,
            state: { running: {} },
            lastState: { terminated: { exitCode: 1, reason: 'Error' } },
          },
        ],
      },
      'degraded restarted',
    ],
    [
      'has a sidecar that crashes (F75)',
      {
        'spec.initContainers': [{ name: 'proxy', restartPolicy: 'Always' }],
        'status.initContainerStatuses': [
          { name: 'proxy', ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } },
        ],
      },
      'failed sidecar_failed',
    ],
    [
      'has an ephemeral container that fails (F75)',
      { 'status.ephemeralContainerStatuses': [{ name: 'debug', state: { terminated: { exitCode: 1 } } }] },
      'ready',
    ],
    [
      'is being deleted and still ready',
      { 'metadata.deletionTimestamp': '2026-11-17T11:59:59Z' },
      'progressing terminating',
    ],
    [
      'is held by a finalizer',
      { 'metadata.deletionTimestamp': '2026-11-17T10:00:00Z', 'metadata.finalizers': ['x.io/y'] },
      'progressing deletion_blocked',
    ],
  ],
  Job: [
    [
      'is complete, and names indexes that failed',
      { 'status.failedIndexes': '1,3' },
      'unknown contradictory',
    ],
    [
      'is complete, with fewer successes than it asks for',
      { 'spec.completions': 3 },
      'unknown contradictory',
    ],
    [
      'is complete by its own policy',
      { 'spec.completions': 3, 'spec.successPolicy': { rules: [{ succeededCount: 1 }] } },
      'ready',
    ],
    ['is complete', {}, 'ready'],
    ['has not begun', { status: {} }, 'progressing job_waiting'],
    ['is at work', { status: { startTime: 'x', active: 1 } }, 'progressing job_running'],
    ['is suspended', { 'spec.suspend': true, status: {} }, 'suspended runs_suspended'],
    ['is complete and suspended', { 'spec.suspend': true }, 'ready'],
    ['is being suspended', { 'spec.suspend': true, status: { active: 1 } }, 'progressing job_suspending'],
    [
      'failed',
      { 'status.conditions': [condition('Failed', 'True', 'BackoffLimitExceeded')] },
      'failed backoff_limit',
    ],
    [
      'took too long',
      { 'status.conditions': [condition('Failed', 'True', 'DeadlineExceeded')] },
      'failed deadline_exceeded',
    ],
    [
      'failed and is complete',
      { 'status.conditions': [condition('Failed', 'True'), condition('Complete', 'True')] },
      'unknown contradictory',
    ],
  ],
  CronJob: [
    ['ran well', {}, 'ready'],
    ['never ran', { status: {} }, 'progressing job_waiting'],
    [
      'never ran, though its time came often',
      { 'spec.schedule': '* * * * *', 'metadata.creationTimestamp': '2020-01-01T00:00:00Z', status: {} },
      'unknown never_ran',
    ],
    [
      'never ran, and its time has not come',
      { 'spec.schedule': '0 4 1 1 *', 'metadata.creationTimestamp': '2026-01-02T00:00:00Z', status: {} },
      'progressing job_waiting',
    ],
    ['was not observed', { status: GONE }, 'progressing not_observed'],
    ['is suspended', { 'spec.suspend': true }, 'suspended runs_suspended'],
    [
      'runs again',
      { 'status.active': [{ name: 'a' }], 'status.lastScheduleTime': '2026-11-17T11:05:00Z' },
      'ready',
    ],
    [
      'runs for the first time',
      { status: { active: [{ name: 'a' }], lastScheduleTime: '2026-11-17T11:30:00Z' } },
      'progressing job_running',
    ],
    [
      'runs again, and has not succeeded for long',
      { 'status.active': [{ name: 'a' }], 'status.lastScheduleTime': '2026-11-17T15:30:00Z' },
      'progressing job_running',
    ],
    [
      'did not succeed last time',
      { 'status.lastScheduleTime': '2026-11-17T11:30:00Z' },
      'degraded last_run_failed',
    ],
    ['never succeeded', { 'status.lastSuccessfulTime': GONE }, 'degraded last_run_failed'],
    ['has no schedule', { 'spec.schedule': GONE }, 'unknown schedule_invalid'],
    ['has a time zone of nowhere', { 'spec.timeZone': 'Mars/Base' }, 'failed schedule_invalid'],
    ['has an offset for a time zone', { 'spec.timeZone': '+01:00' }, 'failed schedule_invalid'],
    ['has a time zone', { 'spec.timeZone': 'Europe/Berlin' }, 'ready'],
    ['has a day that never comes', { 'spec.schedule': '0 0 31 2 *' }, 'failed schedule_invalid'],
    ['has no such hour', { 'spec.schedule': '0 24 * * *' }, 'failed schedule_invalid'],
    ['has words for a schedule', { 'spec.schedule': 'every day' }, 'failed schedule_invalid'],
    ['has no such macro', { 'spec.schedule': '@fortnightly' }, 'failed schedule_invalid'],
    ['has a span for a schedule', { 'spec.schedule': '@every 1h30m' }, 'ready'],
    ['has a time zone in its schedule', { 'spec.schedule': 'TZ=UTC */5 * * * *' }, 'ready'],
    [
      'ran well, and not for days (F70)',
      {
        'status.lastScheduleTime': '2026-10-30T11:00:00Z',
        'status.lastSuccessfulTime': '2026-10-30T11:00:09Z',
      },
      'unknown schedule_missed',
    ],
    [
      'ran well, and not for days, with a run beside it',
      {
        'status.active': [{ name: 'a' }],
        'status.lastScheduleTime': '2026-10-30T11:00:00Z',
        'status.lastSuccessfulTime': '2026-10-30T10:56:09Z',
      },
      'unknown schedule_missed',
    ],
    [
      'waits for a run that takes days, as it is told',
      {
        'spec.concurrencyPolicy': 'Forbid',
        'status.active': [{ name: 'a' }],
        'status.lastScheduleTime': '2026-10-30T11:00:00Z',
        'status.lastSuccessfulTime': '2026-10-30T10:56:09Z',
      },
      'ready',
    ],
    [
      'ran well weeks ago, and is to run once a month',
      {
        'spec.schedule': '0 4 1 * *',
        'status.lastScheduleTime': '2026-11-01T04:00:00Z',
        'status.lastSuccessfulTime': '2026-11-01T04:00:09Z',
      },
      'ready',
    ],
  ],
  PersistentVolumeClaim: [
    [
      'was to be larger, and is not',
      { 'status.allocatedResources': { storage: '2Gi' } },
      'progressing volume_resizing',
    ],
    [
      'has a volume that is not healthy',
      { 'status.conditions': [condition('VolumeUnhealthy', 'True')] },
      'degraded impaired',
    ],
    ['is bound', {}, 'ready'],
    ['is pending', { 'status.phase': 'Pending' }, 'progressing volume_pending'],
    ['is lost', { 'status.phase': 'Lost' }, 'failed volume_lost'],
    [
      'was deleted long ago, and a pod uses it',
      {
        'metadata.deletionTimestamp': '2026-11-17T10:00:00Z',
        'metadata.finalizers': ['kubernetes.io/pvc-protection'],
      },
      'progressing still_used',
    ],
    [
      'was deleted long ago, and something else holds it too',
      {
        'metadata.deletionTimestamp': '2026-11-17T10:00:00Z',
        'metadata.finalizers': ['kubernetes.io/pvc-protection', 'x.io/y'],
      },
      'progressing deletion_blocked',
    ],
    ['has no status', { status: GONE }, 'progressing not_observed'],
    [
      'is resized',
      { 'status.conditions': [condition('FileSystemResizePending', 'True')] },
      'progressing volume_resizing',
    ],
    [
      'asks for more than it has',
      { 'spec.resources': { requests: { storage: '10Gi' } }, 'status.capacity': { storage: '5Gi' } },
      'progressing volume_resizing',
    ],
    [
      'has more than it asks for',
      { 'spec.resources': { requests: { storage: '5Gi' } }, 'status.capacity': { storage: '10Gi' } },
      'ready',
    ],
    [
      'has what it asks for, in another unit',
      { 'spec.resources': { requests: { storage: '1024Mi' } }, 'status.capacity': { storage: '1Gi' } },
      'ready',
    ],
    ...['ControllerResizeFailed', 'NodeResizeInfeasible'].map(
      (step) =>
        [
          `cannot be made larger (${step})`,
          { 'status.allocatedResourceStatuses': { storage: step } },
          'degraded volume_resize_failed',
        ] as const,
    ),
    [
      'is to be made larger on its node',
      { 'status.allocatedResourceStatuses': { storage: 'NodeResizePending' } },
      'progressing volume_resizing',
    ],
    [
      'cannot have the attributes that it asks for',
      {
        'spec.volumeAttributesClassName': 'gold',
        'status.modifyVolumeStatus': { targetVolumeAttributesClassName: 'gold', status: 'Infeasible' },
      },
      'degraded volume_change_refused',
    ],
    [
      'waits for the attributes that it asks for',
      { 'spec.volumeAttributesClassName': 'gold', 'status.currentVolumeAttributesClassName': 'silver' },
      'progressing volume_changing',
    ],
    [
      'has the attributes that it asks for',
      { 'spec.volumeAttributesClassName': 'gold', 'status.currentVolumeAttributesClassName': 'gold' },
      'ready',
    ],
  ],
  Service: [
    ['has its load balancer', {}, 'ready'],
    ['waits for its load balancer', { 'status.loadBalancer': {} }, 'progressing no_address'],
    ['needs none', { 'spec.type': 'ClusterIP', status: { loadBalancer: {} } }, 'ready'],
    [
      'has a load balancer that cannot serve a port',
      {
        'status.loadBalancer': {
          ingress: [
            { ip: '192.0.2.1', ports: [{ port: 80, protocol: 'TCP', error: 'MixedProtocolNotSupported' }] },
          ],
        },
      },
      'degraded load_balancer_failed',
    ],
    [
      'has a condition that says trouble',
      { 'status.conditions': [condition('LoadBalancerPortsError', 'True')] },
      'degraded load_balancer_failed',
    ],
    ['has no address inside', { 'spec.clusterIP': GONE }, 'progressing no_address'],
    [
      'is a name for something outside',
      { spec: { type: 'ExternalName', externalName: 'a.example' } },
      'ready',
    ],
  ],
  Ingress: [
    ['has an address', {}, 'ready'],
    ['has none', { status: { loadBalancer: {} } }, 'progressing no_address'],
  ],
  HTTPRoute: [
    ['is accepted', {}, 'ready'],
    ['has no status', { status: GONE }, 'progressing route_pending'],
    ['was accepted before its change', { 'metadata.generation': 3 }, 'progressing generation_behind'],
    [
      'has a parent that says nothing',
      { 'spec.parentRefs': [{ name: 'edge' }, { name: 'inner' }] },
      'progressing route_pending',
    ],
    [
      'is accepted by one that names no generation',
      { 'status.parents': [{ parentRef: { name: 'edge' }, conditions: TAKEN }] },
      'progressing generation_behind',
    ],
    [
      'is accepted by one that names no generation, and was never changed',
      { 'metadata.generation': 1, 'status.parents': [{ parentRef: { name: 'edge' }, conditions: TAKEN }] },
      'ready',
    ],
    [
      'is accepted, and could not be reconciled by its controller',
      {
        'metadata.generation': 1,
        'status.parents': [
          {
            parentRef: { name: 'edge' },
            conditions: [...TAKEN, condition('Reconciled', 'False', 'ReconciliationFailed')],
          },
        ],
      },
      'degraded impaired',
    ],
    [
      'is accepted without its bad rules',
      {
        'metadata.generation': 1,
        'status.parents': [
          {
            parentRef: { name: 'edge' },
            conditions: [
              condition('Accepted', 'True'),
              condition('ResolvedRefs', 'True'),
              condition('PartiallyInvalid', 'True', 'UnsupportedValue'),
            ],
          },
        ],
      },
      'degraded route_part_invalid',
    ],
    [
      'is refused',
      {
        'status.parents': [
          {
            parentRef: { name: 'edge' },
            conditions: [condition('Accepted', 'False', 'NotAllowedByListeners')],
          },
        ],
      },
      'failed route_not_accepted',
    ],
    [
      'is not taken up yet',
      {
        'status.parents': [
          { parentRef: { name: 'edge' }, conditions: [condition('Accepted', 'False', 'Pending')] },
        ],
      },
      'progressing route_pending',
    ],
    [
      'has no backend',
      {
        'status.parents': [
          {
            parentRef: { name: 'edge' },
            conditions: [
              condition('Accepted', 'True'),
              condition('ResolvedRefs', 'False', 'BackendNotFound'),
            ],
          },
        ],
      },
      'degraded route_refs',
    ],
  ],
  Gateway: [
    [
      'is accepted without a listener that is not valid',
      {
        'metadata.generation': 1,
        'status.conditions': [
          condition('Accepted', 'True', 'ListenersNotValid'),
          condition('Programmed', 'True'),
        ],
      },
      'degraded route_part_invalid',
    ],
    ['is programmed', {}, 'ready'],
    ['has no status', { status: GONE }, 'progressing route_pending'],
    [
      'waits for its address',
      {
        'status.conditions': [
          condition('Accepted', 'True'),
          condition('Programmed', 'False', 'AddressNotAssigned'),
        ],
      },
      'progressing route_pending',
    ],
    [
      'lacks a certificate',
      {
        'status.listeners': [
          { name: 'https', conditions: [condition('ResolvedRefs', 'False', 'InvalidCertificateRef')] },
        ],
      },
      'degraded route_refs',
    ],
    [
      'has two listeners in conflict',
      { 'status.listeners': [{ name: 'http', conditions: [condition('Conflicted', 'True')] }] },
      'degraded listener_conflict',
    ],
  ],
  HorizontalPodAutoscaler: [
    ['has more copies than it may', { 'status.currentReplicas': 9 }, 'progressing scaling'],
    ['scales', {}, 'ready'],
    ['has no conditions', { 'status.conditions': GONE }, 'progressing not_observed'],
    [
      'lacks metrics',
      {
        'status.conditions': [
          condition('AbleToScale', 'True'),
          condition('ScalingActive', 'False', 'FailedGetResourceMetric'),
        ],
      },
      'degraded metrics_missing',
    ],
    [
      'cannot find its target',
      { 'status.conditions': [condition('AbleToScale', 'False', 'FailedGetScale')] },
      'degraded cannot_scale',
    ],
    [
      'rests',
      {
        'status.conditions': [
          condition('AbleToScale', 'True'),
          condition('ScalingActive', 'False', 'ScalingDisabled'),
        ],
      },
      'suspended scaling_disabled',
    ],
    [
      'is at the most that it may have',
      {
        'status.conditions': [
          condition('AbleToScale', 'True'),
          condition('ScalingActive', 'True'),
          condition('ScalingLimited', 'True', 'TooManyReplicas'),
        ],
      },
      'ready',
    ],
    [
      'is limited, and does not say by what',
      {
        'status.conditions': [
          condition('AbleToScale', 'True'),
          condition('ScalingActive', 'True'),
          condition('ScalingLimited', 'True'),
        ],
      },
      'degraded scaling_limited',
    ],
    [
      'is of version 1, with its conditions in an annotation',
      {
        apiVersion: 'autoscaling/v1',
        'status.conditions': GONE,
        'metadata.annotations': {
          'autoscaling.alpha.kubernetes.io/conditions': JSON.stringify([
            condition('AbleToScale', 'True'),
            condition('ScalingActive', 'True'),
          ]),
        },
      },
      'ready',
    ],
  ],
  PodDisruptionBudget: [
    ['has enough', {}, 'ready'],
    [
      'has just enough',
      {
        'status.currentHealthy': 1,
        'status.conditions': [condition('DisruptionAllowed', 'False', 'InsufficientPods')],
      },
      'ready',
    ],
    ['has too few', { 'status.currentHealthy': 0 }, 'degraded budget_unmet'],
    ['has nothing to keep', { 'status.currentHealthy': 0, 'status.expectedPods': 0 }, 'ready'],
    [
      'cannot be computed',
      { 'status.conditions': [condition('DisruptionAllowed', 'False', 'SyncFailed')] },
      'degraded budget_sync_failed',
    ],
    ['was not observed', { 'status.observedGeneration': 1 }, 'progressing generation_behind'],
  ],
  CustomResourceDefinition: [
    ['is established', {}, 'ready'],
    ['has no conditions', { status: GONE }, 'progressing not_observed'],
    [
      'is being installed',
      {
        'status.conditions': [
          condition('NamesAccepted', 'True'),
          condition('Established', 'False', 'Installing'),
        ],
      },
      'progressing not_established',
    ],
    [
      'has a name that is taken',
      { 'status.conditions': [condition('NamesAccepted', 'False', 'ListKindConflict')] },
      'failed names_refused',
    ],
    [
      'has mistakes in its schema',
      {
        'status.conditions': [
          condition('NamesAccepted', 'True'),
          condition('Established', 'True'),
          condition('NonStructuralSchema', 'True'),
        ],
      },
      'degraded schema_invalid',
    ],
  ],
  APIService: [
    ['is available', {}, 'ready'],
    [
      'is not',
      { 'status.conditions': [condition('Available', 'False', 'MissingEndpoints')] },
      'failed api_unavailable',
    ],
    ...['ServiceNotFound', 'EndpointsNotFound', 'FailedDiscoveryCheck'].map(
      (reason) =>
        [
          `is not (${reason})`,
          { 'status.conditions': [condition('Available', 'False', reason)] },
          'failed api_unavailable',
        ] as const,
    ),
    [
      'is not yet',
      {
        'metadata.creationTimestamp': '2026-11-17T11:59:30Z',
        'status.conditions': [condition('Available', 'False', 'MissingEndpoints')],
      },
      'progressing api_unavailable',
    ],
    [
      'could not be looked at',
      { 'status.conditions': [condition('Available', 'False', 'ServiceAccessError')] },
      'unknown api_unavailable',
    ],
  ],
  Namespace: [
    ['is active', {}, 'ready'],
    ['is being deleted', { 'status.phase': 'Terminating' }, 'progressing being_deleted'],
    ['has no status', { status: GONE }, 'progressing not_observed'],
  ],
  Node: [
    ...(
      [
        ['memory-pressure', 'degraded node_pressure'],
        ['disk-pressure', 'degraded node_pressure'],
        ['network-unavailable', 'degraded node_network'],
      ] as const
    ).map(
      ([taint, expected]) =>
        [
          `has the taint ${taint}`,
          { 'spec.taints': [{ key: `node.kubernetes.io/${taint}`, effect: 'NoSchedule' }] },
          expected,
        ] as const,
    ),
    [
      'is ready, and does not know whether its memory lasts',
      { 'status.conditions': [condition('Ready', 'True'), condition('MemoryPressure', 'Unknown')] },
      'unknown contradictory',
    ],
    ['is ready', {}, 'ready'],
    ['is cordoned', { 'spec.unschedulable': true }, 'suspended cordoned'],
    [
      'is silent',
      { 'status.conditions': [condition('Ready', 'Unknown', 'NodeStatusUnknown')] },
      'unknown node_silent',
    ],
    [
      'is not ready',
      { 'status.conditions': [condition('Ready', 'False', 'KubeletNotReady')] },
      'failed node_not_ready',
    ],
    [
      'is short of memory',
      { 'status.conditions': [condition('Ready', 'True'), condition('MemoryPressure', 'True')] },
      'degraded node_pressure',
    ],
    ['is said to be out of reach', tainted('node.kubernetes.io/unreachable'), 'unknown node_silent'],
    ['is said not to be ready', tainted('node.kubernetes.io/not-ready'), 'progressing node_not_ready'],
    ['is out of service', tainted('node.kubernetes.io/out-of-service'), 'degraded node_problem'],
    ['is kept for some', tainted('node-role.kubernetes.io/control-plane'), 'ready'],
    [
      'is ready by one condition and not by another',
      { 'status.conditions': [condition('Ready', 'True'), condition('Ready', 'False')] },
      'unknown contradictory',
    ],
  ],
  CustomResource: [
    ['is ready', {}, 'ready'],
    ['has no status', { status: GONE }, 'unknown no_conditions'],
    ['has no conditions (F79)', { 'status.conditions': [] }, 'unknown no_conditions'],
    [
      'has conditions that nobody knows',
      { 'status.conditions': [condition('Shiny', 'True')] },
      'unknown no_conditions',
    ],
    [
      'is stalled',
      { 'status.conditions': [condition('Ready', 'True'), condition('Stalled', 'True')] },
      'failed reconcile_failed',
    ],
    [
      'is at work',
      { 'status.conditions': [condition('Ready', 'True'), condition('Reconciling', 'True')] },
      'progressing reconciling',
    ],
    [
      'is not ready yet',
      { 'status.conditions': [condition('Ready', 'False', 'Creating')] },
      'progressing not_yet_ready',
    ],
    [
      'failed',
      { 'status.conditions': [condition('Ready', 'False', 'InstallFailed')] },
      'failed reconcile_failed',
    ],
    ['does not say', { 'status.conditions': [condition('Ready', 'Unknown')] }, 'progressing reconciling'],
    [
      'says both',
      { 'status.conditions': [condition('Ready', 'True'), condition('Ready', 'False')] },
      'unknown contradictory',
    ],
    [
      'says yes in another spelling',
      { 'status.conditions': [condition('Ready', 'true')] },
      'progressing reconciling',
    ],
    ['was observed before its change', { 'status.observedGeneration': 1 }, 'progressing generation_behind'],
    [
      'has a condition of an older generation',
      { 'status.conditions': [{ ...condition('Ready', 'True'), observedGeneration: 1 }] },
      'progressing generation_behind',
    ],
  ],
};

function waiting(reason: string, message: string | null = null, more: object = {}): Changes {
  const state = { waiting: { reason, ...(message === null ? {} : { message }) } };
  return {
    'status.conditions': [
      condition('PodScheduled', 'True'),
      condition('Ready', 'False', 'ContainersNotReady'),
    ],
    'status.containerStatuses': [{ name: 'web', ready: false, restartCount: 4, state, ...more }],
  };
}

/** A pod that is ready and has one more condition, which is True. */
function ready(type: string, reason?: string): Changes {
  const { conditions } = READY_OBJECTS.Pod.status as { readonly conditions: readonly object[] };
  return { 'status.conditions': [...conditions, condition(type, 'True', reason)] };
}

function tainted(key: string): Changes {
  return { 'spec.taints': [{ key, effect: 'NoExecute' }] };
}

describe.each(Object.entries(CASES))('%s', (kind, cases) => {
  it.each(cases.map(([title, changes, expected]) => [title, expected, changes] as const))(
    '%s: %s',
    (_, expected, changes) => {
      expect(verdictOn(changed(kind as keyof typeof READY_OBJECTS, changes))).toBe(expected);
    },
  );
});

describe('kinds without a status', () => {
  it.each([
    ['v1', 'ConfigMap'],
    ['v1', 'Secret'],
    ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
    ['networking.k8s.io/v1', 'NetworkPolicy'],
  ])('%s %s is ready', (apiVersion, kind) => {
    expect(verdictOn({ apiVersion, kind, metadata: { name: 'a' } })).toBe('ready');
  });

  it('a kind of the same name in another group is none of them', () => {
    expect(verdictOn({ apiVersion: 'example.com/v1', kind: 'Secret' })).toBe('unknown no_conditions');
  });
});
