import { describe, expect, it } from 'vitest';
import { CACHED_KINDS, type CachedKind, type CachedRecords } from '../cache/kinds.ts';
import { NO_LEASES, type NodeLeases } from '../observe/node-leases.ts';
import type { ClusterRecords } from '../observe/records.ts';
import { LEASES_ALIVE, NOW as LEASES_AT } from '../observe/samples.ts';
import { toldWarnings, warningsByObject } from '../observe/warnings.ts';
import { observeWorkloads } from '../observe/workload.ts';
import { type AppAnswers, reportItems } from './report-items.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

const meta = (uid: string, more: object = {}) => ({
  ...{ uid, name: uid, namespace: 'shop', resourceVersion: '1', generation: 1 },
  ...more,
});
const ownedBy = (kind: string, uid: string) => ({
  ownerReferences: [{ kind, uid, name: uid, controller: true }],
});
const DEPLOYMENT = {
  metadata: meta('d1', { annotations: { 'deployment.kubernetes.io/revision': '1', secret: 'hunter2' } }),
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'app', image: 'app:1' }] } } },
  status: { observedGeneration: 1 },
};
const SET = {
  metadata: meta('rs1', {
    ...ownedBy('Deployment', 'd1'),
    annotations: { 'deployment.kubernetes.io/revision': '1' },
    labels: { 'pod-template-hash': 'h1' },
  }),
};
/** No node has it: the API server itself says that it waits. */
const pending = (uid: string) => ({
  metadata: meta(uid, ownedBy('ReplicaSet', 'rs1')),
  spec: { containers: [{ name: 'app', image: 'app:1' }] },
  status: { phase: 'Pending' },
});
const event = (uid: string, about: string, reason: string, message: string, minutes = 1) => ({
  metadata: meta(uid),
  involvedObject: { kind: about.startsWith('rs') ? 'ReplicaSet' : 'Pod', name: about, uid: about },
  ...{ reason, message, lastTimestamp: minutesAgo(minutes) },
});

const reported = (pods: readonly object[], events: readonly object[]) =>
  reportedOf({ Deployment: [DEPLOYMENT], ReplicaSet: [SET], Pod: pods, Event: events });

function reportedOf(
  objects: Partial<Record<CachedKind, readonly object[]>>,
  { leases = NO_LEASES, answers }: { readonly leases?: NodeLeases; readonly answers?: AppAnswers } = {},
) {
  const all = <K extends CachedKind>(kind: K) =>
    (objects[kind] ?? []).map((object) => CACHED_KINDS[kind].keep(object) as CachedRecords[K]);
  const records: ClusterRecords = {
    records: (kind) => all(kind),
    record: (kind, uid) => all(kind).find((one) => one.uid === uid) ?? null,
  };
  const known = {
    places: new Map(),
    leases,
    vanished: new Map(),
    restored: new Map(),
    now: leases === NO_LEASES ? 0 : LEASES_AT,
    wallNow: NOW,
  };
  const [workload] = observeWorkloads('shop', { records, ...known });
  if (workload === undefined) throw new Error('no workload');
  const warnings = warningsByObject(records.records('Event'));
  const { entry, instances } = reportItems('web.shop@lab', workload, {
    records,
    warnings,
    now: NOW,
    answers: answers ?? null,
  });
  if (entry === null) throw new Error('no entry');
  return { entry, instances };
}

