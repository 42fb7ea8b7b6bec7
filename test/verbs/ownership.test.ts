import { describe, expect, it } from 'vitest';
import { statement } from '../../src/contract/presentation/moves.ts';
import { heartbeat } from '../../src/ownership/heartbeat.ts';
import { release } from '../../src/ownership/release.ts';
import { beat } from '../../src/repair/beat.ts';
import { workersOf } from '../../src/server/reads/workers.ts';
import { newLab, SOURCE, T0 } from './driver.ts';
import { applying, artifactReady, building, waiting } from './life.ts';
import { overtaken } from './overtaken.ts';
import { Taker } from './taker.ts';

const cause = async (lab: ReturnType<typeof newLab>) => (await lab.claim()).cause?.code;

/**
 * Checks that a call at this instant counts for the freshness window and no longer, and that the past shows the
 * same.
 */
async function isOnlineFrom(lab: ReturnType<typeof newLab>, calledAt: number): Promise<void> {
  const api = async () => (await lab.claim('api@lab')).cause?.code;
  expect(await api()).toBe('offered');
  await lab.tick(14_999);
  expect(await api()).toBe('offered');
  await lab.tick(1);
  expect(await api()).toBe('no_worker_online');
  const then = async (at: number) => (await lab.claimAt(at, 'api@lab')).cause?.code;
  expect(await then(calledAt)).toBe('offered');
  expect(await then(calledAt + 14_999)).toBe('offered');
  expect(await then(calledAt + 15_000)).toBe('no_worker_online');
}

