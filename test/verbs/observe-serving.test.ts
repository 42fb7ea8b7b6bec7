import { describe, expect, it } from 'vitest';
import { entry, observing, pod, SHOP, WEB } from './observed-workload.ts';

describe('an older revision that serves', () => {
  const at = { ...SHOP, observation: 1 };
  const waiting = { ready: false, phase: 'pending', reason: 'image_not_found' };

  it('is named though it became ready only after it was replaced', async () => {
    const { lab, agent } = await observing();
    await agent.sees([pod('p1', { ready: false, phase: 'starting' })], [entry()], at);
    const bad = entry({ template: 'hash-2' });
    await agent.sees(
      [pod('p1', { ready: false, phase: 'starting' }), pod('p2', { ...waiting, template: 'hash-2' })],
      [bad],
      at,
    );
    expect((await lab.claim(WEB)).serving).toBeNull();
    await agent.sees([pod('p1'), pod('p2', { ...waiting, template: 'hash-2' })], [bad], at);
    expect(await lab.claim(WEB)).toMatchObject({ desired: { revision: 2 }, serving: { revision: 1 } });
    await lab.tick(20_000);
    expect(await lab.claim(WEB)).toMatchObject({ serving: null, lastServing: { revision: 1 } });
  });

  it('has a number if a rollout is under way when it is first seen', async () => {
    const { lab, agent } = await observing();
    const pods = [pod('p1', { template: 'hash-1' }), pod('p2', { ...waiting, template: 'hash-2' })];
    await agent.sees(pods, [entry({ template: 'hash-2' })], at);
    expect(await lab.claim(WEB)).toMatchObject({ desired: { revision: 2 }, serving: { revision: 1 } });
    const rows = await lab.history(WEB);
    expect(rows.map(({ intent }) => intent.template)).toEqual(['hash-2', 'hash-1']);
  });
});
