import { describe, expect, it } from 'vitest';
import { instance } from './agent.ts';
import { newLab } from './driver.ts';
import { applying, running, starting } from './life.ts';
import { settle, stageOf } from './settle.ts';

describe('progress', () => {
  const unready = instance('u1', { ready: false });

  it('does not count what was observed before the apply', async () => {
    const lab = newLab();
    const { agent, apply } = await applying(lab, { deadlines: { startMs: 10_000 } });
    await agent.sees([unready]);
    await apply.applied();
    await agent.watches(5_000);
    await agent.sees([instance('u1', { ready: false, restarts: 1 })]);
    await agent.sees([instance('u1', { phase: 'exited', ready: false, restarts: 1 })]);
    await agent.sees([instance('u1', { ready: false, restarts: 2 })]);
    await agent.watches(5_000);
    expect((await lab.claim()).state).toBe('failed');
  });

  it('counts what is observed after the apply', async () => {
    const lab = newLab();
    const { agent, apply } = await applying(lab, { deadlines: { startMs: 10_000 }, replicas: 2 });
    await agent.sees([unready]);
    await apply.applied();
    await agent.watches(5_000);
    await agent.sees([instance('u1')]);
    await agent.watches(5_000);
    expect((await lab.claim()).state).toBe('starting');
  });

  it('does not count what a scale finds running', async () => {
    const lab = newLab();
    const agent = await running(lab, { deadlines: { startMs: 10_000 } });
    await lab.scale(2);
    await lab.publish();
    await (await agent.take()).applied();
    await agent.watches(5_000);
    await agent.sees([instance('u1', { restarts: 1 })]);
    await agent.watches(5_000);
    expect((await lab.claim()).state).toBe('failed');
  });
});

describe('crash loop', () => {
  it.each([
    ['the reason', { phase: 'failed', ready: false, reason: 'crash_loop' }],
    ['three exits', { phase: 'exited', ready: false, restarts: 3 }],
    ['three restarts', { phase: 'starting', ready: false, restarts: 3 }],
  ])('by %s is failed at start at once, and a recovery reverts it', async (_name, looks) => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u1', looks)]);
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      outcome: 'failed',
      cause: { code: 'crash_loop' },
      timeout: null,
      next: { owner: 'user' },
      proof: { stoppedAt: 'starting' },
    });
    expect(await stageOf(lab)).toBe('start');
    // Every exit doubles the window (F113).
    expect(await settle(lab, agent, [instance('u1', { restarts: 3 })])).toEqual(['failed', 'crash_loop']);
    await agent.watches(21_000);
    expect((await lab.claim()).state).toBe('running');
    expect((await lab.claim()).outcome, 'an outcome never changes again (S11)').toBe('failed');
  });

  it('in one scope needs no new report of another scope after the apply', async () => {
    const lab = newLab();
    const { agent, apply } = await applying(lab, { replicas: 2 });
    const loop = instance('u1', { phase: 'starting', ready: false, reason: 'crash_loop' });
    await agent.sees([loop], [], { scope: 'east', seq: '1' });
    await agent.sees([instance('u2')], [], { scope: 'west', seq: '1' });
    await apply.applied();
    await agent.sees([instance('u2')], [], { scope: 'west', seq: '2' });
    expect((await lab.claim()).state, 'observed before the apply').toBe('starting');
    await agent.sees([loop], [], { scope: 'east', seq: '2' });
    expect(await lab.claim()).toMatchObject({ state: 'failed', cause: { code: 'crash_loop' } });
  });

  it('in one scope, while another scope of the service is silent, is unknown', async () => {
    const lab = newLab();
    const { agent, apply } = await applying(lab, { replicas: 2 });
    const loop = instance('u1', { phase: 'starting', ready: false, restarts: 3 });
    await agent.sees([instance('u9', { revision: 0 })], [], { scope: 'west', seq: '1' });
    lab.sleep(14_000);
    await apply.applied();
    lab.sleep(1_000);
    await agent.sees([loop], [], { scope: 'east', seq: '1' });
    const { state, cause } = await lab.claim();
    expect([state, cause?.code]).toEqual(['unknown', 'watch_stalled']);
    await agent.sees([], [], { scope: 'west', seq: '2' });
    expect((await lab.claim()).state).toBe('failed');
  });

  it('is not shown by two exits', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u1', { phase: 'exited', ready: false, restarts: 1 })]);
    expect((await lab.claim()).state).toBe('starting');
  });
});