describe('protocol 3: the cause of waiting', () => {
  it('no_worker_online, offered, all_busy: by the workers that called within the freshness window', async () => {
    const lab = newLab();
    const [a, b] = [lab.builder('builder-a'), lab.builder('builder-b')];
    await waiting(lab);
    expect(await cause(lab)).toBe('no_worker_online');
    await a.take();
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    expect((await lab.claim('api@lab')).cause?.code).toBe('all_busy');
    const offer = await b.offer();
    expect(await lab.claim('api@lab')).toMatchObject({
      state: 'waiting_for_worker',
      cause: { code: 'offered', params: { kind: 'build' } },
      proof: { stoppedAt: 'waiting_for_worker' },
    });
    await offer.heartbeat();
    expect((await lab.claim('api@lab')).state).toBe('building');
  });

  it('a call during another call of the same worker counts as well', async () => {
    const lab = newLab();
    const { server, stopped, resume } = overtaken(lab, (_, table) => table === 'workers');
    const first = server.builder().acquire();
    await stopped;
    lab.sleep(10_000);
    const second = lab.builder().acquire();
    resume();
    await Promise.all([first, second]);
    await waiting(lab);
    lab.sleep(14_999);
    expect(await cause(lab)).toBe('offered');
    lab.sleep(1);
    expect(await cause(lab)).toBe('no_worker_online');
  });

  it('a heartbeat that was delayed does not shorten what a later one has renewed (F37)', async () => {
    const lab = newLab();
    const build = await building(lab);
    const { server, stopped, resume } = overtaken(
      lab,
      (statement, table) => statement === 'update' && table === 'leases',
    );
    const { taker, offer } = build;
    await lab.tick(2_000);
    const first = heartbeat(server.host, taker.caller, offer.id, offer.fence);
    await stopped;
    await lab.tick(20_000);
    await build.heartbeat();
    resume();
    expect(await first).toMatchObject({ ok: true });
    expect(lab.rows('leases')[0]?.until).toBe(T0 + 22_000 + 30_000);
  });

  it('a released command is offered again at once, and then after growing pauses, up to a bound (L5)', async () => {
    const lab = newLab();
    let lease = await building(lab);
    const pauses: number[] = [];
    for (let n = 0; n < 12; n++) {
      await lease.release();
      const [command] = lab.rows('commands');
      pauses.push((command?.availableAt ?? 0) - lab.now);
      if (pauses[n] !== 0) expect(await lab.builder().acquire(), 'not before its time').toBeNull();
      lab.sleep(pauses[n] ?? 0);
      await beat(lab.host, 'server-a');
      lease = await lab.builder().take();
    }
    expect(pauses[0]).toBe(0);
    for (const [n, pause] of pauses.slice(1).entries()) {
      const whole = Math.min(30_000, 250 * 2 ** n);
      expect(pause).toBeGreaterThanOrEqual(whole / 2);
      expect(pause).toBeLessThanOrEqual(whole);
    }
    expect(
      new Set(pauses.slice(1).map((pause, n) => pause / Math.min(30_000, 250 * 2 ** n))).size,
      'each its own part of it',
    ).toBe(11);
  });

  it('an offer is repeated to no caller outside of its binding or of another target', async () => {
    const lab = newLab();
    await waiting(lab);
    const inside = lab.builder('builder-a', { service: 'web@*' });
    const outside = lab.builder('builder-a', { service: 'api@*' });
    const lease = await inside.offer();
    expect(await outside.acquire()).toBeNull();
    const elsewhere = new Taker(lab, lab.builder().caller, ['build'], inside.instance, 'edge');
    expect(await elsewhere.acquire()).toBeNull();
    expect((await inside.offer()).offer).toEqual(lease.offer);
    const { id, fence } = lease.offer;
    const lost = { ok: false, code: 'lease_lost' };
    const { caller } = inside;
    const agent = { ...caller, role: 'agent' } as const;
    expect(await heartbeat(lab.host, agent, lease.offer.id, lease.offer.fence), 'a role').toMatchObject(lost);
    expect(await heartbeat(lab.host, outside.caller, id, fence)).toMatchObject(lost);
    expect(await release(lab.host, outside.caller, id, fence, 'mine')).toMatchObject(lost);
    await lease.heartbeat();
    expect(await heartbeat(lab.host, outside.caller, id, fence), 'nor when it is held').toMatchObject(lost);
    await lease.heartbeat();
  });

  it('two calls that end one silence begin one span, at the first of them', async () => {
    const lab = newLab();
    await lab.builder().acquire();
    lab.sleep(60_000);
    const { server, stopped, resume } = overtaken(lab, (_, table) => table === 'spans');
    const first = server.builder().acquire();
    await stopped;
    lab.sleep(10_000);
    const second = lab.builder().acquire();
    resume();
    await Promise.all([first, second]);
    expect(lab.rows('workers')).toMatchObject([{ spanFrom: T0 + 60_000, seenAt: T0 + 70_000 }]);
    expect(lab.rows('spans')).toMatchObject([{ from: T0, until: T0 }]);
  });

  it('a worker that has not called within the window is not online', async () => {
    const lab = newLab();
    await lab.sweep();
    expect(await lab.builder().acquire()).toBeNull();
    await lab.tick(14_999);
    await waiting(lab);
    expect(await cause(lab)).not.toBe('no_worker_online');
    await lab.tick(1);
    expect(await cause(lab)).toBe('no_worker_online');
  });

  it('a worker that holds a lease is online and busy until its end, whether or not it calls for work', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    for (const _ of [1, 2]) {
      await lab.tick(20_000);
      expect((await lab.claim('api@lab')).cause?.code).toBe('all_busy');
      await build.heartbeat();
    }
    const busy = await lab.claim('api@lab');
    expect(busy.freshness.validUntil).toBe(new Date(lab.now + 30_000).toISOString());
    await lab.sleep(30_000);
    expect((await lab.claim('api@lab')).cause?.code, 'the lease has reached its end').toBe(
      'no_worker_online',
    );
  });

  it('a result counts as a call: the worker is online for the freshness window, and the past shows the same', async () => {
    const lab = newLab();
    const build = await building(lab);
    for (const _ of [1, 2, 3]) {
      await lab.tick(20_000);
      await build.heartbeat();
    }
    await lab.tick(9_000);
    await build.fails();
    const endedAt = lab.now;
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    await isOnlineFrom(lab, endedAt);
    expect(lab.rows('workers')).toMatchObject([{ spanFrom: T0, seenAt: endedAt }]);
  });

  it('a worker that submits after its lease has ended was away in between', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    lab.sleep(40_000);
    const api = async () => (await lab.claim('api@lab')).cause?.code;
    expect(await api()).toBe('no_worker_online');
    expect(await build.fails()).toMatchObject({ verdict: 'admitted' });
    expect(await api()).toBe('offered');
    lab.sleep(1_000);
    expect((await lab.claimAt(lab.now - 1_001, 'api@lab')).cause?.code).toBe('no_worker_online');
    expect((await lab.claimAt(lab.now - 1_000, 'api@lab')).cause?.code).toBe('offered');
  });

  it('a worker whose lease nobody ends is online for the freshness window after its last heartbeat', async () => {
    const lab = newLab({ leaseTtlMs: 6_000 });
    const build = await building(lab);
    for (const _ of [1, 2, 3]) {
      await lab.tick(5_000);
      await build.heartbeat();
    }
    const calledAt = lab.now;
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    const causes = new Map<number, string | undefined>();
    for (let s = 1; s <= 16; s++) {
      await lab.tick(1_000);
      causes.set(lab.now, (await lab.claim('api@lab')).cause?.code);
    }
    const listed = [...causes.values()];
    expect(listed.slice(0, 5).every((code) => code === 'all_busy')).toBe(true);
    expect(listed.slice(5, 14).every((code) => code === 'offered')).toBe(true);
    expect(listed.slice(14)).toEqual(['no_worker_online', 'no_worker_online']);
    expect(lab.rows('workers')).toMatchObject([{ seenAt: calledAt }]);
    lab.sleep(1);
    for (const [at, code] of causes) expect((await lab.claimAt(at, 'api@lab')).cause?.code).toBe(code);
  });

  it('an agent that reports is online if it has ever called for such work, and the past shows the same', async () => {
    const lab = newLab();
    const agent = await lab.agent().register();
    await agent.sees([]);
    await artifactReady(lab);
    expect(await cause(lab), 'it has never called for work').toBe('no_worker_online');
    await (await agent.offer()).release();
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    await (await lab.builder().offer()).stored();
    await lab.publish();
    await agent.sees([]);
    await agent.watches(30_000, 3_000);
    const reportedAt = lab.now;
    await isOnlineFrom(lab, reportedAt);
  });

  it('the list of workers shows the last call of each, of any kind', async () => {
    const lab = newLab();
    const agent = await lab.agent().register();
    await agent.acquire();
    await agent.sees([]);
    const build = await building(lab);
    const listed = async () => {
      const { items } = await workersOf(lab.host, lab.caller('olga', 'operator'), []);
      return new Map(items.map(({ worker, state, lastSeen }) => [worker, { state, lastSeen }]));
    };
    const now = () => new Date(lab.now).toISOString();
    await agent.watches(20_000, 4_000);
    await build.heartbeat();
    expect((await listed()).get('builder-a')).toEqual({ state: 'busy', lastSeen: now() });
    expect((await listed()).get('agent-lab')).toEqual({ state: 'online', lastSeen: now() });
    await lab.tick(1_000);
    await build.fails();
    expect((await listed()).get('builder-a')).toEqual({ state: 'online', lastSeen: now() });
  });

  it('a worker whose kinds or binding do not cover the command does not count', async () => {
    const lab = newLab();
    await waiting(lab);
    const bound = lab.builder('other', { service: 'api@*' });
    expect(await bound.acquire()).toBeNull();
    expect(await (await lab.agent().register()).acquire()).toBeNull();
    expect(await cause(lab)).toBe('no_worker_online');
  });

  it('in artifact_ready the causes are the same, for kind apply', async () => {
    const lab = newLab();
    await artifactReady(lab);
    const agent = await lab.agent().register();
    await agent.offer();
    expect(await lab.claim()).toMatchObject({
      state: 'artifact_ready',
      cause: { code: 'offered', params: { kind: 'apply' } },
    });
  });
});

