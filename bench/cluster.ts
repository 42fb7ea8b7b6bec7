import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { promisify } from 'node:util';
import { startKubernetes } from '../lab/kubernetes.ts';
import type { Context } from './context.ts';
import { atMost, type Figure } from './figures.ts';
import type { HeldCluster } from './hold-cluster.ts';

const PODS = 10_000;
const NAMESPACE = 'many';
/** The promised memory of an agent that follows them. */
const PROMISED_MB = 250;
const WRITERS = 24;

/** The memory of a copy of a real cluster with 10,000 pods of two containers each, in a process of its own. */
export async function measureCluster({ say }: Context): Promise<Figure[]> {
  const started = await startKubernetes();
  if (!started.ok) {
    say(`cluster: skipped. ${started.why}`);
    return [];
  }
  const { cluster } = started;
  try {
    // It would remove pods whose owner does not exist.
    await cluster.stop('manager').catch(() => {});
    say(`cluster: writing ${PODS} pods`);
    await fill(cluster.kubeconfig);
    say('cluster: following them');
    const [, main = ''] = process.argv;
    const { stdout } = await promisify(execFile)(process.execPath, [
      main,
      '--hold-cluster',
      cluster.kubeconfig,
    ]);
    const { pods, provenMs, peakBytes, calmCpu }: HeldCluster = JSON.parse(stdout);
    if (pods !== PODS) throw new Error(`the copy has ${pods} pods`);
    const value = peakBytes / 1e6;
    const row = { bench: 'cluster', store: '', beside: null, ratio: null, goal: null };
    return [
      {
        ...{ bench: 'cluster', what: '10,000 pods, memory at its peak', store: '', value, unit: 'MB' },
        ...{ beside: { name: 'promised', value: PROMISED_MB }, ratio: value / PROMISED_MB, goal: atMost(1) },
      },
      { ...row, what: '10,000 pods, from the start to the first proof', value: provenMs, unit: 'ms' },
      { ...row, what: '10,000 pods, one core while nothing changes', value: calmCpu * 100, unit: '%' },
    ];
  } finally {
    await cluster.down();
  }
}

/** Writes the pods with their status, as kubelets would. */
async function fill(kubeconfig: string): Promise<void> {
  const text = readFileSync(kubeconfig, 'utf8');
  const server = /server"?: "([^"]+)"/.exec(text)?.[1] ?? '';
  const token = /token"?: "?([\w-]+)/.exec(text)?.[1] ?? '';
  const session = connect(server, { rejectUnauthorized: false });
  const send = sender(session, token);
  await send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  await send('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } });
  const path = `/api/v1/namespaces/${NAMESPACE}/pods`;
  let next = 0;
  const write = async () => {
    for (let i = next++; i < PODS; i = next++) {
      await send('POST', path, podOf(i));
      await send('PATCH', `${path}/web-${i}/status`, STATUS, 'application/strategic-merge-patch+json');
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  session.close();
}

function sender(session: ClientHttp2Session, token: string) {
  return (method: string, path: string, body: unknown, type = 'application/json'): Promise<void> =>
    new Promise((done, failed) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const stream = session.request({ ':method': method, ':path': path, ...headers });
      let status = 0;
      stream.once('response', (answered) => {
        status = Number(answered[':status']);
      });
      stream.once('error', failed).once('end', () => {
        if (status < 300) done();
        else failed(new Error(`${method} ${path}: ${status}`));
      });
      stream.resume().end(JSON.stringify(body));
    });
}

const CONTAINERS = ['app', 'proxy'];
const AT = '2026-01-01T00:00:00Z';

function podOf(i: number): object {
  return {
    metadata: {
      name: `web-${i}`,
      labels: { app: `web-${i % 300}`, 'pod-template-hash': '5d8f7c9b6d' },
      annotations: { note: 'x'.repeat(600) },
      ownerReferences: [
        {
          ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', controller: true },
          ...{ name: `web-${i % 300}`, uid: `0e6d855e-83ed-4ed5-b80a-${String(i % 300).padStart(12, '0')}` },
        },
      ],
    },
    spec: {
      nodeName: `node-${i % 100}`,
      automountServiceAccountToken: false,
      containers: CONTAINERS.map((name) => ({
        name,
        image: `registry.example/shop/${name}:1.2.${i % 50}`,
        env: Array.from({ length: 25 }, (_, n) => ({ name: `NAME_${n}`, value: 'v'.repeat(40) })),
        ports: [{ containerPort: 8080 }],
        readinessProbe: { httpGet: { path: '/', port: 8080 } },
      })),
    },
  };
}

const STATUS = {
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      ...{ type, status: 'True', lastTransitionTime: AT },
    })),
    containerStatuses: CONTAINERS.map((name) => ({
      ...{ name, image: name, ready: true, started: true, restartCount: 1 },
      imageID: `registry.example/shop/${name}@sha256:${'a'.repeat(64)}`,
      state: { running: { startedAt: AT } },
      lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: AT, finishedAt: AT } },
    })),
  },
};