describe('warnings of the cluster', () => {
  const QUOTA = 'pods "web" is forbidden: exceeded quota: small, requested: pods=1';

  it('say why no pod can be created, where there is no pod that could say it', () => {
    expect(reported([], [event('e1', 'rs1', 'FailedCreate', QUOTA)]).entry).toMatchObject({
      reason: 'quota_exceeded',
      warnings: [{ about: 'ReplicaSet/rs1', reason: 'FailedCreate', message: QUOTA, at: minutesAgo(1) }],
    });
    const two = [pending('p1'), pending('p2')];
    expect(reported(two, [event('e1', 'rs1', 'FailedCreate', QUOTA)]).entry.reason, 'all are there').toBe(
      undefined,
    );
    const old = reported([], [event('e1', 'rs1', 'FailedCreate', QUOTA, 30)]).entry;
    expect(old.reason, 'what was so half an hour ago explains nothing now').toBeUndefined();
    expect(old.warnings, 'and is still shown, with its age').toHaveLength(1);
  });

  it('say so too where the message is of no known cause, or only the condition is left', () => {
    const account = 'pods "web-" is forbidden: error looking up service account shop/web: not found';
    expect(reported([], [event('e1', 'rs1', 'FailedCreate', account)]).entry.reason).toBe('create_failed');
    const refused = {
      ...{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: account },
    };
    const status = { ...DEPLOYMENT.status, conditions: [refused] };
    const { entry } = reportedOf({ Deployment: [{ ...DEPLOYMENT, status }], ReplicaSet: [SET] });
    expect(entry.reason).toBe('create_failed');
  });

  it('say which labels no node has, and that no node fits a DaemonSet', () => {
    const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    const { spec, ...pod } = pending('p1');
    const asking = {
      ...pod,
      spec: { ...spec, nodeSelector: { disk: 'ssd' } },
      status: { phase: 'Pending', conditions },
    };
    expect(reported([asking], []).instances[0]).toMatchObject({
      reason: 'no_matching_node',
      details: { labels: ['disk=ssd'] },
    });
    const set = { metadata: meta('ds1'), spec: DEPLOYMENT.spec };
    const wants = (desiredNumberScheduled: number) =>
      reportedOf({ DaemonSet: [{ ...set, status: { observedGeneration: 1, desiredNumberScheduled } }] });
    expect(wants(0).entry).toMatchObject({ replicas: 0, reason: 'no_matching_node' });
    expect(wants(1).entry.reason).toBeUndefined();
  });

  it('give the cause of a pod whose own status has none, and leave its phase', () => {
    const mount = event('e1', 'p1', 'FailedMount', 'MountVolume.SetUp failed for volume "data"');
    const [pod] = reported([pending('p1')], [mount]).instances;
    expect(pod).toMatchObject({ phase: 'pending', ready: false, reason: 'volume_failed', saidBy: 'api' });
    const [other] = reported([pending('p1')], [event('e1', 'p1', 'Strange', 'never heard of')]).instances;
    expect(other?.reason, 'a word that is not in the catalogue is no cause').toBeNull();
  });

  it('say why an image cannot be pulled, where its kubelet says only that it waits', () => {
    const waits = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "a:1"' } };
    const pod = {
      ...pending('p1'),
      status: { phase: 'Pending', containerStatuses: [{ name: 'app', state: waits }] },
    };
    const why = 'Failed to pull image "a:1": dial tcp: lookup registry.local: no such host';
    const events = [
      event('e2', 'p1', 'Failed', 'Error: ImagePullBackOff', 1),
      event('e1', 'p1', 'Failed', why, 3),
    ];
    const reason = (some: readonly object[]) => reported([pod], some).instances[0]?.reason;
    expect(reason(events)).toBe('image_unreachable');
    expect(reason(events.slice(0, 1))).toBe('image_pull_failed');
    expect(reason([event('e3', 'p1', 'FailedMount', 'MountVolume.SetUp failed')]), 'another trouble').toBe(
      'image_pull_failed',
    );
  });

  it('leave the exit code of an app that ended to its sentence, and tell none of a helper', () => {
    const ended = { terminated: { reason: 'Error', exitCode: 3 } };
    const waits = { waiting: { reason: 'CrashLoopBackOff' } };
    const shown = (phase: string, containerStatuses: object[]) =>
      reported([{ ...pending('p1'), status: { phase, containerStatuses } }], []).instances[0];
    expect(shown('Running', [{ name: 'app', state: waits, lastState: ended }])).toMatchObject({
      reason: 'crash_loop',
      details: { exitCode: 3 },
    });
    expect(shown('Failed', [{ name: 'app', state: ended }])).toMatchObject({
      reason: 'exited',
      details: { exitCode: 3 },
    });
    const broken = { waiting: { reason: 'ImagePullBackOff' } };
    expect(shown('Pending', [{ name: 'app', state: broken, lastState: ended }])?.details).toBeUndefined();
  });

  it('name the container that is in trouble where a pod has several, and none where it has one', () => {
    const waits = { waiting: { reason: 'CrashLoopBackOff' } };
    const ended = { terminated: { reason: 'Error', exitCode: 3 } };
    const app = { name: 'app', state: { running: {} }, ready: true };
    const detailsOf = (containers: object[], containerStatuses: object[], more: object = {}) =>
      reported(
        [
          {
            ...pending('p1'),
            spec: { containers, initContainers: [{ name: 'migrate' }] },
            status: { phase: 'Running', containerStatuses, ...more },
          },
        ],
        [],
      ).instances[0];
    const log = { name: 'log', state: waits, lastState: ended };
    expect(detailsOf([{ name: 'app' }, { name: 'log' }], [app, log])).toMatchObject({
      reason: 'crash_loop',
      details: { exitCode: 3, container: 'log' },
    });
    const init = { name: 'migrate', state: waits, lastState: ended };
    expect(detailsOf([{ name: 'app' }], [], { initContainerStatuses: [init] })).toMatchObject({
      reason: 'init_failed',
      details: { container: 'migrate' },
    });
    const alone = {
      ...pending('p1'),
      status: { phase: 'Running', containerStatuses: [{ ...log, name: 'app' }] },
    };
    expect(reported([alone], []).instances[0]?.details).toEqual({ exitCode: 3 });
  });

  it('name the probe for which a node ended the app, and no probe for an app that ended by itself', () => {
    const ended = (exitCode: number) => ({ terminated: { reason: 'Error', exitCode } });
    const looping = (exitCode: number, message: string, state: object) => {
      const app = { name: 'app', state, lastState: ended(exitCode), restartCount: 3 };
      const pod = { ...pending('p1'), status: { phase: 'Running', containerStatuses: [app] } };
      const events = [
        event('e1', 'p1', 'BackOff', 'Back-off restarting failed container app', 1),
        event('e2', 'p1', 'Unhealthy', message, 2),
      ];
      const { entry, instances } = reported([pod], events);
      expect(entry.reason ?? null).toBe(instances[0]?.reason === 'crash_loop' ? null : instances[0]?.reason);
      return instances[0]?.reason;
    };
    const waits = { waiting: { reason: 'CrashLoopBackOff' } };
    const [liveness, startup] = ['Liveness probe failed: timeout', 'Startup probe failed: refused'];
    expect(looping(137, liveness, waits)).toBe('liveness_failed');
    expect(looping(143, startup, waits)).toBe('startup_failed');
    expect(looping(143, startup, { running: {} }), 'while it tries again').toBe('startup_failed');
    const both = { name: 'app', state: { running: {} }, lastState: ended(137), restartCount: 3 };
    const unready = { ...pending('p1'), status: { phase: 'Running', containerStatuses: [both] } };
    const probes = reported(
      [unready],
      [
        event('e1', 'p1', 'Unhealthy', liveness, 40),
        event('e2', 'p1', 'Unhealthy', 'Readiness probe failed', 1),
      ],
    );
    expect(probes.instances[0]?.reason, 'another probe fails more often').toBe('liveness_failed');
    expect(looping(1, liveness, waits)).toBe('crash_loop');
    expect(looping(137, 'Readiness probe failed: 500', waits)).toBe('crash_loop');
    const killed = { name: 'app', state: { running: {} }, restartCount: 3, ready: true };
    const lastState = { terminated: { reason: 'OOMKilled', exitCode: 137 } };
    const again = {
      ...pending('p1'),
      status: { phase: 'Running', containerStatuses: [{ ...killed, lastState }] },
    };
    expect(reported([again], []).entry.reason, 'it is up again').toBe('oom_killed');
    const once = (minutes: number) => {
      const terminated = { ...lastState.terminated, finishedAt: minutesAgo(minutes) };
      const app = { ...killed, restartCount: 1, lastState: { terminated } };
      return reportedOf({
        Deployment: [{ ...DEPLOYMENT, spec: { ...DEPLOYMENT.spec, replicas: 1 } }],
        ReplicaSet: [SET],
        Pod: [{ ...pending('p1'), status: { phase: 'Running', containerStatuses: [app] } }],
      }).entry;
    };
    expect(once(1).reason, 'after its first end too').toBe('oom_killed');
    expect(once(30).reason, 'which explains nothing half an hour later').toBeUndefined();
    const forgotten = { ...pending('p1'), status: { phase: 'Running', containerStatuses: [killed] } };
    const failing = event('e1', 'p1', 'Unhealthy', liveness, 40);
    expect(reported([forgotten], [failing]).entry.reason, 'its node forgot the end').toBe('liveness_failed');
    const first = { name: 'app', state: { running: {} }, restartCount: 0 };
    const pod = { ...pending('p1'), status: { phase: 'Running', containerStatuses: [first] } };
    const [started] = reported([pod], [event('e1', 'p1', 'Unhealthy', startup)]).instances;
    expect(started?.reason, 'its first start is under way').toBeNull();
  });

  it('say how a readiness probe fails for as long as the pod has not been ready, with the answer', () => {
    const ready = {
      type: 'Ready',
      status: 'False',
      reason: 'ContainersNotReady',
      lastTransitionTime: minutesAgo(30),
    };
    const running = (probed: object) => ({
      ...pending('p1'),
      spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app:1', ...probed }] },
      status: {
        phase: 'Running',
        conditions: [ready],
        containerStatuses: [{ name: 'app', state: { running: {} }, ready: false, restartCount: 0 }],
      },
    });
    const message = 'Readiness probe failed: HTTP probe failed with statuscode: 404';
    const shown = (probed: object, minutes: number) =>
      reportedOf(
        {
          ...{ Deployment: [DEPLOYMENT], ReplicaSet: [SET], Pod: [running(probed)] },
          Event: [event('e1', 'p1', 'Unhealthy', message, minutes)],
        },
        { leases: LEASES_ALIVE },
      ).instances[0];
    const probed = { readinessProbe: {} };
    expect(shown(probed, 20)).toMatchObject({ reason: 'probe_failed', details: { status: 404 } });
    expect(shown(probed, 40)?.reason, 'it was ready since').toBeNull();
    expect(shown({}, 20)?.reason, 'of another container').toBeNull();
  });

  it('name the readiness gate that is not met', () => {
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' },
      { type: 'a.example/met', status: 'True' },
    ];
    const gates = ['a.example/met', 'lb.example/attached'].map((conditionType) => ({ conditionType }));
    const pod = {
      ...pending('p1'),
      spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app:1' }], readinessGates: gates },
      status: {
        phase: 'Running',
        conditions,
        containerStatuses: [{ name: 'app', state: { running: {} }, ready: true, restartCount: 0 }],
      },
    };
    const objects = { Deployment: [DEPLOYMENT], ReplicaSet: [SET], Pod: [pod] };
    expect(reportedOf(objects, { leases: LEASES_ALIVE }).instances[0]).toMatchObject({
      reason: 'readiness_gate',
      details: { gate: 'lb.example/attached' },
    });
  });

  it('say why the storage that a pod waits for is not there, by the warnings about its claim', () => {
    const unbound = 'pod has unbound immediate PersistentVolumeClaims';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: unbound }];
    const { spec, ...pod } = pending('p1');
    const volumes = [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }];
    const waiting = { ...pod, spec: { ...spec, volumes }, status: { phase: 'Pending', conditions } };
    const claim = (phase: string) => ({ metadata: meta('c1', { name: 'data' }), status: { phase } });
    const failed = {
      ...event('e1', 'c1', 'ProvisioningFailed', 'storageclass.storage.k8s.io "fast" not found'),
      involvedObject: { kind: 'PersistentVolumeClaim', name: 'data', uid: 'c1' },
    };
    const shown = (phase: string, events: readonly object[]) =>
      reportedOf({
        ...{ Deployment: [DEPLOYMENT], ReplicaSet: [SET], Pod: [waiting], Event: events },
        PersistentVolumeClaim: [claim(phase)],
      });
    expect(shown('Pending', []).instances[0]?.reason).toBe('volume_pending');
    const { instances, entry } = shown('Pending', [failed]);
    expect(instances[0]?.reason).toBe('storage_class_missing');
    expect(entry.warnings).toMatchObject([
      { about: 'PersistentVolumeClaim/data', reason: 'ProvisioningFailed' },
    ]);
    const other = { ...failed, message: 'no space left in the pool' };
    expect(shown('Pending', [other]).instances[0]?.reason).toBe('volume_provisioning_failed');
    expect(shown('Bound', [failed]).instances[0]?.reason).toBe('volume_pending');
  });

  it('are one for several pods with the same trouble, with their number', () => {
    const pods = ['p1', 'p2', 'p3'];
    const events = pods.map((pod, i) => event(`e${i}`, pod, 'Unhealthy', 'Readiness probe failed', 3 - i));
    const { warnings } = reported(pods.map(pending), events).entry;
    expect(warnings).toMatchObject([{ about: 'Pod/p3', reason: 'Unhealthy', objects: 3 }]);
  });

  it('are few, each trouble once, the newest first', () => {
    const many = Array.from({ length: 12 }, (_, i) =>
      event(`e${i}`, 'p1', `Reason${i}`, 'x'.repeat(999), 12 - i),
    );
    const again = event('again', 'p1', 'Reason11', 'x', 5);
    const { warnings = [] } = reported([pending('p1')], [...many, again]).entry;
    expect(warnings?.map(({ reason }) => reason)).toEqual([
      'Reason11',
      'Reason10',
      'Reason9',
      'Reason8',
      'Reason7',
    ]);
    expect(Math.max(...(warnings ?? []).map(({ message }) => message?.length ?? 0))).toBeLessThanOrEqual(300);
  });
});

