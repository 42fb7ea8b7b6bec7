import { describe, expect, it } from 'vitest';
import type { Spec } from '../../src/contract/intent.ts';
import { rollback } from '../../src/intent/derive.ts';
import { type Agent, instance } from './agent.ts';
import { DIGEST, image, type Lab, newLab, OTHER_DIGEST, SOURCE, WEB } from './driver.ts';
import { applying, building, running, starting, waiting } from './life.ts';
import { granted } from './names.ts';

const state = async (lab: Lab) => (await lab.claim()).state;

describe('protocol 6: retry', () => {
  it('starts at the first stage that is not proven: a failed build builds again', async () => {
    const lab = newLab();
    const build = await building(lab);
    await build.fails();
    expect(await lab.retry()).toMatchObject({
      revision: 1,
      attempt: 2,
      claim: { state: 'accepted', outcome: 'in_progress' },
    });
    await lab.publish();
    const again = await lab.builder().take();
    expect(again.offer).toMatchObject({ kind: 'build', revision: 1, attempt: 2, fence: '1' });
    expect(await lab.outcomes()).toEqual(['r1.a1 failed', 'r1.a2 in_progress']);
  });

  it('an artifact belongs to the revision: retry after a failed apply builds nothing', async () => {
    const lab = newLab();
    const { agent, apply } = await applying(lab);
    await apply.applyFails();
    await lab.retry();
    await lab.publish();
    expect(await lab.claim()).toMatchObject({
      state: 'artifact_ready',
      desired: { attempt: 2, artifact: DIGEST },
      proof: { reached: ['accepted', 'artifact_ready'] },
    });
    await (await agent.take()).applied();
    await agent.sees([instance('u1')]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await state(lab), 'an instance of attempt 1 does not count').toBe('starting');
    await agent.sees([instance('u2', { attempt: 2 })]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await state(lab)).toBe('running');
    expect(await lab.outcomes()).toEqual(['r1.a1 failed', 'r1.a2 succeeded']);
  });

  it('is allowed after cancelled and after abandoned', async () => {
    const lab = newLab();
    await waiting(lab);
    await lab.cancel();
    expect((await lab.retry()).attempt).toBe(2);
    const other = newLab();
    await starting(other, { deadlines: { startMs: 20_000 } });
    await other.tick(25_000);
    expect(await other.claim()).toMatchObject({ state: 'unknown', outcome: 'abandoned' });
    expect((await other.retry()).attempt).toBe(2);
  });

  it('is refused while the attempt is in progress, and after success', async () => {
    const lab = newLab();
    await waiting(lab);
    await expect(lab.retry()).rejects.toMatchObject({
      code: 'retry_not_possible',
      params: { outcome: 'in_progress' },
    });
    const other = newLab();
    await running(other);
    await expect(other.retry()).rejects.toMatchObject({
      code: 'retry_not_possible',
      params: { outcome: 'succeeded', instead: 'restart' },
    });
  });
});

