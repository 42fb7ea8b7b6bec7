import { describe, expect, it } from 'vitest';
import { beat } from '../../src/repair/beat.ts';
import { instance } from './agent.ts';
import { ARTIFACT, DIGEST, type Lab, newLab, SOURCE, T0 } from './driver.ts';
import { building, running, waiting } from './life.ts';
import type { Lease } from './taker.ts';

const iso = (ms: number) => new Date(ms).toISOString();

describe('protocol 1: idempotency (S7)', () => {
  it('the same key and request again is the same revision with the current claim', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE, {}, { key: 'k1' });
    await lab.publish();
    const again = await lab.deploy(SOURCE, {}, { key: 'k1' });
    expect(again).toMatchObject({ revision: 1, attempt: 1, replayed: true });
    expect(again.claim.state).toBe('waiting_for_worker');
    expect(lab.count('revisions')).toBe(1);
  });

  it('the same key with another request is refused; another key or another token is another request', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE, {}, { key: 'k1' });
    await expect(lab.deploy(SOURCE, { replicas: 2 }, { key: 'k1' })).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    expect(await lab.deploy(SOURCE, {}, { key: 'k2' })).toMatchObject({ revision: 2 });
    expect(await lab.deploy(SOURCE, {}, { key: 'k1', actor: 'ben' })).toMatchObject({ revision: 3 });
  });

  it('a key is kept for a day by the store’s clock, and is new afterwards', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE, {}, { key: 'k1' });
    lab.sleep(24 * 3_600_000 - 1);
    expect(await lab.deploy(SOURCE, {}, { key: 'k1' })).toMatchObject({ revision: 1, replayed: true });
    lab.sleep(1);
    expect(await lab.deploy(SOURCE, { replicas: 2 }, { key: 'k1' })).toMatchObject({
      revision: 2,
      replayed: false,
    });
    lab.sleep(1);
    expect(await lab.deploy(SOURCE, { replicas: 2 }, { key: 'k1' })).toMatchObject({
      revision: 2,
      replayed: true,
    });
    expect(lab.count('keys')).toBe(1);
  });

  it('a refused request leaves no key', async () => {
    const lab = newLab();
    await expect(lab.deploy(ARTIFACT, {}, { key: 'k1' })).rejects.toMatchObject({ code: 'artifact_missing' });
    await lab.holds(DIGEST);
    expect(await lab.deploy(ARTIFACT, {}, { key: 'k1' })).toMatchObject({ revision: 1, replayed: false });
  });
});