describe('a degraded service', () => {
  it('is not degraded when one scope takes over from another with instances that have long been ready', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2 });
    let seq = 0;
    const see = async (east: readonly string[], west: readonly string[]) => {
      seq += 1;
      await agent.sees(
        east.map((uid) => instance(uid)),
        [],
        { scope: 'east', seq: `${seq}` },
      );
      await agent.sees(
        west.map((uid) => instance(uid)),
        [],
        { scope: 'west', seq: `${seq}` },
      );
    };
    await see(['u1'], ['u2']);
    await lab.tick(3_000);
    await see(['u1'], ['u2']);
    await see(['u1', 'u3'], ['u2']);
    await lab.tick(2_999);
    const rows = lab.count('ledger');
    await see(['u1', 'u3'], ['u2']);
    expect(lab.count('ledger'), 'not long enough').toBe(rows);
    for (const _ of [1, 2, 3]) {
      await lab.tick(3_000);
      await see(['u1', 'u3'], ['u2']);
    }
    expect(lab.count('ledger'), 'on record once').toBe(rows + 1);
    await see(['u1', 'u3'], []);
    expect((await lab.claim()).state).toBe('running');
    expect((await lab.path()).at(-1)).toBe('running by watcher');
  });

  it('names the copy that hangs (F115)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('u1', { name: 'web-1', ready: false, reason: 'not_answering' })]);
    const claim = await lab.claim();
    expect(claim).toMatchObject({
      state: 'degraded',
      cause: { code: 'not_answering', params: { instance: 'web-1' } },
      next: { owner: 'user', action: 'restart' },
    });
    expect(claim.message.body).toMatch(
      /^web-1 does not answer any more\. It gets no requests until it does\./,
    );
    await agent.sees([instance('u1', { name: 'see <b>x</b>', ready: false, reason: 'not_answering' })]);
    expect((await lab.claim()).message.body).toMatch(/^A copy of the app does not answer any more/);
  });

  it('is running again when it recovers', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('u1', { ready: false, reason: 'probe_failed' })]);
    expect(await lab.claim()).toMatchObject({
      state: 'degraded',
      outcome: 'succeeded',
      cause: { code: 'probe_failed' },
    });
    expect(await settle(lab, agent, [instance('u1')])).toEqual(['running', undefined]);
    expect((await lab.path()).slice(-3)).toEqual([
      'running by watcher',
      'degraded by watcher',
      'running by watcher',
    ]);
  });

  it('does not count time in which nothing could be read towards a deadline, even if it progresses meanwhile', async () => {
    const lab = newLab();
    const agent = await running(lab, { deadlines: { degradedMs: 60_000 } });
    await agent.sees([instance('u1', { ready: false })]);
    await agent.sees([instance('u1', { phase: 'dancing' })]);
    expect((await lab.claim()).state).toBe('unknown');
    await agent.watches(20_000);
    await agent.sees([instance('u1', { ready: false })]);
    expect((await lab.claim()).state).toBe('degraded');
    const behind = { service: 'web@lab', generation: { desired: '2', observed: '1' } };
    await agent.sees([instance('u1'), instance('u2')], [behind]);
    expect((await lab.claim()).state, 'more are ready, and the contract is broken all the same').toBe(
      'degraded',
    );
    await agent.watches(59_999);
    expect((await lab.claim()).state).toBe('degraded');
    await agent.watches(1);
    expect((await lab.claim()).state).toBe('failed');
  });

  it('that exceeds its deadline is failed at runtime, restart is offered, and recovery reverts it', async () => {
    const lab = newLab();
    const agent = await running(lab, { deadlines: { degradedMs: 60_000 } });
    await agent.sees([instance('u1', { ready: false })]);
    await agent.watches(60_000);
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      outcome: 'succeeded',
      timeout: { stage: 'runtime', expected: 'runtime.observed', retrySafe: true, owner: 'user' },
    });
    expect((await lab.path()).at(-1)).toBe('failed by clock');
    await expect(lab.retry()).rejects.toMatchObject({ code: 'retry_not_possible' });
    expect(await settle(lab, agent, [instance('u1')])).toEqual(['running', undefined]);
    expect((await lab.path()).at(-1)).toBe('running by watcher');
  });
});
