import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openAccess } from '../../src/kubernetes/api/access.ts';
import { ApiConnection } from '../../src/kubernetes/api/connection.ts';
import { FencedWriter, type WritableApi } from '../../src/kubernetes/deploy/fenced-writer.ts';
import { marksIn } from '../../src/kubernetes/deploy/marks.ts';
import { objectsOf } from '../../src/kubernetes/deploy/objects.ts';
import { describeWithCluster } from './own-cluster.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const SERVICE = 'web@lab';
const DEPLOYMENT = { kind: 'Deployment', name: 'web' } as const;
const at = (revision: number, fence = '1') => ({ revision, attempt: 1, fence });

describeWithCluster('writes under a fence', (cluster) => {
  let api: ApiConnection;
  let namespace = '';
  let count = 0;
  beforeAll(async () => {
    api = new ApiConnection(await openAccess({ kubeconfig: cluster().kubeconfig }));
  });
  afterAll(() => api.close());

  const inNewNamespace = async () => {
    namespace = `n${count++}`;
    await cluster().kubectl(['create', 'namespace', namespace]);
  };
  const kubectl = (...args: string[]) => cluster().kubectl(['-n', namespace, ...args]);
  const wanted = (stamp: ReturnType<typeof at>, image: string, spec: object = {}) => {
    const order = { service: SERVICE, stamp, artifact: image, spec };
    const [deployment] = objectsOf(order, namespace, stamp).filter(({ kind }) => kind === 'Deployment');
    if (deployment === undefined) throw new Error('an order without a Deployment');
    return deployment;
  };
  const write = (
    stamp: ReturnType<typeof at>,
    image: string,
    through: WritableApi = api,
    spec: object = {},
  ) =>
    new FencedWriter(through, namespace).apply(() => wanted(stamp, image, spec), DEPLOYMENT, {
      by: { service: SERVICE, stamp },
      signal: AbortSignal.timeout(30_000),
      mayCreate: async () => {},
    });
  const remove = (stamp: ReturnType<typeof at>, uid: string | null, through: WritableApi = api) =>
    new FencedWriter(through, namespace).remove(
      { ...DEPLOYMENT, uid },
      { by: { service: SERVICE, stamp }, signal: AbortSignal.timeout(30_000) },
    );
  const found = () => new FencedWriter(api, namespace).read('Deployment', 'web', AbortSignal.timeout(5_000));
  const image = () => kubectl('get', 'deployment', 'web', '-o', 'jsonpath={..image}');

  /** An agent that is frozen after it has read the Deployment for the first time, until `meanwhile` is done. */
  const frozenAfterRead = (meanwhile: () => Promise<unknown>): WritableApi => {
    let isFrozen = false;
    return {
      write: (...args) => api.write(...args),
      async document(...args) {
        const answer = await api.document(...args).catch((error: unknown) => ({ error }));
        if (!isFrozen) {
          isFrozen = true;
          await meanwhile();
        }
        if ('error' in answer) throw answer.error;
        return answer;
      },
    };
  };

  it('creates, changes and stamps, and leaves no field behind that is no longer wanted', async () => {
    await inNewNamespace();
    const { uid } = await write(at(1), 'app:1', api, { port: 80 });
    expect(await write(at(2), 'app:2')).toEqual({ ...DEPLOYMENT, uid });
    const object = await found();
    expect(marksIn(object ?? {})).toEqual({ service: SERVICE, stamp: at(2) });
    const containers = JSON.parse(await kubectl('get', 'deployment', 'web', '-o', 'json')).spec.template.spec
      .containers;
    expect(containers[0]).toMatchObject({ image: 'app:2' });
    expect(containers[0]).not.toHaveProperty('ports');
    expect(containers[0]).not.toHaveProperty('readinessProbe');
  });

  it('is refused to an agent that is behind, by revision, attempt and fence, for ever', async () => {
    await inNewNamespace();
    await write({ revision: 2, attempt: 2, fence: '12' }, 'app:2');
    for (const stamp of [
      at(1, '99'),
      { revision: 2, attempt: 1, fence: '99' },
      { revision: 2, attempt: 2, fence: '9' },
    ])
      await expect(write(stamp, 'app:1')).rejects.toMatchObject({ code: 'superseded' });
    expect(await image()).toBe('app:2');
  });

  it('changes nothing when it was frozen between read and apply, and a newer revision was applied', async () => {
    await inNewNamespace();
    await write(at(1), 'app:1');
    const frozen = frozenAfterRead(() => write(at(3), 'app:3'));
    await expect(write(at(2), 'app:2', frozen)).rejects.toMatchObject({ code: 'superseded' });
    expect(await image()).toBe('app:3');
  });

  it('changes nothing when it was frozen before a create, and a newer revision was created', async () => {
    await inNewNamespace();
    const frozen = frozenAfterRead(() => write(at(3), 'app:3'));
    await expect(write(at(2), 'app:2', frozen)).rejects.toMatchObject({ code: 'superseded' });
    expect(await image()).toBe('app:3');
  });

  it('never makes anew what was deleted between read and apply', async () => {
    await inNewNamespace();
    for (const revisions of [1, 2]) {
      for (let revision = 1; revision <= revisions; revision++) await write(at(revision), 'app:1');
      const frozen = frozenAfterRead(() => kubectl('delete', 'deployment', 'web'));
      await expect(write(at(3), 'app:3', frozen)).rejects.toMatchObject({ code: 'changed_meanwhile' });
      expect(await found()).toBeNull();
    }
  });

  it('does not touch what somebody put under the same name meanwhile', async () => {
    await inNewNamespace();
    await write(at(1), 'app:1');
    const frozen = frozenAfterRead(async () => {
      await kubectl('delete', 'deployment', 'web');
      await kubectl('create', 'deployment', 'web', '--image', 'other:1');
    });
    await expect(write(at(2), 'app:2', frozen)).rejects.toMatchObject({ code: 'object_taken' });
    expect(await image()).toBe('other:1');
  });

  it('goes on where somebody only changed what is not ours', async () => {
    await inNewNamespace();
    await write(at(1), 'app:1');
    const frozen = frozenAfterRead(() => kubectl('annotate', 'deployment', 'web', 'note=1'));
    await write(at(2), 'app:2', frozen);
    expect(await image()).toBe('app:2');
    expect(await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.metadata.annotations.note}')).toBe(
      '1',
    );
  });

  it('names manager and field where somebody else changed what it wants to change', async () => {
    await inNewNamespace();
    await write(at(1), 'app:1');
    await kubectl('set', 'image', 'deployment/web', 'app=mine:1');
    await expect(write(at(2), 'app:2')).rejects.toMatchObject({
      code: 'field_conflict',
      message: expect.stringMatching(/image is managed by kubectl-set/),
    });
    await kubectl('scale', 'deployment/web', '--replicas', '3');
    await expect(write(at(2), 'mine:1')).rejects.toMatchObject({
      message: expect.stringMatching(/replicas is managed by kubectl/),
    });
    expect(await image()).toBe('mine:1');
  });

  it('deletes what it made, by its uid, and neither another of that name nor what is newer', async () => {
    await inNewNamespace();
    const { uid } = await write(at(1), 'app:1');
    await remove(at(1), 'another');
    expect(await image()).toBe('app:1');
    const frozen = frozenAfterRead(() => write(at(3), 'app:3'));
    await expect(remove(at(2), uid, frozen)).rejects.toMatchObject({ code: 'superseded' });
    expect(await image()).toBe('app:3');
    await remove(at(4), uid);
    expect(await found()).toBeNull();
    await remove(at(4), uid);
    await kubectl('create', 'deployment', 'web', '--image', 'other:1');
    await remove(at(5), null);
    expect(await image()).toBe('other:1');
  });

  it('says in the words of the API server what that refuses, and has changed nothing', async () => {
    await inNewNamespace();
    await expect(write(at(1), 'app:1', api, { replicas: -1 })).rejects.toThrow(/spec.replicas/);
    expect(await found()).toBeNull();
  });
});
