import { describe, expect, it } from 'vitest';
import { instance } from './agent.ts';
import { type Lab, newLab, SOURCE, T0 } from './driver.ts';
import { applying, building, running, starting } from './life.ts';
import { overtaken } from './overtaken.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const state = async (lab: Lab) => (await lab.claim()).state;

describe('freshness', () => {
  it('silence: unknown with the last known state, in every read and without a write (S2, F25)', async () => {
    const lab = newLab();
    await running(lab);
    const rows = lab.count('transitions');
    lab.sleep(14_999);
    expect(await state(lab)).toBe('running');
    lab.sleep(1);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      outcome: 'succeeded',
      cause: { code: 'stale_runtime' },
      lastKnown: { state: 'running', at: iso(T0 + 3_000), ageMs: 15_000 },
      serving: null,
      proof: { stoppedAt: 'running' },
      next: { owner: 'platform', action: 'start_agent' },
    });
    expect(lab.count('transitions')).toBe(rows);
  });

  it('a service that a deadline failed is last known as failed at the deadline, whenever it was last observed', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 10_000 } });
    await agent.sees([]);
    await lab.tick(10_000);
    expect(await state(lab)).toBe('failed');
    await lab.tick(5_000);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      lastKnown: { state: 'failed', at: iso(T0 + 10_000), ageMs: 5_000 },
    });
  });

  it('silence is recorded once, at the instant the rule fired, owner clock', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(60_000);
    expect((await lab.transitions()).slice(-1)).toMatchObject([
      { from: 'running', to: 'unknown', owner: 'clock', at: T0 + 18_000 },
    ]);
    await agent.heartbeat();
    expect((await lab.transitions()).slice(-1)).toMatchObject([
      { from: 'unknown', to: 'running', owner: 'watcher' },
    ]);
    expect(lab.rows('spans')).toMatchObject([{ subject: 'scope/lab/*', until: T0 + 3_000 }]);
  });

  it.each([
    ['when that is too old', 60_000, T0 + 20_000],
    ['when its time to start is over, and nothing was observed', 12_000, T0 + 17_000],
  ])('silence is recorded too where the apply is newer than the last report: %s', async (_, startMs, at) => {
    const lab = newLab();
    const { agent, apply } = await applying(lab, { deadlines: { startMs } });
    await agent.sees([]);
    await lab.tick(5_000);
    await apply.applied();
    await lab.tick(16_000);
    expect((await lab.path()).slice(-2)).toEqual(['starting by agent', 'unknown by clock']);
    expect((await lab.transitions()).at(-1)).toMatchObject({ at });
  });

  it('asOf is receipt less the age of the watch: alive with a dead watch is watch_stalled (F66)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(5_000);
    await agent.heartbeat({ watchAgeMs: 2_000 });
    expect((await lab.claim()).freshness.asOf).toBe(iso(lab.now - 2_000));
    await lab.tick(12_999);
    await agent.heartbeat({ watchAgeMs: 14_998 });
    expect(await state(lab)).toBe('running');
    await lab.tick(1);
    expect(await state(lab)).toBe('running');
    await lab.tick(1);
    await agent.heartbeat({ watchAgeMs: 15_001 });
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'watch_stalled' } });
    await lab.tick(15_000);
    expect((await lab.claim()).cause?.code).toBe('stale_runtime');
  });

  it('an agent that stops is silent from the first instant on, though its last report was received after what it shows', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(5_000);
    await agent.heartbeat({ watchAgeMs: 3_000 });
    await lab.tick(12_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'stale_runtime' } });
    await lab.tick(5_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'stale_runtime' } });
  });

  it('asOf is never younger than the agent’s last contact: a report created before a freeze and sent after it', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const lastContact = iso(lab.now);
    await lab.tick(40_000);
    await agent.heartbeat({ heard: lastContact, heardAgoMs: 1_000 });
    expect(await lab.claim()).toMatchObject({ state: 'unknown', freshness: { asOf: iso(T0 + 4_000) } });
    await agent.heartbeat({ heard: iso(lab.now), heardAgoMs: 200 });
    expect(await lab.claim()).toMatchObject({ state: 'running', freshness: { ageMs: 0 } });
  });

  it('an agent’s clock is never trusted: a last contact in the future makes nothing younger (F63)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await expect(agent.heartbeat({ heard: iso(lab.now + 300_000), heardAgoMs: 0 })).rejects.toMatchObject({
      code: 'invalid_request',
      params: { errors: ['heard: in the future'] },
    });
    // The time that another server sent while the store's clock was behind (ADR 11).
    await agent.heartbeat({ heard: iso(lab.now + 9_000), heardAgoMs: 0 });
    expect(await lab.claim()).toMatchObject({ state: 'running', freshness: { ageMs: 0 } });
    await lab.tick(15_000);
    expect(await state(lab)).toBe('unknown');
  });

  it('a target without any report is never_observed', async () => {
    const lab = newLab();
    await starting(lab);
    await lab.tick(15_000);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'never_observed' },
      lastKnown: { state: 'starting' },
    });
  });

  it.each([
    ['could not be read', { phase: 'dancing' }, 'evidence_corrupt'],
    ['cannot be judged', { reason: 'sunspots' }, 'unrecognised'],
  ])(
    'a service that %s after progress postponed its deadline is abandoned, and that is recorded',
    async (_name, odd, code) => {
      const lab = newLab();
      const agent = await starting(lab, { replicas: 2, deadlines: { startMs: 60_000 } });
      await agent.sees([instance('u1', { ready: false })]);
      await agent.watches(50_000);
      await agent.sees([instance('u1')]);
      await agent.watches(20_500);
      expect((await lab.claim()).state, 'the clock started anew').toBe('starting');
      lab.sleep(100);
      await agent.sees([instance('u1', odd)]);
      expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code }, outcome: 'in_progress' });
      lab.sleep(700);
      await lab.sweep();
      lab.sleep(100);
      expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code }, outcome: 'abandoned' });
    },
  );

  it('silence counts towards no observation deadline, but a whole stage of it is abandoned', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 40_000 } });
    await agent.sees([instance('u1', { ready: false })]);
    await lab.tick(30_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', outcome: 'in_progress' });
    await agent.heartbeat();
    await agent.watches(20_000);
    expect(await state(lab), 'only the 15 s of it that were fresh count').toBe('starting');
    await agent.watches(5_000);
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      outcome: 'failed',
      timeout: { stage: 'readiness' },
    });
    const other = newLab();
    await starting(other, { deadlines: { startMs: 40_000 } });
    await other.tick(39_999);
    expect((await other.claim()).outcome).toBe('in_progress');
    await other.tick(1);
    expect(await other.claim()).toMatchObject({ state: 'unknown', outcome: 'abandoned' });
  });
});

