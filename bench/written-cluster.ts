import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';

export const PODS_PER_NAMESPACE = 50;
const PODS_PER_DEPLOYMENT = 10;
const DEPLOYMENTS_PER_NAMESPACE = PODS_PER_NAMESPACE / PODS_PER_DEPLOYMENT;
/** As many pods as a node of a real cluster takes by default. */
const PODS_PER_NODE = 100;
/** Kubelets renew their leases so often. */
const RENEW_MS = 10_000;
const WRITERS = 24;

/**
 * The content of a real API server, written by us in place of controllers and kubelets: namespaces of 5 Deployments with
 * 10 pods each, and nodes whose leases are renewed. No process of the pods exists.
 */
export class WrittenCluster {
  readonly #session: ClientHttp2Session;
  readonly #token: string;
  readonly #renewing: NodeJS.Timeout;
  #namespaces = 0;
  #nodes = 0;

  constructor(kubeconfig: string) {
    const text = readFileSync(kubeconfig, 'utf8');
    this.#token = /token"?: "?([\w-]+)/.exec(text)?.[1] ?? '';
    const server = /server"?: "([^"]+)"/.exec(text)?.[1] ?? '';
    this.#session = connect(server, { rejectUnauthorized: false });
    this.#renewing = setInterval(() => void this.#renew().catch(() => {}), RENEW_MS);
  }

  close(): void {
    clearInterval(this.#renewing);
    this.#session.close();
  }

  /** Names of the services that the written Deployments are, at the target `lab`. */
  services(): string[] {
    return Array.from(
      { length: this.#namespaces * DEPLOYMENTS_PER_NAMESPACE },
      (_, i) => `${deploymentOf(i).name}.${deploymentOf(i).namespace}@lab`,
    );
  }

  /** Writes until there are so many pods. */
  async fill(pods: number): Promise<void> {
    const nodes = Math.ceil(pods / PODS_PER_NODE);
    while (this.#nodes < nodes) await this.#addNode(this.#nodes++);
    const from = this.#namespaces;
    this.#namespaces = Math.ceil(pods / PODS_PER_NAMESPACE);
    const added = Array.from({ length: this.#namespaces - from }, (_, i) => `ns-${from + i}`);
    for (const name of added) {
      await this.#send('POST', '/api/v1/namespaces', { metadata: { name } });
      await this.#send('POST', `/api/v1/namespaces/${name}/serviceaccounts`, {
        metadata: { name: 'default' },
      });
    }
    const deployments = this.services().length;
    let next = from * DEPLOYMENTS_PER_NAMESPACE;
    const write = async () => {
      for (let i = next++; i < deployments; i = next++) await this.#addDeployment(i, nodes);
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
  }

  /** Writes the status of the first pod of a Deployment, as its kubelet would. */
  async setReady(deployment: number, ready: boolean): Promise<void> {
    const { namespace, name } = deploymentOf(deployment);
    await this.#writeStatus(namespace, `${name}-${HASH}-0`, ready);
  }

  async #addNode(node: number): Promise<void> {
    const name = `node-${node}`;
    await this.#send('POST', '/api/v1/nodes', { metadata: { name } });
    await this.#send('POST', LEASES, {
      metadata: { name, namespace: 'kube-node-lease' },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: renewTime() },
    });
  }

  async #renew(): Promise<void> {
    const body = { spec: { renewTime: renewTime() } };
    for (let node = 0; node < this.#nodes; node++) await this.#patch(`${LEASES}/node-${node}`, body);
  }

  async #addDeployment(i: number, nodes: number): Promise<void> {
    const { namespace, name } = deploymentOf(i);
    const metadata = { name, namespace, labels: { app: name }, annotations: REVISION };
    const template = { metadata: { labels: { app: name, ...TEMPLATE } }, spec: specOf(i, null) };
    const spec = { replicas: PODS_PER_DEPLOYMENT, selector: { matchLabels: { app: name } }, template };
    const counts = { replicas: PODS_PER_DEPLOYMENT, readyReplicas: PODS_PER_DEPLOYMENT };
    const status = { status: { observedGeneration: 1, updatedReplicas: PODS_PER_DEPLOYMENT, ...counts } };
    const apps = `/apis/apps/v1/namespaces/${namespace}`;
    const deployment = await this.#send('POST', `${apps}/deployments`, { metadata, spec });
    await this.#patch(`${apps}/deployments/${name}/status`, status);
    const set = await this.#send('POST', `${apps}/replicasets`, {
      metadata: {
        ...{ ...metadata, name: `${name}-${HASH}`, labels: { app: name, ...TEMPLATE } },
        ownerReferences: [ownerOf('Deployment', deployment)],
      },
      spec,
    });
    await this.#patch(`${apps}/replicasets/${name}-${HASH}/status`, {
      status: { observedGeneration: 1, ...counts },
    });
    for (let pod = 0; pod < PODS_PER_DEPLOYMENT; pod++) {
      await this.#send('POST', `/api/v1/namespaces/${namespace}/pods`, {
        metadata: {
          ...{ name: `${name}-${HASH}-${pod}`, labels: { app: name, ...TEMPLATE } },
          annotations: { note: 'x'.repeat(600) },
          ownerReferences: [ownerOf('ReplicaSet', set)],
        },
        spec: specOf(i, (i * PODS_PER_DEPLOYMENT + pod) % nodes),
      });
      await this.#writeStatus(namespace, `${name}-${HASH}-${pod}`, true);
    }
  }

  #writeStatus(namespace: string, pod: string, ready: boolean): Promise<unknown> {
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/status?fieldManager=kubelet`;
    return this.#patch(path, statusOf(ready));
  }

  #patch(path: string, body: unknown): Promise<unknown> {
    return this.#send('PATCH', path, body, 'application/merge-patch+json');
  }

  #send(method: string, path: string, body: unknown, type = 'application/json'): Promise<unknown> {
    return new Promise((done, failed) => {
      const headers = { authorization: `Bearer ${this.#token}`, 'content-type': type };
      const stream = this.#session.request({ ':method': method, ':path': path, ...headers });
      let status = 0;
      let text = '';
      stream.once('response', (answered) => {
        status = Number(answered[':status']);
      });
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      stream.once('error', failed).once('end', () => {
        if (status < 300) done(JSON.parse(text));
        else failed(new Error(`${method} ${path}: ${status} ${text}`));
      });
      stream.end(JSON.stringify(body));
    });
  }
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const HASH = '5d8f7c9b6d';
const TEMPLATE = { 'pod-template-hash': HASH };
const REVISION = { 'deployment.kubernetes.io/revision': '1' };
const CONTAINERS = ['app', 'proxy'];
const AT = '2026-01-01T00:00:00Z';

