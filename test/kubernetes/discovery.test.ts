import { afterEach, expect, it } from 'vitest';
import { ApiConnection } from '../../src/kubernetes/api/connection.ts';
import { discoverResources, readClusterIdentity } from '../../src/kubernetes/api/discovery.ts';
import { FakeApi, type FakeRequest } from './fake-api.ts';

let fake: FakeApi;
let connection: ApiConnection;
afterEach(async () => {
  connection.close();
  await fake.stop();
});

async function connect(answer: (request: FakeRequest) => void): Promise<ApiConnection> {
  fake = await FakeApi.start(answer);
  connection = new ApiConnection(fake.access);
  return connection;
}

const served = (resource: string, kind: string, scope = 'Namespaced') => ({
  resource,
  responseKind: { kind },
  scope,
  verbs: ['list'],
});

it('takes each kind in the version its group prefers, and names groups that do not answer', async () => {
  const groups = [
    {
      metadata: { name: 'shop.example' },
      versions: [
        { version: 'v1', resources: [served('carts', 'Cart')] },
        { version: 'v1beta1', resources: [served('carts', 'Cart'), served('shelves', 'Shelf', 'Cluster')] },
      ],
    },
    { metadata: { name: 'metrics.example' }, versions: [{ version: 'v1', freshness: 'Stale' }] },
  ];
  const core = [{ versions: [{ version: 'v1', resources: [served('pods', 'Pod')] }] }];
  await connect(({ path, json }) =>
    json({ kind: 'APIGroupDiscoveryList', items: path === '/api' ? core : groups }),
  );
  const { resources, stale } = await discoverResources(connection);
  const names = resources.map(({ group, version, resource, namespaced }) => [
    group,
    version,
    resource,
    namespaced,
  ]);
  expect(names).toEqual([
    ['', 'v1', 'pods', true],
    ['shop.example', 'v1', 'carts', true],
    ['shop.example', 'v1beta1', 'shelves', false],
  ]);
  expect(stale).toEqual(['metrics.example/v1']);
});

it('refuses an API server that lists groups in the old way', async () => {
  await connect(({ json }) => json({ kind: 'APIVersions', versions: ['v1'] }));
  await expect(discoverResources(connection)).rejects.toThrow('no aggregated discovery');
});

it('takes the UID of kube-system for the cluster’s identity (F61)', async () => {
  await connect(({ json }) => json({ kind: 'Namespace', metadata: { uid: 'u1' } }));
  expect(await readClusterIdentity(connection)).toBe('u1');
});