describe('protocol 6: rollback and restart', () => {
  it('rollback is a new revision with the artifact and spec of an earlier one, and builds nothing', async () => {
    const lab = newLab();
    await running(lab, { replicas: 2 });
    await lab.deploy(SOURCE, { replicas: 5 });
    await lab.publish();
    await (await lab.builder().take()).fails();
    expect(await lab.rollback()).toMatchObject({ revision: 3, attempt: 1 });
    await lab.publish();
    expect(await lab.claim()).toMatchObject({
      state: 'artifact_ready',
      desired: { artifact: DIGEST, replicas: 5 },
    });
    expect((await lab.history())[0]?.intent.kind).toBe('rollback');
  });

  /** Applies the revision that was just requested, and lets it run until it has succeeded. */
  const succeeds = async (lab: Lab, agent: Agent, revision: number, artifact = DIGEST) => {
    await lab.publish();
    await (await agent.take()).applied();
    await agent.sees([instance(`r${revision}`, { revision, artifact })]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({
      state: 'running',
      outcome: 'succeeded',
      desired: { revision },
    });
  };
  const deploys = async (lab: Lab, agent: Agent, revision: number, digest: string, spec: Spec = {}) => {
    await lab.deploy(image(`web@${digest}`), spec);
    await succeeds(lab, agent, revision, digest);
  };

  it('rollback after a restart or a scaling does not go to the code that it is to leave', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await deploys(lab, agent, 2, OTHER_DIGEST);
    await lab.restart();
    await succeeds(lab, agent, 3, OTHER_DIGEST);
    await lab.restart();
    expect(await lab.rollback()).toMatchObject({ revision: 5, rolledBackTo: 1 });
    await succeeds(lab, agent, 5);
    expect(await lab.claim()).toMatchObject({ desired: { artifact: DIGEST } });
    await expect(lab.rollback()).rejects.toMatchObject({ code: 'nothing_to_roll_back' });
    await lab.restart();
    await expect(lab.rollback()).rejects.toMatchObject({ code: 'nothing_to_roll_back' });
  });

  it('rolling back twice goes further back, and a change of configuration alone is a change', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await deploys(lab, agent, 2, OTHER_DIGEST);
    await deploys(lab, agent, 3, OTHER_DIGEST, { env: { MODE: 'new' } });
    await deploys(lab, agent, 4, OTHER_DIGEST, { env: { MODE: 'new' } });
    expect(await lab.rollback()).toMatchObject({ revision: 5, rolledBackTo: 2 });
    await succeeds(lab, agent, 5, OTHER_DIGEST);
    expect((await lab.history())[0]?.intent.spec.env).toBeUndefined();
    expect(await lab.rollback()).toMatchObject({ revision: 6, rolledBackTo: 1 });
    expect(await lab.rollback(4)).toMatchObject({ revision: 7, rolledBackTo: 4 });
  });

  it('rollback leaves the replicas as they are, and its answer is the same for the same key', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await deploys(lab, agent, 2, OTHER_DIGEST);
    await lab.scale(4);
    const key = { key: 'k', fingerprint: 'f' };
    const first = granted(await rollback(lab.host, lab.caller('ana', 'deployer'), WEB, null, key));
    expect(first).toMatchObject({ revision: 4, rolledBackTo: 1, replayed: false });
    const again = granted(await rollback(lab.host, lab.caller('ana', 'deployer'), WEB, null, key));
    expect(again).toMatchObject({ revision: 4, rolledBackTo: 1, replayed: true });
    expect((await lab.history())[0]?.intent).toMatchObject({ replicas: 4, spec: { replicas: 4 } });
  });

  it('is refused with the missing revision or artifact', async () => {
    const lab = newLab();
    await waiting(lab);
    await expect(lab.rollback()).rejects.toMatchObject({ code: 'nothing_to_roll_back' });
    await expect(lab.rollback(1)).rejects.toMatchObject({ code: 'no_artifact' });
    await expect(lab.rollback(9)).rejects.toMatchObject({ code: 'not_found' });
    await expect(lab.restart()).rejects.toMatchObject({ code: 'no_artifact' });
  });

  it('skips revisions that were scaled to zero or torn down', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.scale(0);
    await lab.publish();
    await (await agent.take()).applied();
    await agent.sees([]);
    expect(await state(lab)).toBe('stopped');
    await lab.deploy(SOURCE, { replicas: 1 });
    await lab.rollback();
    expect((await lab.history())[0]?.intent.replicas).toBe(1);
  });

  it('restart requests new instances of the same artifact', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.restart();
    await lab.publish();
    await (await agent.take()).applied();
    await agent.sees([instance('u1')]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({ state: 'starting', serving: { revision: 1 } });
    await agent.sees([instance('u9', { revision: 2 })]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({ state: 'running', serving: { revision: 2 } });
  });

  it('of an image by tag runs the digest that was applied', async () => {
    const lab = newLab();
    await lab.deploy(image('registry.example/web:1.2'));
    await lab.publish();
    const agent = await lab.agent().register();
    await (await agent.take()).applied(DIGEST);
    await lab.restart();
    expect((await lab.history())[0]?.intent.origin).toEqual({
      kind: 'image',
      image: `registry.example/web@${DIGEST}`,
    });
  });
});

describe('protocol 6: scale', () => {
  it('keeps the running instances: from 2 to 3 restarts none', async () => {
    const lab = newLab();
    const agent = await running(lab, { replicas: 2 });
    expect(await lab.scale(3)).toMatchObject({ revision: 2 });
    await lab.publish();
    await (await agent.take()).applied();
    const old = [instance('u1'), instance('u2')];
    await agent.sees(old);
    expect(await lab.claim()).toMatchObject({ state: 'starting', desired: { replicas: 3 } });
    await agent.sees([...old, instance('u3', { revision: 2 })]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({ state: 'running', outcome: 'succeeded' });
  });

  it('to zero is stopped, scaled_to_zero, by a complete snapshot after runtime.applied', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.scale(0);
    await lab.publish();
    const apply = await agent.take();
    await agent.sees([]);
    expect(await state(lab)).toBe('applying_runtime_state');
    await lab.tick(1_000);
    await apply.applied();
    expect(await state(lab), 'earlier observations do not count').toBe('starting');
    await agent.sees([], [], { complete: false });
    expect(await state(lab), 'an empty set proves nothing').toBe('starting');
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({
      state: 'stopped',
      outcome: 'succeeded',
      cause: { code: 'scaled_to_zero' },
      proof: { stoppedAt: null },
      freshness: { freshForMs: 15_000 },
    });
    await lab.tick(15_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'stopped' } });
  });

  it('to zero does not claim that what a removed copy started is gone (F117)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.scale(0);
    await lab.publish();
    await (await agent.take()).applied();
    await lab.tick(1_000);
    await agent.sees([]);
    await agent.sees([instance('u9', { revision: 2 })]);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'contradictory' } });
    await lab.sweep();
    await lab.publish();
    await (await agent.take()).send('runtime.removed', { contained: false });
    await lab.tick(1_000);
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({ state: 'stopped', cause: { code: 'uncontained' } });
  });
});
