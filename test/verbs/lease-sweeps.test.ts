import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/projection/facts.ts';
import { sweep } from '../../src/repair/sweep.ts';
import { newLab, ORG, SOURCE, T0 } from './driver.ts';
import { building, waiting } from './life.ts';
import { overtaken } from './overtaken.ts';

const SWEEPER = { name: 'sweeper', instance: 'server-a' };

describe('the sweeper finds leases by an instant that heartbeats do not move (L3)', () => {
  it('which is the end of the offer, and then the end that the sweeper has found', async () => {
    const lab = newLab();
    const build = await building(lab);
    const lease = () => lab.rows('leases')[0];
    expect(lease()).toMatchObject({ sweepAt: T0 + 5_000, until: T0 + 30_000 });
    await lab.tick(4_000);
    await build.heartbeat();
    expect(lease()).toMatchObject({ sweepAt: T0 + 5_000, until: T0 + 34_000 });
    lab.sleep(1_000);
    expect(await sweep(lab.host, SWEEPER, ORG)).toEqual({ nextMs: 29_000 });
    expect(lease()).toMatchObject({ sweepAt: T0 + 34_000, until: T0 + 34_000 });
    await lab.tick(28_999);
    expect((await lab.claim()).state).toBe('building');
    await lab.tick(1);
    expect(lease()).toMatchObject({ end: 'lapsed', endedAt: T0 + 34_000 });
  });

  it('and never later than the end of the lease, even if that is before the end of its offer', async () => {
    const settings = { ...DEFAULT_SETTINGS, leaseTtlMs: 2_000 };
    const lab = newLab(settings);
    await building(lab);
    expect(lab.rows('leases')).toMatchObject([{ sweepAt: T0 + 2_000, until: T0 + 2_000 }]);
    await lab.tick(2_000);
    expect(lab.rows('leases')).toMatchObject([{ end: 'lapsed', endedAt: T0 + 2_000 }]);
  });

  it('any number of renewed leases keeps no overdue one waiting', async () => {
    const lab = newLab();
    for (let n = 0; n < 450; n++) await lab.deploy(SOURCE, {}, { service: `s${n}@lab` });
    while ((await lab.publish()) > 0);
    const builder = lab.builder();
    for (let n = 0; n < 449; n += 100)
      for (const lease of await builder.acquireUpTo(Math.min(100, 449 - n))) await lease.heartbeat();
    lab.sleep(1);
    const idle = await lab.builder('builder-b').offer();
    lab.sleep(5_000);
    await sweep(lab.host, SWEEPER, ORG);
    const open = lab.rows('leases').filter(({ endedAt }) => endedAt === null);
    expect(open).toHaveLength(449);
    for (const { sweepAt, until } of open) expect(sweepAt).toBe(until);
    expect(lab.rows('leases').find(({ id }) => id === idle.offer.id)).toMatchObject({ end: 'not_taken_up' });
  });

  it('a lease that is acknowledged while it is put off is looked at in time', async () => {
    const lab = newLab({ ...DEFAULT_SETTINGS, leaseTtlMs: 2_000, offerMs: 20_000 });
    await waiting(lab);
    const offer = await lab.builder().offer();
    const [row] = lab.rows('leases');
    // A server of an older version knows no such instant, and leaves it at 0.
    await lab.host.store.transact((tx) =>
      tx.update('leases', { org: ORG, id: row?.id ?? '' }, {}, { sweepAt: 0 }),
    );
    const { server, stopped, resume } = overtaken(lab, (statement) => statement === 'updateAll');
    const sweeping = sweep(server.host, SWEEPER, ORG);
    await stopped;
    await offer.heartbeat();
    expect(lab.rows('leases')).toMatchObject([{ until: T0 + 2_000 }]);
    resume();
    await sweeping;
    expect(lab.rows('leases')).toMatchObject([{ until: T0 + 2_000, sweepAt: 0 }]);
  });
});