describe('a workload that rests', () => {
  const once = (phase: string) => ({ ...pending('once'), metadata: meta('once'), status: { phase } });

  it('is a pod by itself that ended well: no copy is wanted any more, and none has crashed', () => {
    const { entry, instances } = reportedOf({ Pod: [once('Succeeded')] });
    expect(entry).toMatchObject({ replicas: 0, job: 'succeeded' });
    expect(instances).toEqual([]);
    expect(reportedOf({ Pod: [once('Failed')] }).entry).toMatchObject({ replicas: 1 });
    expect(reportedOf({ Pod: [once('Failed')] }).entry.job).toBeUndefined();
    expect(reportedOf({ Pod: [once('Failed')] }).entry.isOver, 'nothing starts it again').toBe(true);
    expect(reportedOf({ Pod: [once('Running')] }).entry.isOver).toBeUndefined();
    const failed = { ...pending('p1'), status: { phase: 'Failed' } };
    expect(reported([failed], []).entry.isOver, 'its controller makes another').toBeUndefined();
  });

  it('is a Deployment that was paused before its first rollout, and no other', () => {
    const paused = { ...DEPLOYMENT, spec: { ...DEPLOYMENT.spec, paused: true } };
    expect(reportedOf({ Deployment: [paused] }).entry).toMatchObject({ template: null, job: 'suspended' });
    expect(reportedOf({ Deployment: [paused], ReplicaSet: [SET] }).entry.job).toBeUndefined();
    expect(reportedOf({ Deployment: [DEPLOYMENT] }).entry.job).toBeUndefined();
    const unseen = { ...paused, status: {} };
    expect(reportedOf({ Deployment: [unseen] }).entry.job, 'its controller has not looked').toBeUndefined();
  });
});