describe('protocol 1: concurrency', () => {
  it('newest supersedes: the attempt ends, its evidence is stale, its holder is notified', async () => {
    const lab = newLab();
    const build = await building(lab);
    expect(await lab.deploy(SOURCE)).toMatchObject({ revision: 2 });
    expect(await lab.outcomes()).toEqual(['r2.a1 in_progress', 'r1.a1 superseded']);
    expect(await build.stored()).toMatchObject({ verdict: 'rejected', reason: 'stale_revision' });
    await lab.tick(10_000);
    expect(await build.heartbeat()).toMatchObject({ superseded: true, ttlMs: 20_000 });
    await lab.tick(20_000);
    await expect(build.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await lab.claim()).desired.revision).toBe(2);
  });

  it('newest over a running revision leaves it serving', async () => {
    const lab = newLab();
    await running(lab);
    await lab.deploy(SOURCE);
    expect(await lab.claim()).toMatchObject({ state: 'accepted', serving: { revision: 1 } });
    expect(await lab.outcomes()).toEqual(['r2.a1 in_progress', 'r1.a1 succeeded']);
  });

  it('no revision serves beside an instance of an unissued one, without a port or a route', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.deploy(SOURCE);
    await agent.sees([instance('u1'), instance('u2', { revision: 1001 })]);
    expect((await lab.claim()).serving).toBeNull();
    await agent.sees([instance('u1')]);
    expect((await lab.claim()).serving).toMatchObject({ revision: 1 });
  });

  it('queue waits behind the active revision: its command is held and its deadlines have not begun', async () => {
    const lab = newLab();
    const build = await building(lab, { deadlines: { publishMs: 5_000 } });
    const queued = await lab.deploy(SOURCE, { concurrency: 'queue', deadlines: { publishMs: 5_000 } });
    expect(queued).toMatchObject({ revision: 2, claim: { state: 'building', desired: { revision: 1 } } });
    expect(queued.claim.queued).toEqual([{ revision: 2, attempt: 1, since: iso(T0), actor: 'ana' }]);
    expect(await lab.publish(), 'held').toBe(0);
    await lab.tick(20_000);
    await build.fails();
    expect(await lab.claim()).toMatchObject({
      state: 'accepted',
      desired: { revision: 2 },
      queued: [],
      expecting: { by: iso(T0 + 25_000) },
    });
    await lab.publish();
    expect((await lab.claim()).state).toBe('waiting_for_worker');
    expect(await lab.outcomes()).toEqual(['r2.a1 in_progress', 'r1.a1 failed']);
  });

  it('a superseded removal is no longer acknowledged once the next in the queue is active', async () => {
    for (const isTaken of [false, true]) {
      const { lab, agent, remove } = await removingBeforeTheNext();
      if (isTaken) await remove.heartbeat();
      await lab.tick(1_000);
      expect(await lab.claim()).toMatchObject({ state: 'accepted', desired: { revision: 3 } });
      expect(stateOf(lab, remove)).toBe('superseded');
      if (isTaken) expect(await remove.heartbeat()).toMatchObject({ superseded: true });
      else await expect(remove.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
      expect(await remove.removed()).toMatchObject({ reason: 'stale_revision' });
      expect(await agent.acquire()).toBeNull();
    }
  });

  it('a heartbeat or release that finds the deadline passed supersedes the removal and loses the lease', async () => {
    for (const find of ['heartbeat', 'release'] as const) {
      const { lab, remove } = await removingBeforeTheNext();
      lab.sleep(1_000);
      await beat(lab.host, 'server-a');
      await expect(remove[find]()).rejects.toMatchObject({ code: 'lease_lost' });
      // The refusal is an answer, and the transition that it found stays recorded.
      expect(stateOf(lab, remove)).toBe('superseded');
    }
  });

  it('a registration that finds the deadline passed does not requeue the superseded removal', async () => {
    const { lab, remove } = await removingBeforeTheNext();
    await remove.heartbeat();
    lab.sleep(1_000);
    await beat(lab.host, 'server-a');
    await lab.agent('agent-lab', 'agent-lab-2').register();
    expect(stateOf(lab, remove)).toBe('superseded');
  });

  it('queue continues when the revision ahead is cancelled, whose command is withdrawn', async () => {
    const lab = newLab();
    await waiting(lab);
    await lab.deploy(SOURCE, { concurrency: 'queue' });
    expect((await lab.cancel()).claim).toMatchObject({ state: 'accepted', desired: { revision: 2 } });
    expect(lab.rows('commands').map((c) => c.state)).toEqual(['cancelled', 'recorded']);
    expect((await lab.evidence()).map((e) => e.kind)).toContain('command.withdrawn');
  });

  it('queue does not wait for an ended attempt, and newest supersedes a queued one', async () => {
    const lab = newLab();
    await running(lab);
    expect((await lab.deploy(SOURCE, { concurrency: 'queue' })).claim.desired.revision).toBe(2);
    await lab.deploy(SOURCE, { concurrency: 'queue' });
    const newest = await lab.deploy(SOURCE);
    expect(newest.claim).toMatchObject({ desired: { revision: 4 }, queued: [] });
    expect(await lab.outcomes()).toEqual([
      'r4.a1 in_progress',
      'r3.a1 superseded',
      'r2.a1 superseded',
      'r1.a1 succeeded',
    ]);
  });

  it('a queued revision can be cancelled, and then never becomes active', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.deploy(SOURCE, { concurrency: 'queue' });
    await lab.deploy(SOURCE, { concurrency: 'queue' });
    const cancelled = await lab.cancel(2);
    expect(cancelled).toMatchObject({ revision: 2, claim: { state: 'building' } });
    expect(cancelled.claim.queued.map((q) => q.revision)).toEqual([3]);
    await build.fails();
    expect((await lab.claim()).desired.revision).toBe(3);
    expect(await lab.outcomes()).toEqual(['r3.a1 in_progress', 'r2.a1 cancelled', 'r1.a1 failed']);
  });

  it('refuse names the revision in progress, and deploys where there is none', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE, { concurrency: 'refuse' });
    await expect(lab.deploy(SOURCE, { concurrency: 'refuse' }, { actor: 'ben' })).rejects.toMatchObject({
      code: 'deployment_in_progress',
      params: { holder: { revision: 1, attempt: 1, since: new Date(T0).toISOString(), actor: 'ana' } },
    });
    await lab.cancel();
    expect(await lab.deploy(SOURCE, { concurrency: 'refuse' })).toMatchObject({ revision: 2 });
  });
});

/** A removal that is offered a second before its deadline, and a deployment that is queued behind it. */
async function removingBeforeTheNext() {
  const lab = newLab();
  const agent = await running(lab, { deadlines: { stopMs: 10_000 } });
  await lab.teardown();
  await lab.publish();
  await lab.deploy(SOURCE, { concurrency: 'queue' });
  await agent.watches(9_000);
  return { lab, agent, remove: await agent.offer() };
}

const stateOf = (lab: Lab, { offer }: Lease) =>
  lab.rows('commands').find((c) => c.id === offer.command)?.state;