describe('protocol 3: the offer', () => {
  it('is the same again within 5 s, and burned afterwards: the next has a higher fence (S3, F38)', async () => {
    const lab = newLab();
    await waiting(lab);
    const worker = lab.builder();
    const offer = await worker.offer();
    expect(offer.offer).toMatchObject({ kind: 'build', service: 'web@lab', fence: '1', ttlMs: 30_000 });
    await lab.tick(4_999);
    expect((await worker.offer()).offer).toEqual(offer.offer);
    await lab.tick(1);
    const next = await worker.offer();
    expect(next.offer.fence).toBe('2');
    await expect(offer.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await offer.stored()).toMatchObject({ reason: 'stale_lease' });
  });

  it('is acknowledged by evidence as well as by a heartbeat, and an expired one is no lapse', async () => {
    const lab = newLab();
    await waiting(lab);
    for (let n = 0; n < 5; n++) {
      await lab.builder().offer();
      await lab.tick(5_000);
      await lab.tick(5_000);
    }
    expect((await lab.claim()).state).toBe('waiting_for_worker');
    const lease = await lab.builder().offer();
    expect(await lease.progress(1)).toMatchObject({ verdict: 'admitted' });
    expect((await lab.claim()).state).toBe('building');
  });

  it('goes to one of two callers', async () => {
    const lab = newLab();
    await waiting(lab);
    const offers = await Promise.all([lab.builder('a').acquire(), lab.builder('b').acquire()]);
    expect(offers.filter((offer) => offer !== null)).toHaveLength(1);
  });
});

