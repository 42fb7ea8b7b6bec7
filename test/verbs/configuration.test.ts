import { describe, expect, it } from 'vitest';
import { deploy } from '../../src/intent/deploy.ts';
import { rollback } from '../../src/intent/derive.ts';
import { newLab } from './driver.ts';
import { building, running } from './life.ts';
import { DIGEST, image, SOURCE, WEB } from './names.ts';

describe('configuration stays', () => {
  it('with a deploy that does not name it, and the answer says what changes', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE, { replicas: 3, env: { A: 'a', DB_URL: { secret: 's' } } });
    const { changes } = await lab.deploy(SOURCE, { replicas: 1, env: { B: 'b' } }, { unset: ['env.A'] });
    expect((await lab.history())[0]?.intent).toMatchObject({
      replicas: 1,
      spec: { replicas: 1, env: { B: 'b', DB_URL: { secret: 's' } } },
    });
    expect(changes).toEqual([
      { field: 'env.A', kind: 'removed', from: 'a' },
      { field: 'env.B', kind: 'added', to: 'b' },
      { field: 'replicas', kind: 'changed', from: 3, to: 1 },
    ]);
    expect((await lab.deploy(SOURCE)).changes).toEqual([]);
  });

  it('of the newest revision that was not cancelled, also of one that waits', async () => {
    const lab = newLab();
    await building(lab, { replicas: 2 });
    await lab.deploy(SOURCE, { concurrency: 'queue', env: { QUEUED: '1' } });
    await lab.deploy(SOURCE, { concurrency: 'queue', env: { CANCELLED: '1' } });
    await lab.cancel(3);
    await lab.deploy(SOURCE);
    expect((await lab.history())[0]?.intent.spec).toEqual({ replicas: 2, env: { QUEUED: '1' } });
    await lab.cancel();
    await lab.deploy(SOURCE, { env: { LATER: '1' } });
    expect((await lab.history())[0]?.intent.spec.env).toEqual({ QUEUED: '1', LATER: '1' });
  });

  it('as a scaling left it, and a teardown forgets it', async () => {
    const lab = newLab();
    await running(lab, { env: { A: 'a' } });
    await lab.scale(4);
    await lab.deploy(SOURCE);
    expect((await lab.history())[0]?.intent.spec).toMatchObject({ replicas: 4, env: { A: 'a' } });
    await lab.teardown('it must go');
    await lab.deploy(SOURCE);
    expect((await lab.history())[0]?.intent).toMatchObject({ replicas: 1, spec: {} });
  });

  it('less the fields that the last file declared and this one does not', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE, { env: { A: 'a', B: 'b' } }, { declared: ['env.A', 'env.B'] });
    await lab.deploy(SOURCE, { env: { HAND: 'h' } });
    await lab.deploy(SOURCE, { env: { A: 'a' } }, { declared: ['env.A'] });
    expect((await lab.history())[0]?.intent.spec.env).toEqual({ A: 'a', HAND: 'h' });
  });

  it('refuses a field that no spec has', async () => {
    const lab = newLab();
    await expect(lab.deploy(SOURCE, {}, { unset: ['enviroment.A'] })).rejects.toThrow(
      'is not a field of a spec',
    );
  });

  it('changes by itself, with the artifact and the commit that run', async () => {
    const lab = newLab();
    await lab.deploy(image(`web@${DIGEST}`), {}, { git: { sha: '3f9c2e1' } });
    const { changes } = await lab.deploy(null, { env: { A: 'a' } });
    expect(changes).toEqual([{ field: 'env.A', kind: 'added', to: 'a' }]);
    expect((await lab.history())[0]?.intent).toMatchObject({ kind: 'config', git: { sha: '3f9c2e1' } });
  });

  it('names the revision in progress whose place a deploy takes', async () => {
    const lab = newLab();
    await building(lab);
    expect(await lab.deploy(SOURCE, {}, { actor: 'ben' })).toMatchObject({
      revision: 2,
      supersedes: { revision: 1, attempt: 1, actor: 'ana' },
    });
  });

  it('is told again for the same key, and never with a secret', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE, { env: { T: { secret: 'one' } } });
    const again = () => lab.deploy(SOURCE, { env: { T: { secret: 'two' } } }, { key: 'k' });
    const { changes } = await again();
    expect(changes).toEqual([
      { field: 'env.T', kind: 'changed', from: { secret: true }, to: { secret: true } },
    ]);
    expect(await again()).toMatchObject({ replayed: true, revision: 2, changes });
  });
});

describe('a dry run', () => {
  it('answers as the request would be, and records nothing', async () => {
    const lab = newLab();
    await running(lab, { replicas: 2 });
    const before = lab.count('ledger');
    const caller = lab.caller('ana', 'deployer');
    const planned = await deploy(
      lab.host,
      caller,
      { service: WEB, origin: SOURCE, spec: { replicas: 1 } },
      'dry_run',
    );
    expect(planned).toMatchObject({
      revision: 2,
      changes: [{ field: 'replicas', from: 2, to: 1 }],
    });
    expect(await rollback(lab.host, caller, WEB, null, 'dry_run')).toMatchObject({
      ok: false,
      code: 'nothing_to_roll_back',
    });
    expect(lab.count('ledger')).toBe(before);
    expect((await lab.history()).length).toBe(1);
    expect(await lab.deploy(SOURCE)).toMatchObject({ revision: 2 });
  });
});
