import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { KubernetesRuntime } from '../../src/kubernetes/agent/runtime.ts';
import type { ScopedObservation } from '../../src/runtime/port.ts';
import { FakeCluster } from './fake-cluster.ts';
import { putDeployment, putPod, renewLease } from './fake-workloads.ts';

vi.setConfig({ testTimeout: 60_000 });
const PATIENT = { timeout: 30_000, interval: 20 };

let cluster: FakeCluster;
let runtime: KubernetesRuntime;
/** Told to the agent's own operator. */
let said: string[];

beforeEach(async () => {
  said = [];
  cluster = await FakeCluster.start();
  for (const [namespace, node] of [
    ['shop', 'n1'],
    ['bank', 'n2'],
  ] as const) {
    putDeployment(cluster, namespace, 'web', 1);
    putPod(cluster, namespace, 'web', { node });
    renewLease(cluster, node);
  }
  runtime = new KubernetesRuntime({
    ...{ connection: cluster.connect(), identity: 'cluster', target: 'lab' },
    ...{ defaultNamespace: 'default', namespaces: 'all', say: (line: string) => said.push(line) },
  });
  runtime.follow({ version: 1, namespaces: ['*'], selector: null });
});
afterEach(async () => {
  await runtime.close();
  await cluster.stop();
});

async function scope(name: string): Promise<ScopedObservation> {
  const found = (await runtime.observe()).find((one) => one.scope === name);
  expect(found?.unavailable).toBeUndefined();
  if (found === undefined) throw new Error(`${name} is not observed`);
  return found;
}
const LEFT_OUT = expect.objectContaining({ isLeftOut: true, complete: true, instances: [], services: [] });
const instances = async (name: string) => (await scope(name)).instances;
const becomesReady = (name: string) =>
  expect.poll(async () => (await instances(name)).map(({ ready }) => ready), PATIENT).toEqual([true]);

it('a change of one namespace reads no other again, and a calm one is answered with the same lists', async () => {
  await expect.poll(() => instances('ns/bank').catch(() => []), PATIENT).toHaveLength(1);
  for (const node of ['n1', 'n2']) renewLease(cluster, node);
  await becomesReady('ns/shop');
  await becomesReady('ns/bank');
  const [shop, bank] = [await scope('ns/shop'), await scope('ns/bank')];
  expect((await scope('ns/shop')).instances, 'nothing changed').toBe(shop.instances);

  putPod(cluster, 'shop', 'web', { ready: false });
  await expect.poll(async () => (await instances('ns/shop'))[0]?.ready, PATIENT).toBe(false);
  const after = await scope('ns/bank');
  expect(after.instances).toBe(bank.instances);
  expect(after.services).toBe(bank.services);
});

it('the word of a node changes the namespaces with pods on it, and no other', async () => {
  await expect.poll(() => instances('ns/bank').catch(() => []), PATIENT).toHaveLength(1);
  renewLease(cluster, 'n1');
  await becomesReady('ns/shop');
  const bank = await instances('ns/bank');
  expect(bank[0]).toMatchObject({
    ready: false,
    message: 'its node has not been heard since the agent came',
  });
  const shop = await instances('ns/shop');
  renewLease(cluster, 'n2');
  await becomesReady('ns/bank');
  expect(await instances('ns/shop')).toBe(shop);
});

it('a workload that begins and one that ends change their namespace', async () => {
  await expect.poll(() => instances('ns/bank').catch(() => []), PATIENT).toHaveLength(1);
  putDeployment(cluster, 'bank', 'api', 0);
  const named = async () => (await scope('ns/bank')).services.map(({ service }) => service);
  await expect.poll(named, PATIENT).toEqual(['web.bank@lab', 'api.bank@lab']);
});

it('a namespace that somebody deletes ends what is in it: its pods are not missed, from the first report on', async () => {
  for (const node of ['n1', 'n2']) renewLease(cluster, node);
  await expect.poll(() => instances('ns/bank').catch(() => []), PATIENT).toHaveLength(1);
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const replicas = async (name: string) => (await scope(name)).services.map((one) => one.replicas);
  cluster.put('namespaces', { metadata: { name: 'shop', uid: 'ns-shop', deletionTimestamp } });
  for (const namespace of ['shop', 'bank'])
    putPod(cluster, namespace, 'web', { more: { metadata: { deletionTimestamp } } });
  const phases = async (name: string) => (await instances(name)).map(({ phase }) => phase);
  await expect
    .poll(async () => {
      const { instances, services } = await scope('ns/shop');
      const isMissed = instances.every(({ phase }) => phase !== 'running') && services[0]?.replicas === 1;
      expect(isMissed).toBe(false);
      return services[0]?.replicas;
    }, PATIENT)
    .toBe(0);
  await expect.poll(() => phases('ns/bank'), PATIENT).not.toEqual(['running']);
  expect(await replicas('ns/bank'), 'a pod was deleted there, and is missed').toEqual([1]);
});

it('a namespace that is empty by now is reported as empty, once it was read, if the server has services of it', async () => {
  runtime.learn({ names: [], namespaces: ['gone'], defaultNamespace: null });
  await expect.poll(() => instances('ns/bank').catch(() => []), PATIENT).toHaveLength(1);
  expect(await scope('ns/gone')).toMatchObject({
    complete: true,
    observation: 1,
    services: [],
    instances: [],
  });
});

