import { describe, expect, it } from 'vitest';
import { judgeObject } from './judge-object.ts';
import { indexObjects } from './objects.ts';
import { READY_OBJECTS } from './ready-objects.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');

type Sample = { readonly kind: string; readonly metadata: { readonly name: string; readonly uid?: string } };

/** The verdict on the first object, with the others around it. */
function verdictAmong(first: Sample, ...others: readonly unknown[]) {
  const { verdict, reason, operator } = judgeObject(first, indexObjects([first, ...others]), NOW);
  return { verdict, reason, operator };
}

const ownedBy = ({ kind, metadata }: Sample) => ({
  ownerReferences: [{ kind, name: metadata.name, uid: metadata.uid, controller: true }],
});

const deployment = {
  ...READY_OBJECTS.Deployment,
  metadata: {
    ...READY_OBJECTS.Deployment.metadata,
    annotations: { 'deployment.kubernetes.io/revision': '7' },
  },
};
const rollingOut = { ...deployment, status: { ...deployment.status, updatedReplicas: 1, readyReplicas: 1 } };

const set = (revision: string) => ({
  ...READY_OBJECTS.ReplicaSet,
  metadata: {
    ...READY_OBJECTS.ReplicaSet.metadata,
    name: `web-${revision}`,
    uid: `rs-${revision}`,
    annotations: { 'deployment.kubernetes.io/revision': revision },
    ...ownedBy(deployment),
  },
});

function pod(name: string, owner: Sample, waiting: string | null = null, message = '') {
  const { metadata, spec, status } = READY_OBJECTS.Pod;
  const base = {
    ...READY_OBJECTS.Pod,
    spec,
    metadata: { ...metadata, name, uid: `pod-${name}`, ...ownedBy(owner) },
  };
  if (waiting === null) return { ...base, status };
  return {
    ...base,
    status: {
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
      containerStatuses: [
        { name: 'web', ready: false, restartCount: 3, state: { waiting: { reason: waiting, message } } },
      ],
    },
  };
}