describe('the runs of a CronJob', () => {
  const cron = (status: object = {}) => ({
    metadata: meta('c1'),
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: {} } } } },
    status,
  });
  const job = (uid: string, minutes: number, type?: string) => ({
    metadata: meta(uid, ownedBy('CronJob', 'c1')),
    status: {
      startTime: minutesAgo(minutes),
      conditions:
        type === undefined ? [] : [{ type, status: 'True', lastTransitionTime: minutesAgo(minutes) }],
    },
  });
  const runs = (status: object, ...jobs: readonly object[]) => {
    const { entry } = reportedOf({ CronJob: [cron(status)], Job: jobs });
    return [entry.job, entry.jobBefore];
  };

  it('tell how the last one that finished ended, while one is under way', () => {
    expect(runs({}, job('j1', 3, 'Failed'), job('j2', 1))).toEqual(['active', 'failed']);
    expect(runs({}, job('j1', 3, 'Complete'), job('j2', 1))).toEqual(['active', 'succeeded']);
    expect(runs({}, job('j2', 1))).toEqual(['active', 'none']);
    expect(runs({ lastSuccessfulTime: minutesAgo(9) }, job('j2', 1))).toEqual(['active', 'succeeded']);
    expect(runs({}, job('j1', 3, 'Complete'), job('j2', 1, 'Failed'))).toEqual(['failed', undefined]);
  });

  it('prove nothing of other images than they had: the next revision has not run yet', () => {
    const running = (image: string) => ({
      spec: { template: { spec: { containers: [{ name: 'app', image }] } } },
    });
    const next = { ...cron({ lastSuccessfulTime: minutesAgo(2) }), spec: { jobTemplate: running('app:2') } };
    const run = (image: string, ...of: Parameters<typeof job>) => ({ ...job(...of), ...running(image) });
    const told = (...jobs: readonly object[]) => {
      const { entry } = reportedOf({ CronJob: [next], Job: jobs });
      return [entry.job, entry.jobBefore];
    };
    const succeeded = run('app:1', 'j1', 3, 'Complete');
    expect(told(succeeded)).toEqual(['none', undefined]);
    expect(told(run('app:1', 'j1', 3, 'Failed')), 'nor that it fails').toEqual(['none', undefined]);
    expect(told(run('app:1', 'j1', 3)), 'it is not the first of this one').toEqual(['none', undefined]);
    expect(told(succeeded, run('app:2', 'j2', 1))).toEqual(['active', 'none']);
    expect(told(succeeded, run('app:2', 'j2', 1, 'Complete'))).toEqual(['succeeded', undefined]);
  });

  it('are told by its own times where no Job is left', () => {
    expect(runs({})).toEqual(['none', undefined]);
    expect(runs({ lastScheduleTime: minutesAgo(2) })).toEqual(['failed', undefined]);
    const succeeded = { lastScheduleTime: minutesAgo(2), lastSuccessfulTime: minutesAgo(1) };
    expect(runs(succeeded)).toEqual(['succeeded', undefined]);
    expect(runs({ active: [{ uid: 'j9' }], lastScheduleTime: minutesAgo(2) })).toEqual(['active', 'none']);
  });
});

