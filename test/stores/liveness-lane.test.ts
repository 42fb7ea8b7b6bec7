import { expect, it } from 'vitest';
import { beat } from '../../src/repair/beat.ts';
import { instance } from '../verbs/agent.ts';
import type { Platform } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';
import { ORG, SOURCE } from '../verbs/names.ts';
import { describeOnBoth } from './both-databases.ts';

/** More transactions than there are connections for work: the last ones queue. */
const WORKERS = 12;

/** Begins transactions that do not end until they are released, as behind a slow disk or a lock. */
async function holdUp(lab: Platform, orgs: readonly string[]) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = () => {};
  const first = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const done: string[] = [];
  const stuck = orgs.map((org) =>
    lab.store.transact(async (tx) => {
      await tx.lock('heads', { org });
      begun();
      await released;
      done.push('work');
    }),
  );
  await first;
  return { release, done, ended: Promise.all(stuck) };
}

describeOnBoth('liveness has a lane of its own (F49)', (newPlatform, database) => {
  it('a heartbeat, a calm report and a beat do not queue behind work', { timeout: 15_000 }, async () => {
    const lab = await newPlatform();
    const agent = await running(lab);
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    const build = await lab.builder().take();
    await agent.sees([instance('u1')]);
    lab.now += 1_000;

    // The first transaction holds the org's head as well: calm calls do not even need that.
    const orgs = [ORG, ...Array.from({ length: WORKERS - 1 }, (_, n) => `other-${n}`)];
    const work = await holdUp(lab, orgs);
    const alive = Promise.all([
      build.heartbeat().then(() => work.done.push('heartbeat')),
      agent.heartbeat().then(() => work.done.push('report')),
      beat(lab.host, 'server-a').then(() => work.done.push('beat')),
    ]);
    // SQLite has one writer: liveness waits for the transaction in progress, and for no other.
    if (database === 'sqlite') work.release();
    await alive;
    const before = work.done.slice();
    work.release();
    await work.ended;
    const overtaken = database === 'sqlite' ? ['work'] : [];
    expect(before.slice(0, overtaken.length + 3).toSorted()).toEqual(
      [...overtaken, 'heartbeat', 'report', 'beat'].toSorted(),
    );

    const rows = await lab.store.read(async (tx) => ({
      lease: await tx.get('leases', { org: ORG, id: build.offer.id }),
      scope: await tx.get('scopes', { org: ORG, target: 'lab', scope: '*' }),
      beat: await tx.get('beats', { server: 'server-a' }),
    }));
    expect(rows).toMatchObject({
      lease: { until: lab.now + 30_000 },
      scope: { asOf: lab.now, seq: String(agent.seq) },
      beat: { at: lab.now },
    });
  });
});
