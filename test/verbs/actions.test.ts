import { describe, expect, it } from 'vitest';
import { instance } from './agent.ts';
import { DIGEST, image, type Lab, newLab, SOURCE } from './driver.ts';
import { applying, building, running, starting, waiting } from './life.ts';

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
      desired: { artifact: DIGEST, replicas: 2 },
    });
    expect((await lab.history())[0]?.intent.kind).toBe('rollback');
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
    await lab.deploy(SOURCE);
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
});