it('a CronJob that is being deleted has the pods that are left, and no run that failed', () => {
  const cron = {
    metadata: meta('c1', { deletionTimestamp: minutesAgo(1) }),
    ...{ spec: { schedule: '* * * * *' }, status: { lastScheduleTime: minutesAgo(2) } },
  };
  const job = { metadata: meta('j1', ownedBy('CronJob', 'c1')), status: {} };
  const pod = (uid: string, phase: string) => ({
    metadata: meta(uid, { ...ownedBy('Job', 'j1'), deletionTimestamp: minutesAgo(1) }),
    ...{ spec: { containers: [{ name: 'app', image: 'app:1' }] }, status: { phase } },
  });
  const { entry, instances } = reportedOf({
    ...{ CronJob: [cron], Job: [job] },
    Pod: [pod('p1', 'Pending'), pod('p2', 'Succeeded')],
  });
  expect(entry).toMatchObject({ replicas: 0 });
  expect(entry.job).toBeUndefined();
  expect(instances.map(({ uid, phase }) => [uid, phase])).toEqual([['p1', 'stopping']]);
});

describe('a run of a CronJob that does not get on', () => {
  const cron = {
    metadata: meta('c1'),
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: {} } } } },
  };
  const run = (uid: string, minutes: number) => ({
    metadata: meta(uid, { ...ownedBy('CronJob', 'c1'), creationTimestamp: minutesAgo(minutes) }),
    status: { startTime: minutesAgo(minutes) },
  });
  const podOf = (job: string, minutes: number, status: object, spec: object = {}) => ({
    metadata: meta(`${job}-p`, { ...ownedBy('Job', job), creationTimestamp: minutesAgo(minutes) }),
    spec: { containers: [{ name: 'app', image: 'app:1' }], ...spec },
    status: { phase: 'Pending', ...status },
  });
  const waiting = (reason: string) => ({
    containerStatuses: [{ name: 'app', state: { waiting: { reason } } }],
  });
  const reasonOf = (jobs: readonly object[], pods: readonly object[], events: readonly object[] = []) =>
    reportedOf({ CronJob: [cron], Job: jobs, Pod: pods, Event: events }).entry.reason;

  it('says why: an image, room, a quota; though not in its first minute', () => {
    const image = waiting('ErrImageNeverPull');
    expect(reasonOf([run('j1', 5)], [podOf('j1', 5, image)])).toBe('image_not_found');
    expect(reasonOf([run('j1', 0.5)], [podOf('j1', 0.5, image)]), 'a cluster needs time').toBeUndefined();
    const both = [podOf('j1', 5, image), podOf('j2', 0.2, {})];
    expect(reasonOf([run('j1', 5), run('j2', 0.2)], both), 'the older of two').toBe('image_not_found');
    const unplaced = { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] };
    expect(reasonOf([run('j1', 5)], [podOf('j1', 5, unplaced)])).toBe('unschedulable');
    const quota = event('e1', 'j1', 'FailedCreate', 'pods "j1" is forbidden: exceeded quota: small');
    expect(reasonOf([run('j1', 5)], [], [quota])).toBe('quota_exceeded');
  });

  it('stands in the way of the next revision, where no two may run at a time', () => {
    const images = (image: string) => ({ template: { spec: { containers: [{ name: 'app', image }] } } });
    const old = { ...run('j1', 5), spec: images('app:1') };
    const next = (concurrencyPolicy: string) => ({
      ...cron,
      spec: { ...cron.spec, concurrencyPolicy, jobTemplate: { spec: images('app:2') } },
    });
    const of = (policy: string, status: object) =>
      reportedOf({ CronJob: [next(policy)], Job: [old], Pod: [podOf('j1', 5, status)] }).entry;
    const stuck = waiting('ErrImageNeverPull');
    expect(of('Forbid', stuck)).toMatchObject({ job: 'none', reason: 'older_run_in_the_way' });
    expect(of('Allow', stuck).reason, 'the next begins beside it').toBeUndefined();
    expect(of('Forbid', { phase: 'Running' }).reason, 'it works, and will end').toBeUndefined();
  });

  it('is one on a silent node, and none that exits or works', () => {
    expect(reasonOf([run('j1', 1)], [podOf('j1', 1, { phase: 'Running' }, { nodeName: 'n1' })])).toBe(
      'node_lost',
    );
    expect(reasonOf([run('j1', 5)], [podOf('j1', 5, { phase: 'Failed' })])).toBeUndefined();
    expect(reasonOf([run('j1', 5)], [podOf('j1', 5, { phase: 'Running' })])).toBeUndefined();
  });
});