describe('protocol 3: the lease', () => {
  it('is renewed by heartbeats, and at its end the claim is unknown before the lapse is recorded', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.tick(20_000);
    expect(await build.heartbeat()).toMatchObject({
      ttlMs: 30_000,
      cancelRequested: false,
      superseded: false,
    });
    lab.sleep(4_000);
    await lab.sweep();
    await lab.tick(25_000);
    expect((await lab.claim()).state).toBe('building');
    lab.sleep(1_000);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'lease_lapsed' },
      lastKnown: { state: 'building', at: new Date(T0 + 20_000).toISOString(), ageMs: 30_000 },
      outcome: 'in_progress',
    });
  });

  it('a late heartbeat, before the lapse is recorded, shows building again', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.tick(29_000);
    lab.sleep(2_000);
    expect((await lab.claim()).state).toBe('unknown');
    expect(await build.heartbeat()).toMatchObject({ ttlMs: 30_000 });
    expect((await lab.claim()).state).toBe('building');
    expect(await lab.path()).toEqual([
      'accepted by api',
      'waiting_for_worker by publisher',
      'building by worker',
      'unknown by clock',
      'building by worker',
    ]);
    expect((await lab.transitions())[3]?.at, 'the instant the rule fired').toBe(T0 + 30_000);
  });

  it('a late artifact, before the lapse is recorded, is admitted: the clock changes only the claim', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.tick(29_000);
    lab.sleep(2_000);
    expect(await build.stored()).toMatchObject({ verdict: 'admitted' });
    expect((await lab.claim()).state).toBe('artifact_ready');
  });

  it('lapses: requeued in the same attempt; the third lapse is worker_lost, with the count (S5, F28)', async () => {
    const lab = newLab();
    let build = await building(lab);
    for (const fence of ['1', '2']) {
      expect(build.offer.fence).toBe(fence);
      await lab.tick(30_000);
      expect(await lab.claim()).toMatchObject({
        state: 'waiting_for_worker',
        cause: { code: 'requeued' },
        desired: { attempt: 1 },
      });
      expect(await build.stored()).toMatchObject({ reason: 'stale_lease' });
      await lab.tick(1_000);
      build = await lab.builder().take();
    }
    await lab.tick(30_000);
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      outcome: 'failed',
      cause: { code: 'worker_lost' },
      timeout: null,
      proof: { stoppedAt: 'building' },
      next: { owner: 'user', action: 'retry', retrySafe: true },
    });
    expect((await lab.path()).slice(-3)).toEqual([
      'building by worker',
      'unknown by clock',
      'failed by sweeper',
    ]);
  });

  it('requeued lasts until the next offer', async () => {
    const lab = newLab();
    await building(lab);
    await lab.tick(30_000);
    expect(await cause(lab)).toBe('requeued');
    await lab.builder('builder-b').offer();
    expect(await cause(lab)).toBe('offered');
  });

  it('a lapsed apply is requeued to artifact_ready (S5)', async () => {
    const lab = newLab();
    await applying(lab);
    await lab.tick(30_000);
    expect(await lab.claim()).toMatchObject({ state: 'artifact_ready', cause: { code: 'requeued' } });
    expect((await lab.path()).slice(-2)).toEqual(['unknown by clock', 'artifact_ready by sweeper']);
  });

  it('that is overdue lapses when another worker acquires: acquiring records it', async () => {
    const lab = newLab();
    await building(lab);
    await lab.tick(29_000);
    lab.sleep(1_000);
    await lab.sweep();
    expect((await lab.builder('builder-b').take()).offer.fence).toBe('2');
  });

  it('an earlier holder reads who holds it now and until when, and no other caller does', async () => {
    const lab = newLab();
    const first = await building(lab);
    await lab.tick(30_000);
    const second = await lab.builder('builder-b').take();
    const held = {
      holder: { worker: 'builder-b', instance: 'builder-b-1' },
      until: new Date(lab.now + 30_000).toISOString(),
    };
    const lost = { code: 'lease_lost', params: held };
    await expect(first.heartbeat()).rejects.toMatchObject(lost);
    await expect(first.release()).rejects.toMatchObject(lost);
    const stranger = lab.caller('builder-c', 'builder');
    const { id, fence } = first.offer;
    expect(await heartbeat(lab.host, stranger, id, fence)).toMatchObject({ code: 'lease_lost', params: {} });
    await second.release();
    const nobody = expect.objectContaining({ code: 'lease_lost', params: {} });
    await expect(first.heartbeat()).rejects.toEqual(nobody);
  });

  it('that is released is no lapse, and goes to another worker', async () => {
    const lab = newLab();
    await waiting(lab);
    for (let n = 1; n <= 5; n++) {
      const lease = await lab.builder(`builder-${n}`).take();
      expect(lease.offer.fence).toBe(String(n));
      await lease.release();
      expect(await lab.claim()).toMatchObject({
        state: 'waiting_for_worker',
        cause: { code: 'requeued' },
      });
      await expect(lease.release()).rejects.toMatchObject({ code: 'lease_lost' });
      await lab.tick(5_000);
    }
    expect((await lab.path()).slice(-2)).toEqual(['building by worker', 'waiting_for_worker by worker']);
  });

  it('of an older epoch is revoked by a registration, and its command requeued: no lapse', async () => {
    const lab = newLab();
    const { apply } = await applying(lab);
    const newer = await lab.agent('agent-lab', 'agent-2').register();
    expect(await lab.claim()).toMatchObject({ state: 'artifact_ready', cause: { code: 'requeued' } });
    expect(await apply.applied()).toMatchObject({ reason: 'stale_lease' });
    expect((await newer.take()).offer.fence).toBe('2');
    expect(lab.rows('commands').map((c) => c.lapses)).toEqual([0, 0]);
  });

  it('shows operators its stage, fence and holder', async () => {
    const lab = newLab();
    await building(lab);
    expect((await lab.asOperator()).operator).toMatchObject({
      stage: 'build',
      attempt: 1,
      fence: '1',
      holder: 'builder-a',
      rejected: 0,
      lastEvidence: { kind: 'command.acknowledged' },
    });
    expect(await lab.claim()).not.toHaveProperty('operator');
  });
});

