import type { FakeCluster } from './fake-cluster.ts';

const AT = '2026-01-01T00:00:00Z';

const owner = (kind: string, uid: string) => ({
  ownerReferences: [{ kind, name: uid, uid, controller: true }],
});

/** A Deployment with its ReplicaSet, as its controller writes them. */
export function putDeployment(
  cluster: FakeCluster,
  namespace: string,
  name: string,
  replicas: number,
  more: {
    readonly annotations?: object;
    readonly labels?: object;
    readonly spec?: object;
    readonly container?: object;
  } = {},
): void {
  const annotations = { 'deployment.kubernetes.io/revision': '1', ...more.annotations };
  const containers = [{ name: 'app', image: 'app:1', ...more.container }];
  const template = { metadata: { annotations }, spec: { containers, ...more.spec } };
  cluster.put('deployments', {
    metadata: {
      ...{ name, uid: `${namespace}-${name}`, namespace, annotations, creationTimestamp: AT },
      ...(more.labels !== undefined && { labels: more.labels }),
    },
    ...{ spec: { replicas, template }, status: { observedGeneration: 1, readyReplicas: replicas } },
  });
  cluster.put('replicasets', {
    metadata: {
      ...{ name: `${name}-1`, uid: `${namespace}-${name}-1`, namespace, annotations },
      ...{ labels: { 'pod-template-hash': '1' }, ...owner('Deployment', `${namespace}-${name}`) },
    },
    ...{ spec: { replicas, template }, status: { observedGeneration: 1 } },
  });
}

/** A pod of it on a node, as its kubelet writes it. */
export function putPod(
  cluster: FakeCluster,
  namespace: string,
  name: string,
  { ready = true, node = 'n1', index = 0, lastState = {}, more = {} }: PodShape = {},
): void {
  cluster.put('pods', {
    metadata: {
      ...{ name: `${name}-1-${index}`, uid: `${namespace}-${name}-1-${index}`, namespace },
      ...{ labels: { 'pod-template-hash': '1' }, ...owner('ReplicaSet', `${namespace}-${name}-1`) },
      ...(more.metadata ?? {}),
    },
    spec: { nodeName: node, containers: [{ name: 'app', image: 'app:1', ...more.container }], ...more.spec },
    status: {
      phase: 'Running',
      conditions: [
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          ...(ready ? {} : { reason: 'ContainersNotReady' }),
        },
      ],
      containerStatuses: [
        {
          ...{ name: 'app', ready, restartCount: 0, lastState, state: { running: { startedAt: AT } } },
          imageID: `registry.example/app@sha256:${'a'.repeat(64)}`,
        },
      ],
    },
  });
}

interface PodShape {
  readonly ready?: boolean;
  readonly node?: string;
  readonly index?: number;
  readonly lastState?: object;
  readonly more?: {
    readonly metadata?: object;
    readonly spec?: object;
    readonly container?: object;
  };
}

/** The lease of a node, renewed: each call is a word of its kubelet. */
export function renewLease(cluster: FakeCluster, node: string): void {
  cluster.put('leases', {
    metadata: { name: node, uid: `lease-${node}`, namespace: 'kube-node-lease' },
    spec: { renewTime: new Date().toISOString(), leaseDurationSeconds: 40 },
  });
}
