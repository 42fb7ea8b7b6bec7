import { describe, expect, it } from 'vitest';
import { rebuild } from '../../src/repair/rebuild.ts';
import { instance } from './agent.ts';
import { newLab, OBSERVE } from './driver.ts';

describe('observe mode: another tool deploys', () => {
  const entry = (template: string, replicas = 1) => ({ service: 'web@lab', template, replicas });
  const pod = (uid: string, template: string) =>
    instance(uid, { revision: null, attempt: null, fence: null, artifact: null, template });

  it('is unknown until it is observed, then follows the templates that are observed', async () => {
    const lab = newLab();
    await lab.sweep();
    expect((await lab.deploy(OBSERVE)).claim).toMatchObject({
      state: 'unknown',
      cause: { code: 'never_observed' },
    });
    const agent = await lab.agent().register();
    await agent.sees([pod('p1', 't1')], [entry('t1')]);
    expect(await lab.claim()).toMatchObject({ state: 'starting', desired: { revision: 2, replicas: 1 } });
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({
      state: 'running',
      outcome: 'succeeded',
      serving: { revision: 2 },
    });
    await expect(lab.retry(), 'a restart would be refused as well').rejects.toThrow(/act there/);
    await expect(lab.restart()).rejects.toThrow(/act there/);
    await agent.sees([pod('p1', 't1'), pod('p2', 't2')], [entry('t2', 2)]);
    expect(await lab.claim()).toMatchObject({ state: 'starting', desired: { revision: 3, replicas: 2 } });
    const kinds = (await lab.history()).map((r) => [r.intent.kind, r.intent.template]);
    expect(kinds).toEqual([
      ['observed', 't2'],
      ['observed', 't1'],
      ['deploy', null],
    ]);
  });

  it('stays running when the other tool wants fewer copies, and those left were running before', async () => {
    const lab = newLab();
    await lab.deploy(OBSERVE);
    const agent = await lab.agent().register();
    const at = (replicas: number, generation: string) => ({
      ...entry('t1', replicas),
      generation: { desired: generation, observed: generation },
    });
    await agent.sees([pod('p1', 't1'), pod('p2', 't1')], [at(2, '1')]);
    await agent.watches(5_000);
    expect((await lab.claim()).state).toBe('running');
    await agent.sees([pod('p1', 't1'), pod('p2', 't1')], [at(1, '2')]);
    expect((await lab.claim()).state).toBe('running');
    await agent.sees([pod('p1', 't1')], [at(1, '2')]);
    expect((await lab.claim()).state).toBe('running');
    await agent.sees([pod('p1', 't1'), pod('p3', 't1')], [at(2, '3')]);
    expect((await lab.claim()).state, 'the new copy has its window').toBe('starting');
    await agent.watches(5_000);
    expect((await lab.claim()).state).toBe('running');
  });

  it('can be neither cancelled nor torn down here; forced, it leaves the lists and is still observed', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(OBSERVE);
    await expect(lab.cancel()).rejects.toMatchObject({ code: 'nothing_to_cancel' });
    await expect(lab.teardown(), 'nothing is observed yet').rejects.toMatchObject({ code: 'state_unknown' });
    const agent = await lab.agent().register();
    await agent.sees([pod('p1', 't1')], [entry('t1')]);
    await expect(lab.teardown()).rejects.toThrow(/tear it down there/);
    const isHidden = () => lab.rows('services')[0]?.hidden;
    expect(await lab.teardown('mistyped')).toMatchObject({ revision: 2, claim: { state: 'starting' } });
    expect(isHidden()).toBe(true);
    expect((await lab.evidence()).at(-1)).toMatchObject({
      kind: 'operator.acted',
      body: { reason: 'mistyped' },
    });
    expect(lab.rows('commands'), 'no removal is queued').toEqual([]);
    await rebuild(lab.host, { replace: true });
    expect(isHidden(), 'as the ledger alone gives too').toBe(true);
    await lab.deploy(OBSERVE);
    expect(isHidden()).toBe(false);
  });

  it('succeeds for good when a template that was observed before holds at once (S11)', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(OBSERVE);
    const agent = await lab.agent().register();
    await agent.sees([pod('p1', 't1')], [entry('t1')]);
    await lab.tick(3_000);
    await agent.heartbeat();
    await lab.deploy(OBSERVE);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({
      state: 'running',
      desired: { revision: 4 },
      outcome: 'succeeded',
    });
    await lab.tick(16_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', outcome: 'succeeded' });
  });

  it('records nothing from an empty report: earlier observations do not count again', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(OBSERVE);
    const agent = await lab.agent().register();
    await agent.sees([pod('p1', 't1')], [entry('t1')]);
    await lab.deploy(OBSERVE);
    await agent.heartbeat({ unavailable: 'forbidden' });
    await agent.sees([], [], { complete: false });
    expect((await lab.claim()).desired.revision).toBe(3);
    await agent.sees([pod('p1', 't1')], [entry('t1')]);
    expect((await lab.claim()).desired.revision).toBe(4);
  });

  it('judges a template by the report that showed it, and not by the one before (S1)', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(OBSERVE);
    const agent = await lab.agent().register();
    await agent.sees([pod('p1', 't1')], [entry('t1')]);
    await lab.tick(3_000);
    await agent.heartbeat();
    await lab.deploy(OBSERVE);
    await agent.sees([{ ...pod('p1', 't1'), ready: false }], [entry('t1')]);
    expect(await lab.claim()).toMatchObject({ state: 'starting', desired: { revision: 4 } });
    const last = (await lab.transitions()).filter((t) => t.revision === 4);
    expect(last.map((t) => [t.to, t.owner])).toEqual([['starting', 'watcher']]);
  });

  it('records no template from a report that does not name the service (S11)', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(OBSERVE);
    const agent = await lab.agent().register();
    await agent.sees([pod('p1', 't1')], [entry('t1')]);
    await lab.tick(3_000);
    await agent.heartbeat();
    await lab.deploy(OBSERVE);
    await agent.sees([], [], { complete: false });
    expect(await lab.claim()).toMatchObject({ state: 'starting', desired: { revision: 3 } });
  });

  it('is stopped when the other tool wants no replicas and none are observed', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(OBSERVE);
    const agent = await lab.agent().register();
    await agent.sees([], [entry('t1', 0)]);
    await lab.tick(1_000);
    await agent.sees([], [entry('t1', 0)]);
    expect(await lab.claim()).toMatchObject({
      state: 'stopped',
      cause: { code: 'scaled_to_zero' },
      desired: { replicas: 0 },
    });
  });

  it('does not act on what another tool manages', async () => {
    const lab = newLab();
    await lab.deploy(OBSERVE);
    await expect(lab.scale(2)).rejects.toMatchObject({ code: 'managed_elsewhere' });
    await expect(lab.rollback(1)).rejects.toMatchObject({ code: 'managed_elsewhere' });
    await lab.deploy({ kind: 'image', image: `registry.example/web@sha256:${'9b1f'.repeat(16)}` });
    await expect(lab.rollback(1), 'there is nothing of ours in it').rejects.toMatchObject({
      code: 'no_artifact',
    });
    await expect(lab.rollback()).rejects.toMatchObject({ code: 'nothing_to_roll_back' });
    await lab.deploy(OBSERVE);
    await expect(lab.rollback(2), 'nor does it take over what another has').rejects.toMatchObject({
      code: 'managed_elsewhere',
    });
  });
});
