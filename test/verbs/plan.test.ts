import { describe, expect, it } from 'vitest';
import type { Spec } from '../../src/contract/intent.ts';
import { inputsOf } from '../../src/ownership/input.ts';
import { archive } from '../../src/repair/archive.ts';
import { DIGEST, image, type Lab, newLab, ORG } from './driver.ts';
import { waiting } from './life.ts';
import type { Lease } from './taker.ts';

const FOUND = { command: ['node', 'server.js'], port: 8080 };
const SECRET = { PASSWORD: { secret: 'hunter2' }, MODE: 'plain' };

const input = async (lab: Lab, { offer }: Lease) =>
  (await inputsOf(lab.host, ORG, [offer]))[0] as { artifact: string; source: string; spec: Spec };

/** A service whose builder found `plan`, waiting for its agent. */
async function built(spec: Spec, plan?: object): Promise<Lab> {
  const lab = newLab();
  await waiting(lab, spec);
  await (await lab.builder().take()).stored(DIGEST, plan);
  await lab.publish();
  return lab;
}

/** The input of the lease that an agent acquires and applies. */
async function acquiredInput(lab: Lab) {
  await lab.publish();
  const agent = await lab.agent().register();
  const lease = await agent.take();
  const got = await input(lab, lease);
  await lease.applied();
  return got;
}

describe('the plan that a builder found', () => {
  it('reaches the agent where the spec leaves a field out', async () => {
    const lab = await built({}, FOUND);
    expect(await acquiredInput(lab)).toMatchObject({ artifact: DIGEST, spec: FOUND });
  });

  it('yields to the fields of the spec', async () => {
    const lab = await built({ command: 'npm start', port: 9000 }, FOUND);
    expect((await acquiredInput(lab)).spec).toMatchObject({ command: 'npm start', port: 9000 });
    await lab.restart();
    expect((await acquiredInput(lab)).spec).toMatchObject({ command: 'npm start', port: 9000 });
  });

  it('may lack a port or a command, and then the lease lacks them too', async () => {
    for (const plan of [undefined, {}, { command: null, port: null }, { command: [] }]) {
      const { spec } = await acquiredInput(await built({ port: 'auto' }, plan));
      expect(spec.port, JSON.stringify(plan)).toBeNull();
      expect(spec).not.toHaveProperty('command');
    }
  });

  it('outlives its attempt: another attempt runs the same artifact', async () => {
    const lab = await built({}, FOUND);
    const agent = await lab.agent().register();
    await (await agent.take()).applyFails();
    await lab.retry();
    await lab.publish();
    const lease = await agent.take();
    expect(lease.offer.attempt).toBe(2);
    await lease.applied(DIGEST);
    expect((await input(lab, lease)).spec).toMatchObject(FOUND);
  });

  it('stays with every revision that runs the same artifact', async () => {
    const lab = await built({}, FOUND);
    expect((await acquiredInput(lab)).spec).toMatchObject(FOUND);
    await lab.restart();
    expect(await acquiredInput(lab)).toMatchObject({ artifact: DIGEST, spec: { ...FOUND, replicas: 1 } });
    await lab.scale(3);
    expect((await acquiredInput(lab)).spec).toMatchObject({ ...FOUND, replicas: 3 });
    await lab.deploy(null, { env: { A: 'b' }, port: 'auto' });
    expect((await acquiredInput(lab)).spec).toMatchObject({ ...FOUND, env: { A: 'b' } });
    await lab.deploy(null, { command: ['node', 'other.js'] });
    expect((await acquiredInput(lab)).spec).toMatchObject({ command: ['node', 'other.js'], port: 8080 });
    await lab.deploy(null, {}, { unset: ['command'] });
    expect((await acquiredInput(lab)).spec, 'the one that the build found is back').toMatchObject(FOUND);
    await lab.rollback(1);
    expect((await acquiredInput(lab)).spec).toMatchObject(FOUND);
    await lab.deploy({ kind: 'artifact', digest: DIGEST });
    expect((await acquiredInput(lab)).spec, 'the same bytes, named by digest').toMatchObject(FOUND);
  });

  it('stays when the revision that was built has been archived (retention)', async () => {
    const lab = await built({}, FOUND);
    await acquiredInput(lab);
    await lab.restart();
    await acquiredInput(lab);
    lab.now += 90 * 24 * 3_600_000;
    await lab.scale(2);
    await acquiredInput(lab);
    const policy = { before: lab.now - 1, keepRevisions: 1 };
    await archive(lab.host, ORG, { policy, remove: true, moved: async () => {} });
    expect(
      lab.rows('attempts').some((a) => a.command !== null),
      'the build is gone',
    ).toBe(false);
    await lab.deploy(null, { replicas: 2 });
    expect((await acquiredInput(lab)).spec).toMatchObject(FOUND);
  });
});

describe('the spec of a lease', () => {
  it('is complete: defaults fill it', async () => {
    const lab = newLab();
    await lab.deploy(image('registry.example/web:1.2'));
    const { spec } = await acquiredInput(lab);
    expect(spec).toMatchObject({
      replicas: 1,
      port: null,
      stabilityMs: 3000,
      concurrency: 'newest',
      env: {},
    });
    expect(Object.keys(spec.deadlines ?? {})).toHaveLength(8);
  });

  it('has secrets for the agent that starts the app, and none for the builder', async () => {
    const lab = newLab();
    await waiting(lab, { env: SECRET });
    const build = await lab.builder().take();
    expect((await input(lab, build)).spec.env).toEqual({ MODE: 'plain' });
    await build.stored(DIGEST, FOUND);
    expect((await acquiredInput(lab)).spec.env).toEqual(SECRET);
    await lab.teardown();
    await lab.publish();
    const remove = await (await lab.agent().register()).take();
    expect(JSON.stringify(await input(lab, remove))).not.toContain('hunter2');
  });
});
