import { describe, expect, it } from 'vitest';
import { instance } from './agent.ts';
import { newLab } from './driver.ts';
import { applying, running, starting } from './life.ts';

const FORMER = { code: 'identity_changed', params: { former: 'cluster-1' } };
const UNKNOWN = { state: 'unknown', cause: FORMER, next: { retrySafe: false } };

describe('another place under the name of a target (F114)', () => {
  it('cannot prove what is gone from the former one: unknown, and nothing that starts a copy is called safe', async () => {
    const lab = newLab();
    const first = await running(lab);
    await first.watches(5_000);
    const seen = new Date(lab.now).toISOString();
    await lab.tick(20_000);
    const second = await lab.agent('agent-2').register('cluster-2');
    expect(await lab.claim()).toMatchObject({
      ...UNKNOWN,
      lastKnown: { at: seen },
      formerPlace: { asOf: seen },
    });
    await second.sees([]);
    await second.watches(60_000);
    const doubt = await lab.claim();
    expect(doubt).toMatchObject({
      ...UNKNOWN,
      cause: { params: { lastSeenAt: seen } },
      lastKnown: { state: 'running', at: seen },
      lastServing: { revision: 1, asOf: seen },
      formerPlace: { identity: 'cluster-1', copies: 1, asOf: seen },
      message: { code: 'unknown.former_place' },
    });
    expect(doubt.message.body).toContain('cluster-1');
    expect(doubt.message.body).toContain('Don’t retry');
    expect(doubt.message.body).not.toMatch(/gone\.|restart/);
    const risk = { code: 'identity_changed', detail: expect.stringContaining('cluster-1 may run still') };
    for (const action of ['restart', 'scale'])
      expect(doubt.actions, 'allowed, and not as if it were safe').toContainEqual({
        ...{ action, allowed: true, risk },
      });
    expect(await lab.claimAt(lab.now), 'and so it is shown later').toMatchObject(UNKNOWN);
    const before = lab.now;
    await lab.tick(1_000);
    await second.heartbeat();
    await lab.retire('cluster-1');
    expect(await lab.claim()).toMatchObject({
      state: 'degraded',
      cause: { code: 'instances_gone' },
      formerPlace: null,
      next: { action: 'restart', retrySafe: true },
    });
    expect(JSON.stringify((await lab.claim()).actions)).not.toContain('risk');
    expect(await lab.claimAt(before), 'it was not retired then').toMatchObject(UNKNOWN);
    expect((await lab.path()).at(-1)).toBe('degraded by operator');
    expect(lab.rows('ledger').find(({ kind }) => kind === 'operator.acted')).toMatchObject({
      target: 'lab',
      body: { action: 'place.retired', identity: 'cluster-1', reason: 'it burned' },
    });
  });

  it('says when the copies were last seen there, also where a later report could not be read', async () => {
    const lab = newLab();
    const first = await running(lab);
    await first.watches(10_000);
    const seen = new Date(lab.now).toISOString();
    await lab.tick(2_000);
    await first.sees([instance('u1', { phase: 'dancing' })]);
    expect(await lab.claim()).toMatchObject({ cause: { code: 'evidence_corrupt' } });
    await lab.agent('agent-2').register('cluster-2');
    expect(await lab.claim()).toMatchObject({ formerPlace: { identity: 'cluster-1', asOf: seen } });
  });

  it('seen again: the same instances, or the former place itself', async () => {
    const lab = newLab();
    await running(lab, { replicas: 2 });
    const second = await lab.agent('agent-2').register('cluster-2');
    await second.sees([instance('u1')]);
    expect(await lab.claim(), 'one of two').toMatchObject({ ...UNKNOWN, formerPlace: { copies: 1 } });
    await second.sees([instance('u1'), instance('u2')]);
    expect(await lab.claim()).toMatchObject({
      state: 'degraded',
      cause: { code: 'settling' },
      formerPlace: null,
    });

    const other = newLab();
    await running(other);
    await (await other.agent('agent-2').register('cluster-2')).sees([]);
    expect(await other.claim()).toMatchObject(UNKNOWN);
    const back = await other.agent('agent-3').register('cluster-1');
    expect((await other.claim()).state).toBe('unknown');
    await back.sees([instance('u1')]);
    await other.tick(3_000);
    await back.heartbeat();
    expect(await other.claim()).toMatchObject({ state: 'running', formerPlace: null });
  });

  it('a new attempt that holds in the new place runs, and says that the former copies were never proven gone', async () => {
    const lab = newLab();
    await running(lab);
    const second = await lab.agent('agent-2').register('cluster-2');
    await second.sees([]);
    await lab.restart();
    await lab.publish();
    expect(await lab.claim()).toMatchObject({ state: 'artifact_ready', next: { retrySafe: false } });
    await (await second.take()).applied();
    await second.sees([instance('u9', { revision: 2 })]);
    expect(await lab.claim(), 'not stable yet').toMatchObject(UNKNOWN);
    await lab.tick(3_000);
    await second.heartbeat();
    const held = await lab.claim();
    expect(held).toMatchObject({ state: 'running', formerPlace: { identity: 'cluster-1', copies: 1 } });
    expect(held.message.body).toContain('Copies in the former place cluster-1 were never proven gone.');
    await second.sees([]);
    expect(await lab.claim(), 'the new place is judged from then on').toMatchObject({
      state: 'degraded',
      next: { retrySafe: true },
    });
    await lab.teardown();
    await lab.publish();
    await (await second.take()).removed();
    await lab.tick(1_000);
    await second.sees([]);
    expect(await lab.claim(), 'the new place never proves that nothing runs').toMatchObject({
      state: 'unknown',
      cause: FORMER,
    });
    await lab.retire('cluster-1');
    await second.heartbeat();
    expect((await lab.claim()).state).toBe('stopped');
  });

  it('an apply that the former place took is held, not requeued, and goes on once that is retired', async () => {
    const lab = newLab();
    const { apply } = await applying(lab);
    const second = await lab.agent('agent-2').register('cluster-2');
    expect(await lab.claim()).toMatchObject({ ...UNKNOWN, lastKnown: { state: 'applying_runtime_state' } });
    expect((await lab.evidence()).map(({ kind }) => kind)).not.toContain('command.requeued');
    expect((await lab.evidence()).at(-1)).toMatchObject({
      kind: 'command.held',
      body: { identity: 'cluster-1' },
    });
    await second.sees([]);
    await lab.publish();
    expect(await second.acquire()).toBeNull();
    expect(await lab.claim()).toMatchObject(UNKNOWN);
    expect(await apply.applied()).toMatchObject({ reason: 'stale_lease' });
    await lab.retire('cluster-1');
    expect(await lab.claim()).toMatchObject({ state: 'artifact_ready', cause: { code: 'requeued' } });
    await (await second.take()).applied();
    expect((await lab.claim()).state).toBe('starting');
  });

  it('the doubt about an apply that the former place carried out unseen does not count toward its deadline', async () => {
    const lab = newLab();
    await starting(lab, { deadlines: { startMs: 60_000 } });
    await lab.tick(5_000);
    const second = await lab.agent('agent-2').register('cluster-2');
    await second.sees([]);
    await second.watches(40_000);
    expect(await lab.claim()).toMatchObject(UNKNOWN);
    await lab.retire('cluster-1');
    await second.watches(54_000);
    expect((await lab.claim()).state, '59 s without the 40 s of doubt').toBe('starting');
    await second.watches(2_000);
    expect(await lab.claim()).toMatchObject({ state: 'failed', cause: { code: 'not_scheduled' } });
  });

  it('the silence of the former place before it does not count either', async () => {
    const lab = newLab();
    const { agent: first, apply } = await applying(lab, { deadlines: { startMs: 60_000 } });
    await first.sees([instance('u1', { phase: 'pending', ready: false })]);
    await apply.applied();
    await lab.tick(35_000);
    const second = await lab.agent('agent-2').register('cluster-2');
    await second.sees([]);
    await second.watches(40_000);
    expect(await lab.claim()).toMatchObject(UNKNOWN);
    await lab.retire('cluster-1');
    await lab.tick(20_000);
    await second.heartbeat();
    await second.watches(29_000);
    expect((await lab.claim()).state, '15 s, 15 s and 29 s were fresh').toBe('starting');
    await second.watches(2_000);
    expect(await lab.claim()).toMatchObject({ state: 'failed', cause: { code: 'not_scheduled' } });
  });

  it('a copy that comes up in the new place is progress, though the former one is in doubt', async () => {
    const lab = newLab();
    const { agent: first, apply } = await applying(lab, { replicas: 2, deadlines: { startMs: 60_000 } });
    await apply.applied();
    await first.sees([
      instance('u1', { phase: 'starting', ready: false }),
      instance('u2', { phase: 'starting', ready: false }),
    ]);
    await first.watches(20_000);
    const second = await lab.agent('agent-2').register('cluster-2');
    await second.sees([]);
    await second.watches(10_000);
    await second.sees([instance('u3')]);
    await second.watches(10_000);
    expect(await lab.claim()).toMatchObject(UNKNOWN);
    await lab.retire('cluster-1');
    await second.watches(58_000);
    expect((await lab.claim()).state, '58 s since the copy came up, without the 10 s of doubt').toBe(
      'starting',
    );
    await second.watches(4_000);
    expect(await lab.claim()).toMatchObject({ state: 'failed', cause: { code: 'not_scheduled' } });
  });

  it('a lapsed apply of the former place is held too, given up in the end, and goes on if the place returns', async () => {
    const lab = newLab();
    await applying(lab, { deadlines: { applyQueueMs: 120_000 } });
    await lab.tick(40_000);
    expect(await lab.claim()).toMatchObject({ state: 'artifact_ready' });
    const second = await lab.agent('agent-2').register('cluster-2');
    await second.sees([]);
    expect(await second.acquire()).toBeNull();
    expect(await lab.claim()).toMatchObject({ ...UNKNOWN, lastKnown: { state: 'artifact_ready' } });
    const back = await lab.agent('agent-3').register('cluster-1');
    expect(await lab.claim()).toMatchObject({ state: 'artifact_ready' });
    const third = await lab.agent('agent-4').register('cluster-2');
    expect(await third.acquire()).toBeNull();
    expect(back.epoch).not.toBe(third.epoch);
    await lab.tick(121_000);
    expect(await lab.claim()).toMatchObject({ ...UNKNOWN, outcome: 'abandoned' });
    expect((await lab.claim()).actions.find(({ action }) => action === 'retry')).toMatchObject({
      allowed: true,
    });
  });

  it('what was applied in the former place and never seen is in doubt as well', async () => {
    const lab = newLab();
    await starting(lab);
    const second = await lab.agent('agent-2').register('cluster-2');
    await second.sees([]);
    await second.watches(20_000);
    expect(await lab.claim()).toMatchObject(UNKNOWN);
  });

  it('what was proven stopped stays so, also by a scale to none', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.teardown();
    await lab.publish();
    await (await agent.take()).removed();
    await lab.tick(1_000);
    await agent.sees([]);
    expect((await lab.claim()).state).toBe('stopped');
    const second = await lab.agent('agent-2').register('cluster-2');
    expect((await lab.claim()).state).toBe('stopped');
    await second.sees([]);
    await second.watches(30_000);
    expect((await lab.claim()).state).toBe('stopped');

    const other = newLab();
    const first = await running(other);
    await other.scale(0);
    await other.publish();
    await (await first.take()).applied();
    await other.tick(1_000);
    await first.sees([]);
    expect((await other.claim()).state).toBe('stopped');
    const another = await other.agent('agent-2').register('cluster-2');
    expect((await other.claim()).state).toBe('stopped');
    await another.sees([]);
    await another.watches(30_000);
    expect((await other.claim()).state).toBe('stopped');
  });

  it('refuses to retire the current place or one that was never there, and a retired one to register', async () => {
    const lab = newLab();
    await running(lab);
    await expect(lab.retire('cluster-1')).rejects.toMatchObject({ code: 'identity_current' });
    await expect(lab.retire('cluster-9')).rejects.toMatchObject({ code: 'not_found' });
    await lab.agent('agent-2').register('cluster-2');
    const { retiredAt } = await lab.retire('cluster-1');
    await lab.tick(1_000);
    expect((await lab.retire('cluster-1')).retiredAt).toBe(retiredAt);
    await expect(lab.agent('agent-3').register('cluster-1')).rejects.toMatchObject({
      code: 'identity_retired',
    });
  });
});
