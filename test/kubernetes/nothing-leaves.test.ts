import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runAgent } from '../../src/agent/agent.ts';
import type { Client } from '../../src/client/client.ts';
import { KubernetesRuntime } from '../../src/kubernetes/agent/runtime.ts';
import { FakeCluster } from './fake-cluster.ts';
import { putDeployment, putPod, renewLease } from './fake-workloads.ts';

vi.setConfig({ testTimeout: 60_000 });
const PATIENT = { timeout: 30_000, interval: 20 };

/** Planted wherever a cluster keeps what is nobody else's business; no request may have any of it in it. */
const MARK = 'planted-7f3a';
const marked = (place: string) => `${MARK}-${place}`;

/** Fields of a pod's spec that say how an app is started, and with which secrets. */
const SPEC = {
  volumes: [
    { name: marked('volume'), secret: { secretName: marked('secret') } },
    { name: 'config', configMap: { name: marked('config') } },
    { name: 'disk', hostPath: { path: `/${marked('path')}` } },
  ],
  serviceAccountName: marked('account'),
  imagePullSecrets: [{ name: marked('pull') }],
  hostAliases: [{ ip: '10.0.0.1', hostnames: [marked('alias')] }],
  tolerations: [{ key: marked('toleration') }],
  nodeSelector: { pool: marked('pool') },
};
const CONTAINER = {
  command: ['sh', '-c', marked('command')],
  args: [`--password=${marked('argument')}`],
  workingDir: `/${marked('directory')}`,
  env: [
    { name: marked('name'), value: marked('value') },
    { name: 'TOKEN', valueFrom: { secretKeyRef: { name: marked('reference'), key: marked('key') } } },
  ],
  envFrom: [{ secretRef: { name: marked('all') } }],
  volumeMounts: [{ name: marked('volume'), mountPath: `/${marked('mount')}` }],
  livenessProbe: { exec: { command: [marked('probe')] } },
  readinessProbe: { httpGet: { path: '/', port: 80, httpHeaders: [{ name: 'X', value: marked('header') }] } },
  lifecycle: { preStop: { exec: { command: [marked('hook')] } } },
};
const ANNOTATIONS = {
  note: marked('annotation'),
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: marked('applied') }),
};
/** The app's own last words, which may say anything. */
const ENDED = { terminated: { exitCode: 1, reason: 'Error', message: marked('last words') } };

interface SentRequest {
  readonly path: string;
  readonly body: unknown;
}

let cluster: FakeCluster;
let runtime: KubernetesRuntime;
const stop = new AbortController();
let ended: Promise<void>;
const sent: SentRequest[] = [];

/** A server that takes everything and keeps what it was sent. */
const client = {
  server: 'http://server',
  call: async (_: string, path: string, body: { seq?: string; beats?: object[] } = {}) => {
    sent.push({ path, body });
    const now = new Date().toISOString();
    const observation = { version: 1, namespaces: ['*'], selector: null };
    if (path.endsWith('/registrations'))
      return { epoch: '1', reportEveryMs: 100, freshForMs: 15_000, now, observation, names: [] };
    if (path === '/v1/leases') return new Promise((done) => setTimeout(() => done(null), 50));
    if (body.beats !== undefined)
      return { now, observation, beats: body.beats.map((beat) => ({ ...beat, resync: false })) };
    return { now, observation, seq: body.seq, resync: false, rejected: [] };
  },
} as unknown as Client;

beforeEach(async () => {
  cluster = await FakeCluster.start();
  putDeployment(cluster, 'shop', 'web', 2, { annotations: ANNOTATIONS, spec: SPEC, container: CONTAINER });
  for (const [index, ready] of [true, false].entries())
    putPod(cluster, 'shop', 'web', {
      ...{ index, ready, lastState: ENDED },
      more: { metadata: { annotations: ANNOTATIONS }, spec: SPEC, container: CONTAINER },
    });
  cluster.put('events', {
    metadata: { name: 'e1', uid: 'e1', namespace: 'shop', annotations: ANNOTATIONS },
    involvedObject: { kind: 'Pod', name: 'web-1-1', uid: 'shop-web-1-1', namespace: 'shop' },
    ...{ type: 'Warning', reason: 'BackOff', message: 'Back-off restarting failed container app' },
    lastTimestamp: new Date().toISOString(),
    source: { component: 'kubelet', host: marked('host') },
  });
  runtime = new KubernetesRuntime({
    ...{ connection: cluster.connect(), identity: 'cluster', target: 'lab' },
    ...{ defaultNamespace: 'default', namespaces: 'all' },
  });
  ended = runAgent({ client, runtime, target: 'lab', name: 'a', version: '0', say: () => {} }, stop.signal);
});
afterEach(async () => {
  stop.abort();
  await ended.catch(() => {});
  await runtime.close();
  await cluster.stop();
});

it('no environment, command, annotation, secret or volume of a cluster is in any request of its agent (S15)', async () => {
  const texts = () => sent.map((request) => JSON.stringify(request));
  const showsPods = () => texts().filter((text) => text.includes('shop-web-1-')).length;
  await expect.poll(showsPods, PATIENT).toBeGreaterThan(0);
  // Full, change and heartbeat.
  renewLease(cluster, 'n1');
  await expect.poll(() => texts().some((text) => text.includes('"beats"')), PATIENT).toBe(true);
  renewLease(cluster, 'n1');
  await expect.poll(() => texts().some((text) => text.includes('"changed"')), PATIENT).toBe(true);
  putPod(cluster, 'shop', 'web', {
    ...{ index: 0, ready: false, lastState: ENDED },
    more: { metadata: { annotations: ANNOTATIONS }, spec: SPEC, container: CONTAINER },
  });
  const before = showsPods();
  await expect.poll(showsPods, PATIENT).toBeGreaterThan(before);
  expect(texts().some((text) => text.includes('BackOff'))).toBe(true);
  expect(texts().filter((text) => text.includes(MARK))).toEqual([]);
});