/** The API's instants of leases have microseconds. */
const renewTime = () => new Date().toISOString().replace('Z', '000Z');

const deploymentOf = (i: number) => ({
  namespace: `ns-${Math.floor(i / DEPLOYMENTS_PER_NAMESPACE)}`,
  name: `web-${i % DEPLOYMENTS_PER_NAMESPACE}`,
});

function ownerOf(kind: string, written: unknown): object {
  const { metadata } = written as { metadata: { name: string; uid: string } };
  return { apiVersion: 'apps/v1', kind, name: metadata.name, uid: metadata.uid, controller: true };
}

function specOf(i: number, node: number | null): object {
  return {
    ...(node === null ? {} : { nodeName: `node-${node}` }),
    automountServiceAccountToken: false,
    containers: CONTAINERS.map((name) => ({
      name,
      image: `registry.example/shop/${name}:1.2.${i % 50}`,
      env: Array.from({ length: 25 }, (_, n) => ({ name: `NAME_${n}`, value: 'v'.repeat(40) })),
      ports: [{ containerPort: 8080 }],
      readinessProbe: { httpGet: { path: '/', port: 8080 } },
    })),
  };
}

function statusOf(ready: boolean): object {
  const status = ready ? 'True' : 'False';
  const unready = ready
    ? {}
    : { reason: 'ContainersNotReady', message: 'containers with unready status: [app]' };
  return {
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [
        ...['Initialized', 'PodScheduled'].map((type) => ({ type, status: 'True', lastTransitionTime: AT })),
        ...['Ready', 'ContainersReady'].map((type) => ({ type, status, lastTransitionTime: AT, ...unready })),
      ],
      containerStatuses: CONTAINERS.map((name) => ({
        ...{ name, image: name, ready: ready || name !== 'app', started: true, restartCount: 1 },
        imageID: `registry.example/shop/${name}@sha256:${'a'.repeat(64)}`,
        state: { running: { startedAt: AT } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', startedAt: AT, finishedAt: AT } },
      })),
    },
  };
}
