import { describe, expect, it } from 'vitest';
import { CACHED_KINDS, type CachedKind } from './kinds.ts';
import { keepEndpointSlice } from './network.ts';
import { keepPod } from './pod.ts';
import { keepDaemonSet, keepDeployment } from './workloads.ts';

const SECRET = 'hunter2';
const metadata = {
  name: 'web-1',
  namespace: 'shop',
  uid: 'u1',
  resourceVersion: '7',
  generation: 3,
  labels: { app: 'web', 'pod-template-hash': 'abc' },
  annotations: { note: SECRET, 'meta.helm.sh/release-name': 'web', 'deployment.kubernetes.io/revision': '4' },
  ownerReferences: [
    { kind: 'Other', name: 'o', uid: 'u0' },
    { kind: 'ReplicaSet', name: 'web', uid: 'u9', controller: true },
  ],
  managedFields: [
    { manager: 'helm', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:template': {} } } },
    { manager: 'kubelet', subresource: 'status', time: '2026-01-02T00:00:00Z', fieldsV1: {} },
  ],
};
const container = (name: string, more = {}) => ({
  name,
  image: `registry.example/${name}:1`,
  command: ['serve', SECRET],
  args: [SECRET],
  env: [{ name: 'PASSWORD', value: SECRET }],
  ...more,
});
const pod = {
  metadata,
  spec: {
    nodeName: 'n1',
    initContainers: [container('setup'), container('proxy', { restartPolicy: 'Always' })],
    containers: [
      container('app', { readinessProbe: {}, ports: [{ containerPort: 8080 }] }),
      container('late'),
    ],
    ephemeralContainers: [container('debug')],
    volumes: [{ name: 'v', secret: { secretName: SECRET } }],
  },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'x'.repeat(999) }],
    containerStatuses: [
      {
        name: 'app',
        ready: true,
        started: true,
        restartCount: 2,
        imageID: 'registry.example/app@sha256:aa',
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', message: SECRET } },
      },
    ],
  },
};

it.each(Object.keys(CACHED_KINDS) as CachedKind[])(
  'keeps no environment, command, annotation or volume: %s',
  (kind) => {
    const { keep } = CACHED_KINDS[kind];
    const template = { metadata, spec: pod.spec };
    const spec = { ...pod.spec, template, jobTemplate: { spec: { template } } };
    const data = { spec: { template } };
    const record = keep({ ...pod, spec, data });
    expect(record).toMatchObject({ uid: 'u1', version: '7' });
    expect(JSON.stringify(record)).not.toContain(SECRET);
  },
);

it.each(Object.keys(CACHED_KINDS) as CachedKind[])('has no record of what cannot be read: %s', (kind) => {
  const { keep } = CACHED_KINDS[kind];
  for (const broken of [null, 'x', {}, { metadata: { name: 'x' } }, { metadata: { ...metadata, uid: 7 } }])
    expect(keep(broken)).toBeNull();
});

describe('a pod', () => {
  const record = keepPod(pod);

  it('knows its controller, node and template', () => {
    expect(record).toMatchObject({
      controller: { kind: 'ReplicaSet', uid: 'u9' },
      node: 'n1',
      templateHash: 'abc',
      kubeletWroteAt: '2026-01-02T00:00:00Z',
      labels: null,
    });
  });

  it('names each container with its part, also one without a status', () => {
    expect(record?.containers.map(({ name, kind, state }) => [name, kind, state.kind])).toEqual([
      ['setup', 'init', 'unreported'],
      ['proxy', 'sidecar', 'unreported'],
      ['app', 'main', 'running'],
      ['late', 'main', 'unreported'],
      ['debug', 'ephemeral', 'unreported'],
    ]);
    expect(record?.containers[2]).toMatchObject({
      imageId: 'registry.example/app@sha256:aa',
      restarts: 2,
      lastEnd: { reason: 'OOMKilled', exitCode: 137 },
      ports: [8080],
    });
  });

  it('cuts text that somebody else wrote', () => {
    expect(record?.conditions[0]?.message?.length).toBeLessThan(310);
  });
});

it('reads who manages a workload, and who wrote its template', () => {
  expect(keepDeployment({ metadata, spec: { replicas: 0 } })).toMatchObject({
    managedBy: { tool: 'helm', name: 'web' },
    templateManagers: ['helm'],
    revision: '4',
    replicas: 0,
    observedGeneration: null,
  });
  const { annotations: _, ...plain } = metadata;
  expect(keepDeployment({ metadata: plain })).toMatchObject({
    managedBy: { tool: 'other', name: 'helm' },
    replicas: 1,
  });
});

it('does not take a DaemonSet that nobody counted for one without nodes', () => {
  expect(keepDaemonSet({ metadata })?.desired).toBeNull();
});

it('reads endpoints as the API means them: absent is ready, and serving follows ready', () => {
  const endpoints = [
    { targetRef: { kind: 'Pod', uid: 'p1' } },
    { conditions: { ready: false, serving: true, terminating: true } },
    { conditions: { ready: true, serving: false } },
    { conditions: { ready: false } },
  ];
  expect(keepEndpointSlice({ metadata, endpoints })?.endpoints).toEqual([
    { pod: 'p1', ready: true, serving: true, terminating: false },
    { pod: null, ready: false, serving: true, terminating: true },
    { pod: null, ready: true, serving: false, terminating: false },
    { pod: null, ready: false, serving: false, terminating: false },
  ]);
});
