import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openAccess } from '../../src/kubernetes/api/access.ts';
import { ApiConnection, type ApiWrite } from '../../src/kubernetes/api/connection.ts';
import { ClusterDeployer } from '../../src/kubernetes/deploy/cluster-deployer.ts';
import type { WritableApi } from '../../src/kubernetes/deploy/fenced-writer.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SERVICE = 'web@lab';
const image = (tag: string) => `registry.example/web-${tag}@sha256:${'a'.repeat(64)}`;
const at = (revision: number, fence = '1') => ({ revision, attempt: 1, fence });
const SPEC = { port: 80, env: { A: 'b', KEY: { secret: 'x' } } };

/** Everything without a pod: no node is needed, and none is asked. */
const NOTHING_RUNS = {
  workload: () => null,
  isGone: () => true,
  isStuck: () => false,
  onChange: () => () => {},
};

describeWithCluster('orders in a cluster, under faults', (cluster) => {
  let connection: ApiConnection;
  let namespace = '';
  let count = 0;
  beforeAll(async () => {
    connection = new ApiConnection(await openAccess({ kubeconfig: cluster().kubeconfig }));
  });
  afterAll(() => connection.close());

  const inNewNamespace = async () => {
    namespace = `n${count++}`;
    await cluster().kubectl(['create', 'namespace', namespace]);
  };
  const kubectl = (...args: string[]) => cluster().kubectl(['-n', namespace, ...args]);
  const deployerOn = (api: WritableApi) => new ClusterDeployer(api, NOTHING_RUNS, () => {});
  const apply = (
    revision: number,
    {
      through = connection as WritableApi,
      fence = '1',
      spec = SPEC as object,
      signal = AbortSignal.timeout(60_000),
      accepts = [] as { revision: number; attempt: number }[],
    } = {},
  ) => {
    const order = {
      ...{ service: SERVICE, stamp: at(revision, fence), artifact: image(`r${revision}`), spec, accepts },
    };
    return deployerOn(through).apply(order, namespace, signal);
  };
  const remove = (revision: number, through: WritableApi = connection) =>
    deployerOn(through).remove(SERVICE, namespace, at(revision), AbortSignal.timeout(60_000));
  const there = async () =>
    (await kubectl('get', 'deployments,services,configmaps,secrets', '-o', 'name'))
      .trim()
      .split('\n')
      .filter((name) => name !== '' && !/kube-root-ca|evident-record/.test(name))
      .map((name) => name.replace('deployment.apps', 'deployment'))
      .toSorted();
  const imageThere = () => kubectl('get', 'deployment', 'web', '-o', 'jsonpath={..image}');

  /** Does something right before a write is sent that is no dry run. */
  const before = (is: (write: ApiWrite) => boolean, act: () => Promise<unknown>): WritableApi => {
    let isDone = false;
    return {
      document: (...args) => connection.document(...args),
      async write(write, options) {
        if (!isDone && !write.path.includes('dryRun') && is(write)) {
          isDone = true;
          await act();
        }
        return connection.write(write, options);
      },
    };
  };
  const makesDeployment = ({ method, path }: ApiWrite) => method === 'POST' && path.includes('/deployments');

  it('applies what a pod needs, prunes what no copy uses, and removes all of it and nothing else', async () => {
    await inNewNamespace();
    expect((await apply(1)).kind).toBe('applied');
    const first = await there();
    expect(first).toEqual([
      expect.stringMatching(/^configmap\/web-env-/),
      'deployment/web',
      'secret/web-secret-1-1',
      'service/web',
    ]);
    await kubectl('create', 'configmap', 'web-env-of-others');
    expect((await apply(2, { spec: {} })).kind).toBe('applied');
    expect(await there()).toContain('deployment/web');
    expect(await there()).not.toContain('service/web');
    await remove(3);
    expect(await there()).toEqual(['configmap/web-env-of-others']);
  });

  it('removes what runs though somebody has deleted its record (S1)', async () => {
    await inNewNamespace();
    expect((await apply(1)).kind).toBe('applied');
    await kubectl('delete', 'configmap', 'evident-record.web');
    await remove(2);
    expect(await there()).not.toContain('deployment/web');
    expect(await there()).not.toContain('service/web');
    expect(await apply(1), 'and what is older stays refused').toMatchObject({ code: 'superseded' });
  });

  it('keeps the template through a newer fence and a scale, so that nothing restarts', async () => {
    await inNewNamespace();
    const template = async () =>
      JSON.parse(await kubectl('get', 'deployment', 'web', '-o', 'json')).spec.template;
    await apply(1);
    const first = await template();
    await apply(1, { fence: '7' });
    expect(await template()).toEqual(first);
    // The image by another name: of a tag it is the digest.
    const order = { service: SERVICE, stamp: at(2), artifact: image('r2'), accepts: [at(1)] };
    const spec = { ...SPEC, replicas: 3 };
    await deployerOn(connection).apply({ ...order, spec }, namespace, AbortSignal.timeout(60_000));
    expect(await template()).toEqual(first);
    expect(await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('3');
    await apply(3);
    expect(await template()).not.toEqual(first);
  });

  it('completes after the API server was killed between two objects', async () => {
    await inNewNamespace();
    const through = before(makesDeployment, async () => {
      await cluster().stop('apiserver');
      await cluster().start('apiserver');
    });
    expect((await apply(1, { through })).kind).toBe('applied');
    expect(await there()).toHaveLength(4);
  });

  it('begins nothing more once its lease is lost, and the next holder completes it', async () => {
    await inNewNamespace();
    const lease = new AbortController();
    const through = before(makesDeployment, async () => lease.abort(new Error('lost')));
    await expect(apply(1, { through, signal: lease.signal })).rejects.toThrow('lost');
    expect(await there()).not.toContain('deployment/web');
    expect((await apply(1, { fence: '2' })).kind).toBe('applied');
    expect(await there()).toHaveLength(4);
  });

  it('of two agents at once the newer order stands, whoever was faster', async () => {
    for (const older of [1, 2, 3]) {
      await inNewNamespace();
      const all = await Promise.all([apply(older), apply(older + 1), apply(older + 1, { fence: '2' })]);
      expect(all.slice(2)).toMatchObject([{ kind: 'applied' }]);
      expect(await imageThere()).toBe(image(`r${older + 1}`));
      expect(await apply(older)).toMatchObject({ kind: 'refused', retrySafe: false });
    }
  });

  it('does not make anew what was removed while it was frozen before a create', async () => {
    await inNewNamespace();
    const isService = ({ method, path }: ApiWrite) => method === 'POST' && path.includes('/services');
    const through = before(isService, () => remove(2));
    expect(await apply(1, { through })).toMatchObject({ kind: 'refused' });
    expect(await there()).not.toContain('deployment/web');
    expect(await apply(2)).toMatchObject({ kind: 'refused' });
    expect((await apply(3)).kind).toBe('applied');
  });

  it('deletes what a create under way made after the service was removed, and nothing newer', async () => {
    await inNewNamespace();
    const stray = async (stamp: ReturnType<typeof at>) => {
      const uid = await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.metadata.uid}');
      const marks = { service: SERVICE, stamp };
      await deployerOn(connection).pruneStray({ name: 'web', namespace, uid, marks });
    };
    const through = before(makesDeployment, () => remove(2));
    expect(await apply(1, { through })).toMatchObject({ kind: 'refused' });
    expect(await imageThere()).toBe(image('r1'));
    await stray(at(1));
    expect(await there()).not.toContain('deployment/web');
    await apply(3);
    await stray(at(3));
    expect(await imageThere()).toBe(image('r3'));
  });

  it('removes what an apply left that was cut off before it knew the uids', async () => {
    await inNewNamespace();
    const lease = new AbortController();
    const record = ({ method, path }: ApiWrite) => method === 'PATCH' && path.includes('evident-record');
    const through = before(record, async () => lease.abort(new Error('lost')));
    await expect(apply(1, { through, signal: lease.signal })).rejects.toThrow('lost');
    expect(await there()).toHaveLength(4);
    await remove(2);
    expect(await there()).toEqual([]);
  });

  it('changes nothing at all where a quota, admission or the API server itself refuses one object', async () => {
    await inNewNamespace();
    await kubectl('create', 'quota', 'small', '--hard=count/deployments.apps=0');
    await vi.waitFor(
      async () =>
        expect(await kubectl('get', 'quota', 'small', '-o', 'jsonpath={.status.hard}')).toContain('0'),
      { timeout: 20_000 },
    );
    expect(await apply(1)).toMatchObject({
      kind: 'refused',
      code: 'cluster_forbids',
      message: expect.stringContaining('exceeded quota'),
    });
    expect(await there()).toEqual([]);
    await kubectl('delete', 'quota', 'small');
    expect(await apply(1, { spec: { ...SPEC, replicas: -1 } })).toMatchObject({
      code: 'cluster_refused',
      retrySafe: false,
    });
    expect(await there()).toEqual([]);
  });

  it('refuses what has no image, or not this runtime, and says what would do', async () => {
    await inNewNamespace();
    const order = { service: SERVICE, stamp: at(1), accepts: [], spec: {} };
    const answer = (artifact: string, spec: object) =>
      deployerOn(connection).apply({ ...order, artifact, spec }, namespace, AbortSignal.timeout(9_000));
    expect(await answer(`sha256:${'b'.repeat(64)}`, {})).toMatchObject({ code: 'image_required' });
    expect(await answer(image('x'), { runtime: 'process' })).toMatchObject({ code: 'wrong_runtime' });
    const secret = { command: 'serve $KEY', env: { KEY: { secret: 'x' } } };
    expect(await answer(image('x'), secret)).toMatchObject({ code: 'secret_in_arguments' });
    expect(await there()).toEqual([]);
  });

  it('is refused by a namespace that is not there, or is being deleted', async () => {
    namespace = 'nowhere';
    expect(await apply(1)).toMatchObject({ kind: 'refused', message: expect.stringContaining('nowhere') });
    expect(await remove(2)).toEqual({ contained: true });
  });
});