it('says that a change waits while a Deployment is paused, and none where there is none', () => {
  const paused = (updated: number) => ({
    ...DEPLOYMENT,
    spec: { ...DEPLOYMENT.spec, paused: true },
    status: { observedGeneration: 1, replicas: 2, readyReplicas: 2, updatedReplicas: updated },
  });
  const of = (deployment: object) =>
    reportedOf({ Deployment: [deployment], ReplicaSet: [SET], Pod: [pending('p1')] }).entry.changeWaits;
  expect(of(paused(0))).toBe(true);
  expect(of(paused(2))).toBeUndefined();
  expect(of(DEPLOYMENT)).toBeUndefined();
});

describe('a rollout that waits for a person', () => {
  it('is one that is paused midway: neither before its first new copy nor after its last', () => {
    const reasonOf = (updated: number, total: number, paused = true) => {
      const status = {
        observedGeneration: 1,
        replicas: total,
        readyReplicas: total,
        updatedReplicas: updated,
      };
      const deployment = { ...DEPLOYMENT, spec: { ...DEPLOYMENT.spec, paused }, status };
      return reportedOf({ Deployment: [deployment], ReplicaSet: [SET], Pod: [pending('p1')] }).entry.reason;
    };
    expect(reasonOf(1, 3)).toBe('rollout_paused');
    expect(reasonOf(0, 2)).toBeUndefined();
    expect(reasonOf(2, 2)).toBeUndefined();
    expect(reasonOf(1, 3, false)).toBeUndefined();
  });

  it('is a StatefulSet with an older copy that is not ready, where no newer one is to blame', () => {
    const set = {
      metadata: meta('s1'),
      spec: { replicas: 2, template: { spec: { containers: [{ name: 'app', image: 'app:1' }] } } },
      status: { observedGeneration: 1, updateRevision: 's1-new', currentRevision: 's1-new' },
    };
    const copy = (uid: string, hash: string, more: object = {}) => ({
      metadata: meta(uid, {
        ...ownedBy('StatefulSet', 's1'),
        labels: { 'controller-revision-hash': hash },
        ...more,
      }),
      spec: { containers: [{ name: 'app', image: 'app:1' }] },
      status: { phase: 'Pending' },
    });
    const reasonOf = (...pods: readonly object[]) =>
      reportedOf({ StatefulSet: [set], Pod: pods }).entry.reason;
    expect(reasonOf(copy('s1-1', 's1-old'))).toBe('older_in_the_way');
    expect(reasonOf(copy('s1-1', 's1-new'))).toBeUndefined();
    expect(reasonOf(copy('s1-0', 's1-new'), copy('s1-1', 's1-old'))).toBeUndefined();
    expect(reasonOf(copy('s1-1', 's1-old', { deletionTimestamp: minutesAgo(1) }))).toBeUndefined();
  });
});