it('a namespace that a narrower rule left out and that is empty by now is reported again under a wider one', async () => {
  runtime.follow({ version: 2, namespaces: ['gone', 'shop'], selector: null });
  await expect.poll(() => scope('ns/gone').catch(() => null), PATIENT).toMatchObject({ observation: 2 });
  runtime.follow({ version: 3, namespaces: ['shop'], selector: null });
  expect(await scope('ns/gone'), 'as of no rule').toEqual(LEFT_OUT);
  runtime.follow({ version: 4, namespaces: ['*'], selector: null });
  expect(await scope('ns/gone')).toMatchObject({ complete: true, observation: 4, services: [] });
});

it.each([
  ['covers other namespaces', { version: 2, namespaces: ['shop'], selector: null }],
  ['ended', null],
])(
  'a namespace of the server’s record is left out if the rule %s since, also by an agent that comes later',
  async (_, rule) => {
    runtime.learn({ names: [], namespaces: ['gone'], defaultNamespace: null });
    runtime.follow(rule);
    expect(await scope('ns/gone')).toEqual(LEFT_OUT);
  },
);

it('a namespace that the rule names and the agent was not started for is forbidden, and harms no other', async () => {
  await runtime.close();
  runtime = new KubernetesRuntime({
    ...{ connection: cluster.connect(), identity: 'cluster', target: 'lab' },
    ...{ defaultNamespace: 'default', namespaces: ['shop'] },
  });
  runtime.follow({ version: 1, namespaces: ['bank', 'shop'], selector: null });
  await expect.poll(() => instances('ns/shop').catch(() => []), PATIENT).toHaveLength(1);
  const bank = (await runtime.observe()).find((one) => one.scope === 'ns/bank');
  expect(bank).toMatchObject({ unavailable: 'forbidden', instances: [] });
});

it('a workload that other labels leave out is named as one that is there, and one that is deleted is not', async () => {
  await expect.poll(() => instances('ns/bank').catch(() => []), PATIENT).toHaveLength(1);
  runtime.follow({ version: 2, namespaces: ['*'], selector: 'tier=front' });
  expect(await scope('ns/shop')).toMatchObject({
    services: [],
    instances: [],
    uncovered: ['Deployment/web'],
  });
  putDeployment(cluster, 'shop', 'web', 1, { labels: { tier: 'front' } });
  await expect
    .poll(async () => (await scope('ns/shop')).services.map(({ service }) => service), PATIENT)
    .toEqual(['web.shop@lab']);
  expect((await scope('ns/shop')).uncovered).toBeUndefined();
  expect((await scope('ns/bank')).uncovered).toEqual(['Deployment/web']);
});

it('a namespace that is gone with the role of its agent is empty, where the namespace itself may be read', async () => {
  await runtime.close();
  runtime = new KubernetesRuntime({
    ...{ connection: cluster.connect(), identity: 'cluster', target: 'lab' },
    ...{ defaultNamespace: 'default', namespaces: ['shop', 'bank'] },
  });
  runtime.follow({ version: 1, namespaces: ['*'], selector: null });
  await expect.poll(() => instances('ns/bank').catch(() => []), PATIENT).toHaveLength(1);
  const shown = async () => (await runtime.observe()).find((one) => one.scope === 'ns/bank');
  cluster.refuse((path) => path.includes('/namespaces/bank/'));
  await expect.poll(shown, PATIENT).toMatchObject({ unavailable: 'forbidden' });
  cluster.removeNamespace('bank');
  await expect.poll(shown, PATIENT).toMatchObject({ complete: true, absent: true, services: [] });
  expect((await shown())?.instances, 'its node has not been heard since').toMatchObject([
    { phase: 'unknown' },
  ]);
  renewLease(cluster, 'n2');
  await expect
    .poll(
      async () => {
        renewLease(cluster, 'n2');
        return (await shown())?.instances;
      },
      { timeout: 30_000, interval: 2_000 },
    )
    .toEqual([]);
});

it('a namespace that may still be read is read by itself where the cluster refuses the whole, until it no longer does', async () => {
  let looks = 0;
  const readyIn = async (namespace: string) => {
    if (looks++ % 20 === 0) for (const node of ['n1', 'n2']) renewLease(cluster, node);
    const found = (await runtime.observe()).find((one) => one.scope === `ns/${namespace}`);
    return found?.unavailable ?? found?.instances.map(({ ready }) => ready).join();
  };
  const becomes = (namespace: string, shown: string) =>
    expect.poll(() => readyIn(namespace), { timeout: 30_000, interval: 200 }).toBe(shown);
  await becomes('shop', 'true');
  await becomes('bank', 'true');
  cluster.refuse((path) => !path.includes('/namespaces/shop') && !path.includes('/leases'));
  await becomes('bank', 'forbidden');
  await becomes('shop', 'true');
  putPod(cluster, 'shop', 'web', { ready: false });
  await becomes('shop', 'false');
  expect(await readyIn('bank')).toBe('forbidden');
  expect(said).toContain('The cluster may not be read as a whole: namespace shop is read by itself.');
  expect(said, 'they may not').not.toContain('nodes may be read again.');
  cluster.refuse(() => false);
  await becomes('bank', 'true');
  putPod(cluster, 'shop', 'web');
  await becomes('shop', 'true');
});