const warning = (about: Sample, reason: string, message: string, at = '2026-11-17T11:59:00Z') => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${about.metadata.name}.${reason}`, namespace: 'shop' },
  type: 'Warning',
  reason,
  message,
  lastTimestamp: at,
  involvedObject: { uid: about.metadata.uid },
});

describe('a deployment among its pods', () => {
  it('names the reason of its newest pods, and has failed where none of them is ready', () => {
    const image = pod('a', set('7'), 'ImagePullBackOff', 'failed to resolve reference "x:2": not found');
    const verdict = verdictAmong(rollingOut, set('6'), set('7'), pod('old', set('6')), image);
    expect(verdict).toMatchObject({ verdict: 'failed', reason: 'image_not_found' });
    expect(verdict.operator).toContain('pod a');
  });

  it('is degraded where none of its newest pods is ready, and all that is wanted serves', () => {
    const bad = pod('a', set('7'), 'CrashLoopBackOff');
    const started = { ...deployment, status: { ...deployment.status, replicas: 3, updatedReplicas: 1 } };
    const older = [pod('x', set('6')), pod('y', set('6'))];
    const own = judgeObject(started, indexObjects([started, set('6'), set('7'), bad, ...older]), NOW);
    expect(own).toMatchObject({ verdict: 'degraded', reason: 'crash_loop' });
    expect(own.user).toBe(
      'The app starts and exits again and again. It serves all the same: 2 of 2 are ready.',
    );
    const one = [pod('x', set('6')), pod('y', set('6'), 'CrashLoopBackOff')];
    expect(verdictAmong(started, set('6'), set('7'), bad, ...one)).toMatchObject({ verdict: 'failed' });
  });

  it('is not ready by its own counts over a ReplicaSet that is not', () => {
    const short = { ...set('7'), status: { ...set('7').status, readyReplicas: 1, availableReplicas: 1 } };
    expect(verdictAmong(deployment, set('7')).verdict).toBe('ready');
    expect(verdictAmong(deployment, short)).toMatchObject({
      verdict: 'progressing',
      reason: 'not_available',
    });
    const refused = {
      ...set('7'),
      status: {
        ...{ observedGeneration: 2, replicas: 1, readyReplicas: 1, availableReplicas: 1 },
        conditions: [
          { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: q' },
        ],
      },
    };
    expect(verdictAmong(deployment, refused)).toMatchObject({
      verdict: 'degraded',
      reason: 'quota_exceeded',
    });
  });

  it('names what its ReplicaSet says where it has no pods', () => {
    const stuck = {
      ...deployment,
      status: {
        observedGeneration: 2,
        conditions: [
          { type: 'Available', status: 'False' },
          { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' },
        ],
      },
    };
    const refused = {
      ...set('7'),
      status: {
        observedGeneration: 2,
        replicas: 0,
        conditions: [
          {
            ...{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' },
            message: 'pods "web" is forbidden: exceeded quota: q',
          },
        ],
      },
    };
    const found = verdictAmong(stuck, refused);
    expect(found).toMatchObject({ verdict: 'failed', reason: 'quota_exceeded' });
    expect(found.operator).toContain('ReplicaSet web-7');
    expect(verdictAmong(stuck, { ...refused, metadata: set('6').metadata }).reason).toBe('progress_deadline');
    const event = warning(set('7'), 'FailedCreate', 'pods "web" is forbidden: exceeded quota: q');
    const silent = { ...set('7'), status: { observedGeneration: 2, replicas: 0 } };
    expect(verdictAmong(stuck, silent, event)).toMatchObject({ verdict: 'failed', reason: 'quota_exceeded' });
  });

  it('is degraded where some of its newest pods are ready', () => {
    const pods = [pod('a', set('7')), pod('b', set('7'), 'CrashLoopBackOff')];
    expect(verdictAmong(rollingOut, set('7'), ...pods)).toMatchObject({
      verdict: 'degraded',
      reason: 'crash_loop',
    });
  });

  it('is not ready by its own counts over pods that are not', () => {
    const pods = [pod('a', set('7')), pod('b', set('7'), 'CrashLoopBackOff')];
    expect(verdictAmong(deployment, set('7'), ...pods)).toMatchObject({
      verdict: 'degraded',
      reason: 'crash_loop',
    });
  });

  it('is ready over a part of its pods, which proves nothing against it', () => {
    expect(verdictAmong(deployment, set('7'), pod('a', set('7'))).verdict).toBe('ready');
  });

  it('is ready over pods of an older version that end', () => {
    const ending = {
      ...pod('old', set('6')),
      metadata: { ...pod('old', set('6')).metadata, deletionTimestamp: 'x' },
    };
    const pods = [pod('a', set('7')), pod('b', set('7')), ending];
    expect(verdictAmong(deployment, set('6'), set('7'), ...pods).verdict).toBe('ready');
  });

  it('does not blame a pod that was evicted and replaced', () => {
    const evicted = { ...pod('x', set('7')), status: { phase: 'Failed', reason: 'Evicted' } };
    expect(verdictAmong(rollingOut, set('7'), evicted, pod('a', set('7'))).reason).toBe('updating');
  });

  it('is not made better by pods that are ready', () => {
    const pods = [pod('a', set('7')), pod('b', set('7'))];
    expect(verdictAmong(rollingOut, set('7'), ...pods)).toMatchObject({
      verdict: 'progressing',
      reason: 'updating',
    });
  });

  it('is unknown where all its pods are on a silent node', () => {
    const lost = (name: string) => ({
      ...pod(name, set('7')),
      status: {
        phase: 'Running',
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'ContainersReady', status: 'True' },
        ],
      },
    });
    const idle = { ...deployment, status: { ...deployment.status, readyReplicas: 0, availableReplicas: 0 } };
    expect(verdictAmong(idle, set('7'), lost('a'), lost('b'))).toMatchObject({
      verdict: 'unknown',
      reason: 'node_lost',
    });
  });

  it('has not stopped while a pod of it is there', () => {
    const idle = {
      ...deployment,
      spec: { ...deployment.spec, replicas: 0 },
      status: { observedGeneration: 2 },
    };
    const none = { ...set('7'), spec: { replicas: 0 }, status: { observedGeneration: 2, replicas: 0 } };
    expect(verdictAmong(idle, none).verdict).toBe('stopped');
    expect(verdictAmong(idle, none, pod('a', none))).toMatchObject({
      verdict: 'progressing',
      reason: 'scaling',
    });
    expect(verdictAmong(none, pod('a', none)).reason).toBe('scaling');
    const ending = pod('b', none);
    const deleted = { ...ending, metadata: { ...ending.metadata, deletionTimestamp: 'x' } };
    expect(verdictAmong(idle, none, deleted).verdict).toBe('stopped');
  });

  describe('without its ReplicaSets', () => {
    const labels = { app: 'web', 'pod-template-hash': 'abc' };
    const selecting = {
      ...deployment,
      spec: { ...deployment.spec, selector: { matchLabels: { app: 'web' } } },
    };
    const alone = (name: string, waiting: string | null, its: object = labels, hash = 'abc') => {
      const made = pod(
        name,
        { kind: 'ReplicaSet', metadata: { name: `deployment-${hash}`, uid: 'rs' } },
        waiting,
      );
      return { ...made, metadata: { ...made.metadata, labels: its } };
    };

    it('is no readier than the pods that it selects', () => {
      const pods = [alone('a', null), alone('b', 'CrashLoopBackOff')];
      expect(verdictAmong(selecting, ...pods)).toMatchObject({ verdict: 'degraded', reason: 'crash_loop' });
      expect(verdictAmong(selecting, alone('a', null), alone('b', null)).verdict).toBe('ready');
    });

    it('leaves pods of others out', () => {
      const other = alone('b', 'CrashLoopBackOff', { ...labels, app: 'db' });
      const foreign = alone('c', 'CrashLoopBackOff', labels, 'other');
      expect(verdictAmong(selecting, alone('a', null), other, foreign).verdict).toBe('ready');
    });
  });

  it('is not linked by name to what belongs to another', () => {
    const stranger = {
      ...set('7'),
      metadata: {
        ...set('7').metadata,
        ...ownedBy({ kind: 'Deployment', metadata: { name: 'deployment', uid: 'other' } }),
      },
    };
    expect(verdictAmong(rollingOut, stranger, pod('a', set('7'), 'CrashLoopBackOff')).reason).toBe(
      'updating',
    );
  });

  it('is not linked where its UID stands twice', () => {
    expect(
      verdictAmong(rollingOut, rollingOut, set('7'), pod('a', set('7'), 'CrashLoopBackOff')).reason,
    ).toBe('updating');
  });
});

describe('events', () => {
  it('say why an image cannot be pulled, where its kubelet says only that it waits', () => {
    const image = pod('a', set('7'), 'ImagePullBackOff', 'Back-off pulling image "x:2"');
    const why = warning(image, 'Failed', 'Failed to pull image "x:2": dial tcp: lookup x: no such host');
    const again = warning(image, 'BackOff', 'Back-off pulling image "x:2"', '2026-11-17T11:59:30Z');
    expect(verdictAmong(image, again).reason).toBe('image_pull_failed');
    expect(verdictAmong(image, again, why)).toMatchObject({ verdict: 'failed', reason: 'image_unreachable' });
    expect(verdictAmong(rollingOut, set('7'), image, again, why).reason).toBe('image_unreachable');
  });

  const pending = { ...READY_OBJECTS.PersistentVolumeClaim, status: { phase: 'Pending' } };

  it('say why a claim is pending, and leave it progressing', () => {
    const failed = warning(pending, 'ProvisioningFailed', 'no storage class');
    expect(verdictAmong(pending, failed)).toMatchObject({
      verdict: 'progressing',
      reason: 'volume_provisioning_failed',
    });
  });

  it('say it by the newest of them', () => {
    const older = warning(pending, 'ProvisioningFailed', 'x', '2026-11-17T11:00:00Z');
    const newer = warning(pending, 'WaitForFirstConsumer', 'y');
    expect(verdictAmong(pending, older, newer).reason).toBe('volume_waits');
  });

  it('make nothing worse that is ready (F72)', () => {
    expect(
      verdictAmong(READY_OBJECTS.Pod, warning(READY_OBJECTS.Pod, 'Unhealthy', 'Readiness probe failed'))
        .verdict,
    ).toBe('ready');
  });

  it('of a pull say what is wrong with the image', () => {
    const creating = pod('a', set('7'), 'ContainerCreating');
    const failed = warning(creating, 'Failed', 'Failed to pull image "x": manifest unknown');
    expect(verdictAmong(creating, failed).reason).toBe('image_not_found');
  });

  it('of a word that is not listed change nothing', () => {
    expect(verdictAmong(pending, warning(pending, 'Whatever', 'z')).reason).toBe('volume_pending');
  });
});

describe('others around', () => {
  it('a pod on a silent node is unknown, though it is said to be ready (F73)', () => {
    const node = {
      ...READY_OBJECTS.Node,
      status: {
        ...READY_OBJECTS.Node.status,
        conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }],
      },
    };
    expect(verdictAmong(READY_OBJECTS.Pod, node)).toMatchObject({ verdict: 'unknown', reason: 'node_lost' });
    const nameless = { ...READY_OBJECTS.Pod, status: { ...READY_OBJECTS.Pod.status, hostIP: undefined } };
    expect(verdictAmong(nameless, node).verdict, 'its name is all that it tells').toBe('unknown');
    const bare = { ...node, status: { ...node.status, addresses: [] } };
    expect(verdictAmong(READY_OBJECTS.Pod, bare).verdict).toBe('unknown');
    const elsewhere = { ...node, status: { ...node.status, addresses: [{ address: '10.9.9.9' }] } };
    expect(verdictAmong(READY_OBJECTS.Pod, elsewhere).verdict).toBe('ready');
  });

  it('a claim is no better than its volume', () => {
    const claim = READY_OBJECTS.PersistentVolumeClaim;
    const volume = (phase: string, uid = claim.metadata.uid) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-1', uid: 'uid-pv' },
      spec: { claimRef: { uid } },
      status: { phase },
    });
    expect(verdictAmong(claim, volume('Bound')).verdict).toBe('ready');
    expect(verdictAmong(claim, volume('Failed'))).toMatchObject({
      verdict: 'degraded',
      reason: 'volume_failed',
    });
    expect(verdictAmong(claim, volume('Released')).reason).toBe('contradictory');
    expect(verdictAmong(claim, volume('Failed', 'other')).verdict, 'of another cluster').toBe('ready');
  });

  it('a cron job whose last job failed is degraded', () => {
    const job = (name: string, creationTimestamp: string, type: string) => ({
      ...READY_OBJECTS.Job,
      metadata: { name, namespace: 'shop', uid: name, creationTimestamp, ...ownedBy(READY_OBJECTS.CronJob) },
      status: { conditions: [{ type, status: 'True' }] },
    });
    const [older, newer] = ['2026-11-17T10:00:00Z', '2026-11-17T11:00:00Z'];
    expect(
      verdictAmong(READY_OBJECTS.CronJob, job('b', newer, 'Failed'), job('a', older, 'Complete')),
    ).toMatchObject({ verdict: 'degraded', reason: 'last_run_failed' });
    expect(
      verdictAmong(READY_OBJECTS.CronJob, job('a', older, 'Failed'), job('b', newer, 'Complete')).verdict,
    ).toBe('ready');
    const running = (name: string, creationTimestamp: string) => ({
      ...job(name, creationTimestamp, 'Complete'),
      status: { active: 1, startTime: creationTimestamp, conditions: [] },
    });
    const now = '2026-11-17T12:00:00Z';
    const active = {
      ...READY_OBJECTS.CronJob,
      status: { ...READY_OBJECTS.CronJob.status, active: [{ name: 'c' }] },
    };
    expect(
      verdictAmong(active, running('c', now), job('b', newer, 'Failed')),
      'one that has not finished proves nothing',
    ).toMatchObject({ verdict: 'degraded', reason: 'last_run_failed' });
    expect(verdictAmong(active, running('c', now), job('b', newer, 'Complete')).verdict).toBe('ready');
    const first = { ...active, status: { active: [{ name: 'c' }], lastScheduleTime: now } };
    expect(verdictAmong(first, running('c', now))).toMatchObject({
      verdict: 'progressing',
      reason: 'job_running',
    });
  });
});

describe('a service over its endpoints', () => {
  const service = {
    ...READY_OBJECTS.Service,
    spec: { ...READY_OBJECTS.Service.spec, ports: [{ name: 'http', port: 80, targetPort: 'web' }] },
  };
  const http = [{ name: 'http', port: 8080, protocol: 'TCP' }];
  const slice = (conditions: object, ports: readonly object[] | null = http, pod: Sample | null = null) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'service-x', namespace: 'shop', ...ownedBy(service) },
    ports,
    endpoints: [
      {
        addresses: ['10.0.0.2'],
        conditions,
        ...(pod === null
          ? {}
          : {
              targetRef: { kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid, namespace: 'shop' },
            }),
      },
    ],
  });
  const ruled = (...others: readonly unknown[]) => {
    const { verdict, reason } = verdictAmong(service, ...others);
    return reason === null ? verdict : `${verdict} ${reason}`;
  };

  it('is ready over one that is', () => {
    expect(ruled(slice({ ready: true, serving: true }))).toBe('ready');
    expect(ruled(slice({}))).toBe('ready');
    expect(ruled(slice({ ready: false }), slice({ ready: true }))).toBe('ready');
  });

  it('is judged by the slices that name it where it has no selector, and they are all there are', () => {
    const manual = { ...service, spec: { ...service.spec, selector: undefined } };
    const named = {
      ...slice({ ready: true }),
      metadata: {
        name: 'by-hand',
        namespace: 'shop',
        labels: { 'kubernetes.io/service-name': service.metadata.name },
      },
    };
    const over = (...slices: readonly object[]) => {
      const { verdict, reason } = judgeObject(manual, indexObjects([manual, ...slices], true), NOW);
      return `${verdict} ${reason}`;
    };
    expect(over()).toBe('degraded no_endpoints');
    expect(over(named)).toBe('ready null');
    expect(over({ ...named, endpoints: [] })).toBe('degraded no_endpoints');
    expect(judgeObject(manual, indexObjects([manual]), NOW).verdict, 'nobody looked for slices').toBe(
      'ready',
    );
  });

  it('is judged by the slices that name it where an export left their owners out', () => {
    const named = (ready: boolean, namespace = 'shop') => ({
      ...slice({ ready }),
      metadata: {
        name: 'web-x',
        namespace,
        labels: { 'kubernetes.io/service-name': service.metadata.name },
      },
    });
    expect(ruled(named(true))).toBe('ready');
    expect(ruled(named(false))).toBe('degraded no_endpoints');
    expect(ruled({ ...named(true), endpoints: [] })).toBe('degraded no_endpoints');
    expect(ruled(named(false, 'elsewhere')), 'of another service').toBe('ready');
    expect(ruled(named(false), slice({ ready: true })), 'its own know more').toBe('ready');
  });

  it('is judged by the pods that it selects where no slice is in the input', () => {
    const labelled = (name: string, waiting: string | null, app = 'web') => {
      const made = pod(name, set('7'), waiting);
      return { ...made, metadata: { ...made.metadata, labels: { app } } };
    };
    expect(ruled(labelled('a', 'CrashLoopBackOff'))).toBe('degraded no_endpoints');
    expect(ruled(labelled('a', 'CrashLoopBackOff'), labelled('b', null))).toBe('ready');
    expect(ruled(labelled('a', 'CrashLoopBackOff', 'db'))).toBe('ready');
    expect(ruled(slice({ ready: true }), labelled('a', 'CrashLoopBackOff')), 'slices know more').toBe(
      'ready',
    );
    const lost = {
      ...labelled('a', null),
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'Unknown' }] },
    };
    expect(ruled(lost)).toBe('unknown node_lost');
  });

  it('is degraded without a ready one', () => {
    expect(ruled(slice({ ready: false }))).toBe('degraded no_endpoints');
  });

  it('is degraded over one that is only published (publishNotReadyAddresses)', () => {
    expect(ruled(slice({ ready: true, serving: false }))).toBe('degraded no_endpoints');
  });

  it('is degraded where no copy has the port that it names', () => {
    expect(ruled(slice({ ready: true }, []))).toBe('degraded port_missing');
    expect(ruled(slice({ ready: true }, null))).toBe('degraded port_missing');
    expect(ruled(slice({ ready: true }, [{ name: 'other', port: 1 }]))).toBe('degraded port_missing');
    expect(ruled(slice({ ready: true }, []), slice({ ready: true }))).toBe('ready');
  });

  it('needs no port where it names none', () => {
    expect(verdictAmong(READY_OBJECTS.Service, slice({ ready: true }, [])).verdict).toBe('ready');
  });

  it('is unknown over copies of a silent node, and never degraded (F73)', () => {
    const silent = {
      ...READY_OBJECTS.Node,
      status: { ...READY_OBJECTS.Node.status, conditions: [{ type: 'Ready', status: 'Unknown' }] },
    };
    const copy = READY_OBJECTS.Pod;
    expect(ruled(slice({ ready: false, serving: false }, http, copy), copy, silent)).toBe(
      'unknown node_lost',
    );
    expect(ruled(slice({ ready: true, serving: true }, http, copy), copy, silent)).toBe('unknown node_lost');
    expect(ruled(slice({ ready: true, serving: true }, http, copy), copy)).toBe('ready');
  });

  it('is degraded over an endpoint of a pod that is gone, where every pod was read', () => {
    const stale = slice({ ready: true }, http, pod('gone', set('7')));
    expect(ruled(stale)).toBe('ready');
    expect(judgeObject(service, indexObjects([service, stale], true), NOW)).toMatchObject({
      verdict: 'degraded',
      reason: 'no_endpoints',
    });
  });

  it('is degraded over a stale endpoint whose copy has failed', () => {
    const crashed = pod('a', set('7'), 'CrashLoopBackOff');
    expect(ruled(slice({ ready: true }, http, crashed), crashed)).toBe('degraded no_endpoints');
    const namesake = { ...crashed, metadata: { ...crashed.metadata, uid: 'other' } };
    expect(ruled(slice({ ready: true }, http, crashed), namesake)).toBe('ready');
  });
});

describe('a daemon set that selects no node any more', () => {
  it('is unknown where the node of its pod is silent', () => {
    const set = {
      ...READY_OBJECTS.DaemonSet,
      status: { observedGeneration: 2, desiredNumberScheduled: 0, numberMisscheduled: 1 },
    };
    const lost = {
      ...pod('a', set),
      status: {
        phase: 'Running',
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'ContainersReady', status: 'True' },
        ],
      },
    };
    expect(verdictAmong(set, lost)).toMatchObject({ verdict: 'unknown', reason: 'node_lost' });
  });
});

describe('a deployment over pods that serve and are changed', () => {
  it('is ready while the cluster resizes or moves them', () => {
    const changing = (name: string, type: string) => {
      const base = pod(name, set('7'));
      const { conditions } = READY_OBJECTS.Pod.status as { readonly conditions: readonly object[] };
      return { ...base, status: { ...base.status, conditions: [...conditions, { type, status: 'True' }] } };
    };
    const pods = [changing('a', 'PodResizeInProgress'), changing('b', 'DisruptionTarget')];
    expect(verdictAmong(deployment, set('7'), ...pods).verdict).toBe('ready');
  });
});

describe('whatever is around', () => {
  const GOOD = ['ready', 'suspended', 'stopped'];
  const workloads = [
    READY_OBJECTS.Deployment,
    READY_OBJECTS.StatefulSet,
    READY_OBJECTS.DaemonSet,
    READY_OBJECTS.ReplicaSet,
    READY_OBJECTS.Job,
  ];

  it.each(workloads.map((workload) => [workload.kind, workload] as const))(
    'ready pods make no %s good that is not good alone',
    (_, workload) => {
      const owned = {
        ...READY_OBJECTS.ReplicaSet,
        metadata: { ...READY_OBJECTS.ReplicaSet.metadata, uid: 'rs', name: 'rs', ...ownedBy(workload) },
      };
      const around = [
        owned,
        ...['a', 'b', 'c'].flatMap((name) => [pod(name, workload), pod(`${name}${name}`, owned)]),
      ];
      for (const field of Object.keys(workload.status ?? {}))
        for (const value of [undefined, null, 0, 1, 9, 'x', [], {}]) {
          const damaged = { ...workload, status: { ...workload.status, [field]: value } };
          const alone = judgeObject(damaged, indexObjects([damaged]), NOW).verdict;
          if (!GOOD.includes(alone))
            expect([field, value, verdictAmong(damaged, ...around).verdict]).not.toContain('ready');
        }
    },
  );
});

describe('where every pod that there is was read', () => {
  const ofAll = (first: Sample, ...others: readonly unknown[]) =>
    judgeObject(first, indexObjects([first, ...others], true), NOW);

  it.each(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'] as const)(
    'a %s whose own count is of pods that are gone is not ready (rule 8)',
    (kind) => {
      expect(verdictAmong(READY_OBJECTS[kind]).verdict, 'its pods may not be in the input').toBe('ready');
      expect(ofAll(READY_OBJECTS[kind])).toMatchObject({ verdict: 'progressing', reason: 'not_available' });
    },
  );

  it('a Deployment with all its pods is ready, and with one of them missing it is not', () => {
    const pods = [pod('a', set('7')), pod('b', set('7'))];
    expect(ofAll(deployment, set('7'), ...pods).verdict).toBe('ready');
    expect(ofAll(deployment, set('7'), pods[0])).toMatchObject({
      verdict: 'progressing',
      operator: expect.stringContaining('1 of its pods are there'),
    });
  });
});
