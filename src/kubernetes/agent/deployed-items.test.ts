import { describe, expect, it } from 'vitest';
import { CACHED_KINDS, type CachedKind, type CachedRecords } from '../cache/kinds.ts';
import type { PodAnswer } from '../observe/asked-pods.ts';
import type { ClusterRecords } from '../observe/records.ts';
import { LEASES_ALIVE, NOW } from '../observe/samples.ts';
import { observeWorkloads } from '../observe/workload.ts';
import { deployedItems } from './deployed-items.ts';

const meta = (uid: string, more: object = {}) => ({
  ...{ uid, name: uid, namespace: 'apps', resourceVersion: '1', generation: 1 },
  ...more,
});
const ownedBy = (kind: string, uid: string) => ({
  ownerReferences: [{ kind, uid, name: uid, controller: true }],
});
const marked = (stamp: string, more: object = {}) => ({
  annotations: { 'evident.dev/service': 'web@lab', 'evident.dev/stamp': stamp, ...more },
});
const number = (value: string) => ({ 'deployment.kubernetes.io/revision': value });
const ownTemplate = (manager = 'evident') => ({
  manager,
  operation: 'Apply',
  fieldsV1: { 'f:spec': { 'f:template': {} } },
});

const deployment = (current: string, { observed = 1, by = ['evident'] } = {}) => ({
  metadata: meta('web', {
    ...marked('2.1.5', number(current)),
    managedFields: by.map((one) => ownTemplate(one)),
  }),
  spec: { replicas: 1 },
  status: { observedGeneration: observed },
});
const replicaSet = (hash: string, current: string, rollout: string, createdAt = `2026-01-0${current}`) => ({
  metadata: meta(hash, {
    ...ownedBy('Deployment', 'web'),
    creationTimestamp: createdAt,
    annotations: number(current),
    labels: { 'pod-template-hash': hash },
  }),
  spec: { template: { metadata: { annotations: { 'evident.dev/rollout': rollout } } } },
});
const pod = (uid: string, set: string, ready = 'True') => ({
  metadata: meta(uid, { ...ownedBy('ReplicaSet', set), labels: { 'pod-template-hash': set } }),
  spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app:1', ports: [{ containerPort: 80 }] }] },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: ready, reason: ready === 'True' ? undefined : 'NotReady' }],
    containerStatuses: [
      { name: 'app', ready: ready === 'True', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } },
    ],
  },
});
const SERVICE = { metadata: meta('web'), spec: { ports: [{ port: 80 }] } };
const slice = (...pods: readonly string[]) => ({
  metadata: meta('slice', { labels: { 'kubernetes.io/service-name': 'web' } }),
  endpoints: pods.map((uid) => ({ targetRef: { kind: 'Pod', uid }, conditions: { ready: true } })),
});

function itemsOf(
  objects: Partial<Record<CachedKind, readonly object[]>>,
  answer: (uid: string) => PodAnswer = () => 'answers',
) {
  const all = <K extends CachedKind>(kind: K) =>
    (objects[kind] ?? []).map((object) => CACHED_KINDS[kind].keep(object) as CachedRecords[K]);
  const records: ClusterRecords = {
    records: (kind) => all(kind),
    record: (kind, uid) => all(kind).find((one) => one.uid === uid) ?? null,
  };
  const [workload] = observeWorkloads('apps', {
    ...{ records, places: new Map(), leases: LEASES_ALIVE, vanished: new Map(), restored: new Map() },
    ...{ now: NOW, wallNow: 0 },
  });
  if (workload?.deployed === undefined) throw new Error('nothing that was deployed');
  const { entry, instances } = deployedItems(workload, workload.deployed, {
    ...{ records, warnings: new Map(), now: 0 },
    answers: { vantage: 'api_server', of: ({ uid }) => answer(uid) },
  });
  return { entry, instances, route: entry?.route };
}

const RUNNING = {
  Deployment: [deployment('2')],
  ReplicaSet: [replicaSet('h1', '1', '1.1.4'), replicaSet('h2', '2', '2.1.5')],
  Pod: [pod('p2', 'h2')],
  Service: [SERVICE],
  EndpointSlice: [slice('p2')],
};

describe('a workload that was deployed here', () => {
  it('counts each copy for the attempt whose template its own controller has', () => {
    const { instances } = itemsOf({ ...RUNNING, Pod: [pod('p1', 'h1'), pod('p2', 'h2', 'False')] });
    expect(instances).toMatchObject([
      { uid: 'p1', service: 'web@lab', revision: 1, attempt: 1, fence: '4', template: null },
      { uid: 'p2', revision: 2, attempt: 1, fence: '5', ready: false },
    ]);
  });

  it('has the route of the newest order once every endpoint is a copy of its template, and one answers', () => {
    expect(itemsOf(RUNNING).route).toEqual({ answers: true, revision: 2, attempt: 1 });
    expect(itemsOf(RUNNING, () => 'unproven').route).toMatchObject({ answers: false });
    const both = { ...RUNNING, Pod: [pod('p1', 'h1'), pod('p2', 'h2')] };
    const mixed = itemsOf({ ...both, EndpointSlice: [slice('p1', 'p2')] });
    expect(mixed.route).toEqual({ answers: true, revision: null, attempt: null });
    const former = itemsOf({ ...both, EndpointSlice: [slice('p1')] });
    expect(former.route).toEqual({ answers: true, revision: 1, attempt: 1 });
    const strange = itemsOf({ ...both, EndpointSlice: [slice('p2', 'another')] });
    expect(strange.route).toMatchObject({ revision: null });
  });

  it('has the route of a scale, whose copies are of the template before', () => {
    const kept = { ...RUNNING, ReplicaSet: [replicaSet('h2', '2', '1.1.4')] };
    const { instances, route } = itemsOf(kept);
    expect(instances).toMatchObject([{ revision: 1, attempt: 1 }]);
    expect(route).toEqual({ answers: true, revision: 2, attempt: 1 });
  });

  it('is drifted where another manager owns a part of the template, and has no route of its own', () => {
    const changed = {
      ...RUNNING,
      Deployment: [deployment('3', { by: ['evident', 'kubectl-set'] })],
      ReplicaSet: [...RUNNING.ReplicaSet, replicaSet('h3', '3', '2.1.5')],
      Pod: [pod('p3', 'h3')],
      EndpointSlice: [slice('p3')],
    };
    const { instances, route } = itemsOf(changed);
    expect(instances).toMatchObject([{ uid: 'p3', reason: 'drifted', revision: 2, fence: '5' }]);
    expect(route).toMatchObject({ revision: null });
  });

  it('calls a copy not ready that has stopped answering, whatever its node says', () => {
    const { instances, route } = itemsOf(RUNNING, () => 'stopped_answering');
    expect(instances).toMatchObject([{ ready: false, reason: 'not_answering' }]);
    expect(route).toMatchObject({ answers: false });
  });

  it('needs no route without a Service, and is behind until its controller has looked', () => {
    const { Service: _, ...portless } = RUNNING;
    const { entry } = itemsOf({ ...portless, Deployment: [deployment('2', { observed: 0 })] });
    expect(entry).not.toHaveProperty('route');
    expect(entry).toMatchObject({ service: 'web@lab', generation: { desired: '1', observed: '0' } });
  });

  it('is none under another name: marks are copied with everything else', () => {
    const copied = { ...deployment('2'), metadata: { ...deployment('2').metadata, name: 'copy' } };
    expect(() => itemsOf({ ...RUNNING, Deployment: [copied] })).toThrow('nothing that was deployed');
  });
});
