import { describe, expect, it } from 'vitest';
import { entry, pod, runningThere, SHOP, transitions, WEB } from './observed-workload.ts';

describe('what another tool scales up', () => {
  const at = { ...SHOP, observation: 1 };
  const young = (uid: string) => pod(uid, { phase: 'starting', ready: false });

  it('is starting more copies while all that were wanted are ready, and running once they are', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(1_000);
    await agent.sees([pod('p1')], [entry({ replicas: 3 })], at);
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      cause: { code: 'more_wanted', params: { from: 1, ready: 1, wanted: 3 } },
      message: { code: 'starting.more', body: expect.stringContaining('3 copies are wanted, after 1.') },
      next: { owner: 'platform' },
      serving: { revision: 1 },
    });
    await lab.tick(1_000);
    await agent.sees([pod('p1'), pod('p2'), young('p3')], [entry({ replicas: 3 })], at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'starting', cause: { code: 'more_wanted' } });
    await lab.tick(1_000);
    await agent.sees([pod('p1'), pod('p2'), pod('p3')], [entry({ replicas: 3 })], at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'starting', cause: { code: 'settling' } });
    await lab.tick(4_000);
    await agent.heartbeat(at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
    expect(transitions(lab)).not.toContain('degraded');
  });

  it('is degraded as soon as one that was wanted before breaks', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([pod('p1'), young('p2')], [entry({ replicas: 2 })], at);
    await lab.tick(1_000);
    await agent.sees([pod('p1', { ready: false }), young('p2')], [entry({ replicas: 2 })], at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'degraded', cause: { code: 'not_ready' } });
  });

  it('is degraded when they have not come by the deadline, and names what stops them before', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([pod('p1')], [entry({ replicas: 2, reason: 'quota_exceeded' })], at);
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      cause: { code: 'quota_exceeded' },
      next: { owner: 'user' },
    });
    for (let s = 0; s < 310; s += 10) {
      await lab.tick(10_000);
      await agent.heartbeat(at);
      await lab.sweep();
    }
    expect(await lab.claim(WEB)).toMatchObject({ state: 'degraded', cause: { code: 'quota_exceeded' } });
  });

  it('from none is starting', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([], [entry({ replicas: 0 })], at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped' });
    await lab.tick(1_000);
    await agent.sees([], [entry({ replicas: 2 })], at);
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      message: { body: expect.stringContaining('after none') },
    });
  });
});
