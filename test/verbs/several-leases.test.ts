import { describe, expect, it } from 'vitest';
import { heartbeats } from '../../src/ownership/heartbeat.ts';
import { newLab, SOURCE } from './driver.ts';
import { overtaken } from './overtaken.ts';
import type { Lease } from './taker.ts';

/** Builds of so many services that wait. */
async function waitingBuilds(lab: ReturnType<typeof newLab>, count: number, name = 's'): Promise<void> {
  for (let n = 0; n < count; n++) {
    await lab.deploy(SOURCE, {}, { service: `${name}${n}@lab` });
    lab.sleep(1);
  }
  await lab.publish();
}

const commandsOf = (leases: readonly Lease[]) => leases.map(({ offer }) => offer.command);
const servicesOf = (leases: readonly Lease[]) => leases.map(({ offer }) => offer.service);
const beat = (...leases: readonly Lease[]) => {
  const [{ taker }] = leases as [Lease];
  return heartbeats(
    taker.lab.host,
    taker.caller,
    leases.map(({ offer }) => offer),
  );
};

describe('protocol 3: several leases in one request', () => {
  it('are the longest waiting commands, as many as wanted and there are', async () => {
    const lab = newLab();
    await waitingBuilds(lab, 5);
    const [a, b] = [lab.builder('builder-a'), lab.builder('builder-b')];
    expect(servicesOf(await a.acquireUpTo(3))).toEqual(['s0@lab', 's1@lab', 's2@lab']);
    expect(servicesOf(await b.acquireUpTo(3))).toEqual(['s3@lab', 's4@lab']);
    expect(lab.rows('leases').map(({ fence }) => fence)).toEqual(['1', '1', '1', '1', '1']);
  });

  it('are the same again while they are open, and filled up when there is room (S3, F38)', async () => {
    const lab = newLab();
    await waitingBuilds(lab, 5);
    const builder = lab.builder();
    const first = await builder.acquireUpTo(2);
    expect(commandsOf(await builder.acquireUpTo(2))).toEqual(commandsOf(first));
    expect(commandsOf(await builder.acquireUpTo(1))).toEqual(commandsOf(first).slice(0, 1));
    const more = await builder.acquireUpTo(4);
    expect(commandsOf(more).slice(0, 2)).toEqual(commandsOf(first));
    expect(new Set(commandsOf(more)).size).toBe(4);
    await beat(...more);
    expect(servicesOf(await builder.acquireUpTo(4)), 'what is taken up is no offer').toEqual(['s4@lab']);
  });

  it('go to one of two callers each, whoever is overtaken', async () => {
    const lab = newLab();
    await waitingBuilds(lab, 6);
    const { server, stopped, resume } = overtaken(lab, (statement) => statement === 'updateAll');
    const slow = server.builder('builder-a').acquireUpTo(4);
    await stopped;
    const quick = await lab.builder('builder-b').acquireUpTo(4);
    resume();
    const all = [...commandsOf(quick), ...commandsOf(await slow)];
    expect(new Set(all).size).toBe(6);
    expect(all).toHaveLength(6);
  });

  it('are found behind any number of commands outside the binding', async () => {
    const lab = newLab();
    await waitingBuilds(lab, 150, 'other');
    await waitingBuilds(lab, 2, 'mine');
    const bound = lab.builder('builder-a', { service: 'mine*' });
    expect(servicesOf(await bound.acquireUpTo(3))).toEqual(['mine0@lab', 'mine1@lab']);
  });
});

describe('protocol 3: several heartbeats in one request', () => {
  it('take up the offers, and then renew the leases', async () => {
    const lab = newLab();
    await waitingBuilds(lab, 3);
    const leases = await lab.builder().acquireUpTo(3);
    const good = { ok: true, ttlMs: 30_000, cancelRequested: false, superseded: false };
    expect(await beat(...leases)).toEqual([good, good, good]);
    for (const { offer } of leases) expect((await lab.claim(offer.service)).state).toBe('building');
    await lab.tick(10_000);
    expect(await beat(...leases)).toEqual([good, good, good]);
    for (const { until } of lab.rows('leases')) expect(until).toBe(lab.now + 30_000);
  });

  it('answer each by itself: what is lost, cancelled or superseded harms no other', async () => {
    const lab = newLab();
    await waitingBuilds(lab, 4);
    const builder = lab.builder();
    const leases = await builder.acquireUpTo(4);
    await beat(...leases);
    const [cancelled, superseded, released, kept] = leases as [Lease, Lease, Lease, Lease];
    await lab.cancel(null, cancelled.offer.service);
    await lab.deploy(SOURCE, {}, { service: superseded.offer.service });
    await released.release();
    await lab.tick(1_000);
    const forged = { id: kept.offer.id, fence: '7' };
    const all = [...leases.map(({ offer }) => offer), forged, kept.offer];
    expect(await heartbeats(lab.host, builder.caller, all)).toMatchObject([
      { ok: true, ttlMs: 29_000, cancelRequested: true },
      { ok: true, ttlMs: 29_000, superseded: true },
      { ok: false, code: 'lease_lost' },
      { ok: true, ttlMs: 30_000, cancelRequested: false, superseded: false },
      { ok: false, code: 'lease_lost' },
      { ok: true, ttlMs: 30_000 },
    ]);
    expect(await heartbeats(lab.host, builder.caller, [])).toEqual([]);
  });

  it('renew no lease of another holder', async () => {
    const lab = newLab();
    await waitingBuilds(lab, 2);
    const [mine] = await lab.builder('builder-a').acquireUpTo(1);
    const [theirs] = await lab.builder('builder-b').acquireUpTo(1);
    if (mine === undefined || theirs === undefined) throw new Error('nothing was offered');
    await beat(mine);
    await beat(theirs);
    await lab.tick(5_000);
    const answers = await heartbeats(lab.host, mine.taker.caller, [theirs.offer, mine.offer]);
    expect(answers).toMatchObject([{ ok: false, code: 'lease_lost' }, { ok: true }]);
  });
});