describe('blind time (F39, F40)', () => {
  it('postpones the ends of leases: no lease lapses because the server slept', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.tick(10_000);
    lab.sleep(600_000);
    await lab.sweep();
    expect(lab.rows('blinds')).toEqual([{ org: 'default', from: T0 + 10_000, to: T0 + 610_000 }]);
    expect(await state(lab)).toBe('building');
    await lab.tick(19_999);
    expect(await state(lab)).toBe('building');
    await build.heartbeat();
    await lab.tick(29_999);
    expect(await state(lab)).toBe('building');
  });

  it('postpones deadlines by the overlap', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(SOURCE, { deadlines: { queueMs: 60_000 } });
    await lab.publish();
    await lab.tick(30_000);
    lab.sleep(3_600_000);
    await lab.sweep();
    expect(await state(lab)).toBe('waiting_for_worker');
    await lab.tick(29_999);
    expect(await state(lab)).toBe('waiting_for_worker');
    await lab.tick(1);
    expect(await state(lab)).toBe('failed');
  });

  it('makes nothing fresh: afterwards every claim is unknown until observed', async () => {
    const lab = newLab();
    const agent = await running(lab);
    lab.sleep(600_000);
    await lab.sweep();
    expect(await state(lab)).toBe('unknown');
    await agent.heartbeat();
    expect(await state(lab)).toBe('running');
  });

  it('begins after 5 s without a beat, not before', async () => {
    const lab = newLab();
    await building(lab);
    lab.sleep(5_000);
    await lab.sweep();
    expect(lab.count('blinds')).toBe(0);
    lab.sleep(5_001);
    await lab.sweep();
    expect(lab.rows('blinds')).toMatchObject([{ from: T0 + 5_000, to: T0 + 10_001 }]);
  });

  it('is recorded although another server began its first beat before the sleep', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE);
    let statements = 0;
    const { server, stopped, resume } = overtaken(lab, () => ++statements === 2);
    const late = server.sweep('sweeper-b');
    await stopped;
    await lab.tick(5_000);
    lab.sleep(60_000);
    resume();
    await late;
    await lab.sweep();
    expect(lab.rows('blinds')).toMatchObject([{ from: T0 + 5_000, to: T0 + 65_000 }]);
  });
});

describe('a past claim', () => {
  it('equals the claim of then: through a silence and back', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.watches(20_000);
    const silentFrom = lab.now;
    await lab.tick(60_000);
    await agent.heartbeat();
    await lab.tick(5_000);
    const at = async (ms: number) => (await lab.claimAt(ms)).state;
    expect(await at(T0)).toBe('starting');
    expect(await at(T0 + 2_999)).toBe('starting');
    expect(await at(T0 + 3_000)).toBe('running');
    expect(await at(silentFrom + 14_999)).toBe('running');
    expect(await at(silentFrom + 15_000)).toBe('unknown');
    expect(await at(silentFrom + 59_999)).toBe('unknown');
    expect(await at(silentFrom + 60_000)).toBe('running');
    await expect(lab.claimAt(T0 - 1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('through a watch that lags: a report that was stale at receipt makes no earlier instant fresh', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(40_000);
    const from = lab.now;
    await agent.heartbeat({ watchAgeMs: 20_000 });
    await lab.tick(10_000);
    await agent.heartbeat({ watchAgeMs: 16_000 });
    await lab.tick(1_000);
    for (const ms of [0, 5_000, 9_999, 10_000, 10_500])
      expect(await lab.claimAt(from + ms), `${ms}`).toMatchObject({
        state: 'unknown',
        cause: { code: 'watch_stalled' },
      });
  });

  it('equals the claim of then: through a late heartbeat and a lapse', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.tick(29_000);
    lab.sleep(3_000);
    await build.heartbeat();
    await lab.tick(30_000);
    const at = async (ms: number) => (await lab.claimAt(T0 + ms)).state;
    expect(await at(29_999)).toBe('building');
    expect(await at(30_000)).toBe('unknown');
    expect(await at(31_999)).toBe('unknown');
    expect(await at(32_000)).toBe('building');
    expect(await at(61_999)).toBe('building');
    expect(await at(62_000)).toBe('waiting_for_worker');
  });

  it('does not change with later events', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const then = lab.now;
    const before = await lab.claimAt(then);
    await lab.tick(1);
    await agent.sees([]);
    await lab.deploy(SOURCE);
    await lab.tick(60_000);
    const { state: was, desired, outcome, proof, serving } = await lab.claimAt(then);
    expect({ was, desired, outcome, proof, serving }).toEqual({
      was: before.state,
      desired: before.desired,
      outcome: before.outcome,
      proof: before.proof,
      serving: before.serving,
    });
  });
});