it('wants nothing of a workload that is being deleted', () => {
  const deleting = { ...DEPLOYMENT, metadata: { ...DEPLOYMENT.metadata, deletionTimestamp: minutesAgo(1) } };
  expect(reportedOf({ Deployment: [deleting], ReplicaSet: [SET] }).entry.replicas).toBe(0);
});

it('tells the instant of a warning as it is, and again only after a minute', () => {
  const warning = (seconds: number) =>
    CACHED_KINDS.Event.keep({
      ...event('e1', 'p1', 'BackOff', 'Back-off'),
      lastTimestamp: new Date(NOW + seconds * 1_000).toISOString(),
    }) as CachedRecords['Event'];
  const first = toldWarnings([warning(25)], new Map());
  expect(first.events[0]?.lastAt).toBe(new Date(NOW + 25_000).toISOString());
  const soon = toldWarnings([warning(84)], first.told);
  expect(soon.events[0]?.lastAt).toBe(new Date(NOW + 25_000).toISOString());
  expect(toldWarnings([warning(85)], soon.told).events[0]?.lastAt).toBe(new Date(NOW + 85_000).toISOString());
});

it('declares images and provenance, and nothing else of the object leaves the cluster (S15)', () => {
  const { entry } = reported([], []);
  expect(entry.workload).toEqual({
    ...{ kind: 'Deployment', namespace: 'shop', name: 'd1', uid: 'd1', managedBy: null },
    images: [{ container: 'app', image: 'app:1' }],
  });
  expect(JSON.stringify(entry)).not.toContain('hunter2');
});

describe('a pod that nobody has reached', () => {
  const answers: AppAnswers = { vantage: 'api_server', of: () => 'unproven' };
  const running = (state: object, ports: object[]) => ({
    ...pending('p1'),
    spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app:1', ports }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'app', ready: true, state }] },
  });
  const words = (state: object, ports: object[]) =>
    reportedOf(
      { Deployment: [DEPLOYMENT], ReplicaSet: [SET], Pod: [running(state, ports)] },
      { leases: LEASES_ALIVE, answers },
    ).instances[0]?.message;

  it('is said to be so only where a request is sent to it', () => {
    const runs = { running: { startedAt: minutesAgo(5) } };
    const byNode = 'its node says so and is alive';
    expect(words(runs, [{ containerPort: 8080 }])).toBe(
      `${byNode}; no request through the API server has reached it, which proves nothing`,
    );
    expect(words(runs, []), 'it names no port').toBe(byNode);
    const waits = { waiting: { reason: 'ImagePullBackOff' } };
    expect(words(waits, [{ containerPort: 8080 }]), 'it does not run').toBe(byNode);
  });
});
