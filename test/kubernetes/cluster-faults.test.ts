import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { OwnKubernetes } from '../../lab/kubernetes.ts';
import { openAccess } from '../../src/kubernetes/api/access.ts';
import { ApiConnection } from '../../src/kubernetes/api/connection.ts';
import { discoverResources, readClusterIdentity } from '../../src/kubernetes/api/discovery.ts';
import { readAll } from '../../src/kubernetes/api/read-all.ts';
import { Reflector } from '../../src/kubernetes/api/reflect/reflector.ts';
import { type CacheChange, ClusterCache } from '../../src/kubernetes/cache/cluster-cache.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Twice the worst age of a calm watch: far from both sides. */
const PROVEN_MS = 12_000;
const RECOVERS = { timeout: 60_000, interval: 100 };

const deployment = (name: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: registry.local/app:1}]}
`;

describeWithCluster('a cache of a real cluster', (cluster) => {
  const opened: { stop(): void }[] = [];
  afterEach(() => {
    for (const one of opened.splice(0).toReversed()) one.stop();
  });

  async function connect(kubeconfig = cluster().kubeconfig): Promise<ApiConnection> {
    const connection = new ApiConnection(await openAccess({ kubeconfig }));
    opened.push({ stop: () => connection.close() });
    return connection;
  }

  async function cacheOf(namespaces: readonly string[] | 'all', kubeconfig?: string) {
    const changes: CacheChange[] = [];
    const onChange = (change: CacheChange) => changes.push(change);
    const cache = new ClusterCache(await connect(kubeconfig), { namespaces, onChange });
    cache.start();
    opened.push(cache);
    return { cache, changes };
  }

  const isProven = (cache: ClusterCache, namespace = 'default') =>
    vi.waitFor(() => {
      const { isComplete, watchAgeMs, problem } = cache.namespaceStanding(namespace);
      expect({ isComplete, problem: problem?.kind ?? null }).toEqual({ isComplete: true, problem: null });
      expect(watchAgeMs ?? Number.POSITIVE_INFINITY).toBeLessThan(PROVEN_MS);
    }, RECOVERS);

  const removed = (changes: readonly CacheChange[]) =>
    changes.filter(({ kind, of }) => (kind === 'deleted' || kind === 'dropped') && of !== 'Event');

  it('reads what is there, and follows it', async () => {
    const connection = await connect();
    expect(await readClusterIdentity(connection)).toMatch(/^[0-9a-f-]{36}$/);
    const { resources, stale } = await discoverResources(connection);
    expect(stale).toEqual([]);
    const namespaces = resources.filter(({ kind }) => kind === 'Namespace');
    const names: unknown[] = [];
    for await (const item of readAll(connection, namespaces, 'all'))
      names.push(
        item.kind === 'object' ? (item.object as { metadata: { name: string } }).metadata.name : item,
      );
    expect(names).toContain('kube-system');

    const { cache } = await cacheOf('all');
    await isProven(cache);
    await cluster().kubectl(['apply', '-f', '-'], deployment('followed'));
    await vi.waitFor(() => {
      const [found] = [...cache.records('Deployment')].filter(({ name }) => name === 'followed');
      expect(found).toMatchObject({ replicas: 2, images: { app: 'registry.local/app:1' } });
      expect(found && cache.record('Deployment', found.uid)).toBe(found);
    }, RECOVERS);
    expect(cache.namespaces()).toContain('default');
    expect(cache.nodesStanding().isComplete).toBe(true);
    await cluster().kubectl(['delete', 'deployment', 'followed']);
    await vi.waitFor(() => expect([...cache.records('Deployment', 'default')]).toEqual([]), RECOVERS);
  });

  it('forbids one namespace and no other when RBAC is revoked, and recovers (F77)', async () => {
    const { kubectl } = cluster();
    for (const namespace of ['one', 'two']) {
      await kubectl(['create', 'namespace', namespace]);
      await kubectl([
        'create',
        'rolebinding',
        'reads',
        '--clusterrole=cluster-admin',
        '--user=agent',
        '-n',
        namespace,
      ]);
    }
    const { cache } = await cacheOf(['one', 'two'], await impersonating(cluster(), 'agent'));
    await isProven(cache, 'one');
    await isProven(cache, 'two');
    // Nodes were never allowed.
    expect(cache.nodesStanding().problem?.kind).toBe('forbidden');
    await kubectl(['delete', 'rolebinding', 'reads', '-n', 'two']);
    await vi.waitFor(() => expect(cache.namespaceStanding('two').problem?.kind).toBe('forbidden'), RECOVERS);
    await isProven(cache, 'one');
    await kubectl([
      'create',
      'rolebinding',
      'reads',
      '--clusterrole=cluster-admin',
      '--user=agent',
      '-n',
      'two',
    ]);
    await isProven(cache, 'two');
  });

  it('reads a token file again when its token is refused', async () => {
    const { kubectl, dir, kubeconfig } = cluster();
    const [tokenFile, config] = [join(dir, 'agent-token'), join(dir, 'agent-kubeconfig')];
    const admin = await kubectl(['config', 'view', '--raw', '-o', 'jsonpath={.users[0].user.token}']);
    const server = await kubectl(['config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}']);
    writeFileSync(tokenFile, 'expired');
    writeFileSync(config, kubeconfigFor(server, { tokenFile: 'agent-token' }));
    const { cache } = await cacheOf(['default'], config);
    await vi.waitFor(
      () => expect(cache.namespaceStanding('default').problem?.kind).toBe('unauthorized'),
      RECOVERS,
    );
    writeFileSync(tokenFile, `${admin}\n`);
    await isProven(cache);
    expect(kubeconfig).not.toBe(config);
  });

  it('forgets a custom resource whose definition is removed', async () => {
    const { kubectl } = cluster();
    await kubectl(['apply', '-f', '-'], DEFINITION);
    await kubectl(['wait', '--for=condition=Established', 'crd/carts.shop.example']);
    await vi.waitFor(() => kubectl(['apply', '-f', '-'], CART), RECOVERS);
    const dropped: string[] = [];
    const carts = new Reflector(await connect(), {
      resource: { group: 'shop.example', version: 'v1', resource: 'carts', kind: 'Cart', namespaced: true },
      scope: 'all',
      keep: (object) => {
        const { uid, name, namespace, resourceVersion } = (object as { metadata: Record<string, string> })
          .metadata;
        return uid && name && namespace && resourceVersion
          ? { uid, name, namespace, version: resourceVersion }
          : null;
      },
      onChange: (change) => change.kind === 'dropped' && dropped.push(change.because),
    });
    carts.start();
    opened.push(carts);
    await vi.waitFor(() => expect(carts.standing().watchAgeMs).not.toBeNull(), RECOVERS);
    expect(carts.records.size).toBe(1);
    await kubectl(['delete', 'crd', 'carts.shop.example']);
    await vi.waitFor(() => expect(carts.standing()).toMatchObject({ problem: { kind: 'absent' } }), RECOVERS);
    expect({ dropped: dropped[0], size: carts.records.size }).toEqual({ dropped: 'absent', size: 0 });
  });

  it('ages while etcd is frozen, though the watch stays open, and recovers (F66)', async () => {
    const { cache, changes } = await cacheOf('all');
    await isProven(cache);
    cluster().freeze('etcd');
    await wait(20_000);
    const aged = cache.namespaceStanding('default');
    cluster().thaw('etcd');
    expect(aged.watchAgeMs).toBeGreaterThan(PROVEN_MS);
    await isProven(cache);
    expect(removed(changes)).toEqual([]);
  });

  it('ages while the API server is frozen, and recovers', async () => {
    const { cache, changes } = await cacheOf('all');
    await isProven(cache);
    cluster().freeze('apiserver');
    await wait(15_000);
    const aged = cache.namespaceStanding('default');
    cluster().thaw('apiserver');
    expect(aged.watchAgeMs).toBeGreaterThan(PROVEN_MS);
    await isProven(cache);
    expect(removed(changes)).toEqual([]);
  });

  it('recovers from a restart of the API server without a deletion (F60)', async () => {
    const { cache, changes } = await cacheOf('all');
    await isProven(cache);
    await cluster().stop('apiserver');
    await vi.waitFor(
      () => expect(cache.namespaceStanding('default').problem?.kind).toBe('unreachable'),
      RECOVERS,
    );
    await cluster().start('apiserver');
    await isProven(cache);
    expect(removed(changes)).toEqual([]);
  });

  it('believes nobody while an API server shows the past of a restored etcd (rule 1, F61)', async () => {
    const { kubectl } = cluster();
    await cluster().backUp();
    await kubectl(['apply', '-f', '-'], deployment('lost'));
    const { cache, changes } = await cacheOf('all');
    await isProven(cache);
    await cluster().restore();
    const told = { of: 'Deployment', kind: 'dropped', because: 'restored' };
    await vi.waitFor(() => expect(changes).toContainEqual(told), RECOVERS);
    expect(cache.namespaceStanding('default')).toMatchObject({
      watchAgeMs: null,
      problem: { kind: 'restored' },
    });
    // kubectl goes on showing it: that is the lie.
    expect(await kubectl(['get', 'deployments', '-o', 'name'])).toContain('lost');
    await cluster().stop('apiserver');
    await cluster().start('apiserver');
    await isProven(cache);
    expect([...cache.records('Deployment')].map(({ name }) => name)).not.toContain('lost');
  });
});

/** A kubeconfig of admin that acts as somebody else. */
async function impersonating({ kubectl, dir }: OwnKubernetes, user: string): Promise<string> {
  const token = await kubectl(['config', 'view', '--raw', '-o', 'jsonpath={.users[0].user.token}']);
  const server = await kubectl(['config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}']);
  const file = join(dir, `${user}-kubeconfig`);
  writeFileSync(file, kubeconfigFor(server, { token, as: user }));
  return file;
}

function kubeconfigFor(server: string, user: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    clusters: [{ name: 'lab', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'agent', user }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'agent' } }],
    'current-context': 'lab',
  });
}

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: carts.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: carts, singular: cart, kind: Cart}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`;
const CART = `
apiVersion: shop.example/v1
kind: Cart
metadata: {name: mine, namespace: default}
`;
