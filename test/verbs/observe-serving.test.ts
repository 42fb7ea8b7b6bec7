import { describe, expect, it } from 'vitest';
import type { Lab } from './driver.ts';
import { givesStored, restsOnItsProof, subjects } from './laws.ts';
import { entry, observing, pod, SHOP, WEB, workload } from './observed-workload.ts';

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

it('is stopped because no machine matches, and not because somebody wants no copies', async () => {
  const { lab, agent } = await observing();
  const set = workload({ kind: 'DaemonSet', uid: 'ds-1' });
  const none = entry({ replicas: 0, workload: set, reason: 'no_matching_node' });
  await agent.sees([], [none], { ...SHOP, observation: 1 });
  expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'no_node_selected' } });
});

it('runs on a schedule and serves nobody: its failure is that of its last run', async () => {
  const { lab, agent } = await observing();
  const cron = entry({ job: 'failed', workload: workload({ kind: 'CronJob', uid: 'cj-1' }) });
  await agent.sees([], [cron], { ...SHOP, observation: 1 });
  const claim = await lab.claim(WEB);
  expect(claim).toMatchObject({ state: 'failed', serving: null, message: { code: 'failed.job' } });
  expect(claim.nothingServes).toBeUndefined();
});

it('is named by what ends it for as long as it ends again and again', async () => {
  const { lab, agent } = await observing();
  const at = { ...SHOP, observation: 1 };
  const up = (restarts: number, more: object = {}) =>
    agent.sees([pod('p1', { restarts, ...more })], [entry()], at);
  await up(0);
  for (const restarts of [1, 2, 3]) {
    await lab.tick(4_000);
    await up(restarts);
  }
  const why = { reason: 'liveness_failed', ready: false };
  await agent.sees([pod('p1', { restarts: 3, ...why })], [entry({ reason: 'liveness_failed' })], at);
  expect(await lab.claim(WEB)).toMatchObject({
    state: 'failed',
    cause: { code: 'liveness_failed' },
    message: { title: 'The app does not stay up' },
  });
  await agent.sees(
    [pod('p1', { restarts: 3, ready: false, reason: 'probe_failed' })],
    [entry({ reason: 'liveness_failed' })],
    at,
  );
  expect(await lab.claim(WEB)).toMatchObject({ cause: { code: 'liveness_failed' } });
});

it('is in a crash loop at first sight where its runtime remembers one', async () => {
  const { lab, agent } = await observing();
  const at = { ...SHOP, observation: 1 };
  const restlessSince = new Date(lab.now - 17 * 60_000).toISOString();
  await agent.sees([pod('p1', { restarts: 9, restlessSince })], [entry()], at);
  const claim = await lab.claim(WEB);
  expect(claim).toMatchObject({ state: 'failed', cause: { code: 'crash_loop', params: { exits: 9 } } });
  expect(claim.message.body).toContain('9 times in 17 min');
});

it('is not running in its own rhythm where it was down at first sight', async () => {
  const { lab, agent } = await observing();
  const at = { ...SHOP, observation: 1 };
  const restlessSince = new Date(lab.now - 17 * 60_000).toISOString();
  const down = { phase: 'exited', ready: false, reason: 'crash_loop' } as const;
  await agent.sees([pod('p1', { restarts: 26, ...down })], [entry()], at);
  const states = new Set<string>();
  for (let s = 0; s < 60; s++) {
    await agent.sees([pod('p1', { restarts: 27, restlessSince })], [entry()], at);
    states.add((await lab.claim(WEB)).state);
    await lab.tick(1_000);
  }
  expect(states).toEqual(new Set(['failed']));
  await isProven(lab);
  for (let s = 0; s < 8; s++) {
    await agent.sees([pod('p1', { restarts: 27 })], [entry()], at);
    await lab.tick(1_000);
  }
  expect((await lab.claim(WEB)).state).toBe('running');
  await isProven(lab);
});

/** S9, S14: the facts are what the ledger gives, and the claim is what its evidence gives. */
async function isProven(lab: Lab): Promise<void> {
  for (const subject of await subjects(lab)) {
    givesStored(subject, subject.rows);
    restsOnItsProof(subject);
  }
}