describe('a claim that rests on a lease', () => {
  it('never says "at work" of a builder past its renewal interval: it says when it was last heard', async () => {
    const lab = newLab();
    await building(lab);
    expect((await lab.claim()).message.body).toContain('A builder is at work');
    const heardAt = new Date(lab.now).toISOString();
    const { freshness } = await lab.claim();
    expect(freshness.validUntil, 'time alone changes it then').toBe(new Date(lab.now + 10_000).toISOString());
    await lab.tick(9_999);
    expect(await lab.claim()).toMatchObject({ state: 'building', cause: null });
    await lab.tick(10_001);
    const silent = await lab.asOperator();
    expect(silent).toMatchObject({
      state: 'building',
      cause: { code: 'holder_silent', params: { kind: 'build', lastHeardAt: heardAt } },
      operator: { holder: 'builder-a', holderLastHeardAt: heardAt },
    });
    expect(silent.message.body).toContain('Taken by a builder, last heard 20 s ago.');
    expect(silent.message.body).not.toContain('at work');
    expect(statement(silent, lab.now + 5_000)).toBe('Taken by a builder, last heard 25 s ago.');
    expect((await lab.claimAt(lab.now)).message.body).toContain('last heard 20 s ago');
    await lab.tick(10_000);
    expect((await lab.path()).slice(-2), 'then the lapse').toEqual([
      'unknown by clock',
      'waiting_for_worker by sweeper',
    ]);
  });

  it('a renewal makes it "at work" again, and the target is spoken of alike', async () => {
    const lab = newLab();
    const { apply } = await applying(lab);
    await lab.tick(12_000);
    expect((await lab.claim()).message.body).toContain('Taken by the target, last heard 12 s ago.');
    await apply.heartbeat();
    expect(await lab.claim()).toMatchObject({ cause: null, message: { code: 'applying' } });
  });
});
