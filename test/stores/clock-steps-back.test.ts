import { expect, it } from 'vitest';
import { readFrom } from '../../src/evidence/read.ts';
import { intact, readable } from '../../src/store/broken-row.ts';
import type { Platform } from '../verbs/driver.ts';
import { building, running, waiting } from '../verbs/life.ts';
import { ORG, SOURCE } from '../verbs/names.ts';
import { describeOnBoth } from './both-databases.ts';

const HOUR = 3_600_000;

/** Receipt times in the order of positions. */
async function receipts(lab: Platform): Promise<number[]> {
  const { entries } = await readFrom(lab.host, ORG, '0', 10_000);
  return entries.flatMap((e) => {
    if (e.kind === 'evidence') return intact(e.row)?.receivedAt ?? [];
    return e.kind === 'alarm' ? (intact(e.row)?.at ?? []) : [];
  });
}

describeOnBoth('the store’s clock steps back (F35)', (newPlatform) => {
  it('positions grow and receipt times never go back, whichever party writes', async () => {
    const lab = await newPlatform();
    const build = await building(lab);
    const before = await receipts(lab);
    lab.now -= HOUR;
    await build.progress(1);
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await lab.publish();
    lab.now += 1_000;
    await lab.sweep();
    await build.fails();
    const after = await receipts(lab);
    expect(after.length).toBeGreaterThan(before.length + 3);
    expect(after).toEqual(after.toSorted((a, b) => a - b));
    expect(new Date((await lab.claim()).now).getTime()).toBe(after.at(-1));
  });

  it('a lease recorded as lapsed does not revive: its holder has lost it, the next one has the higher fence', async () => {
    const lab = await newPlatform();
    const build = await building(lab);
    await lab.tick(30_000);
    expect((await lab.claim()).state).toBe('waiting_for_worker');
    lab.now -= HOUR;
    await expect(build.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await build.stored()).toMatchObject({ verdict: 'rejected', reason: 'stale_lease' });
    lab.now += HOUR;
    expect((await lab.builder('builder-b').take()).offer.fence).toBe('2');
    await expect(build.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
  });

  it('an offer whose fence is burned cannot be acknowledged', async () => {
    const lab = await newPlatform();
    await waiting(lab);
    const offer = await lab.builder().offer();
    await lab.tick(5_000);
    lab.now -= HOUR;
    await expect(offer.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await lab.claim()).state).toBe('waiting_for_worker');
  });

  it('a claim that became unknown by silence stays unknown until the agent reports', async () => {
    const lab = await newPlatform();
    const agent = await running(lab);
    await lab.tick(16_000);
    expect((await lab.claim()).state).toBe('unknown');
    lab.now -= HOUR;
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'stale_runtime' } });
    await agent.heartbeat();
    expect((await lab.claim()).state).toBe('running');
  });

  it('a beat never goes back: time in which the server was awake does not count as blind', async () => {
    const lab = await newPlatform();
    await building(lab);
    await lab.tick(3_000);
    const awake = lab.now;
    lab.now -= HOUR;
    await lab.tick(3_000);
    const beats = await lab.store.read((tx) => tx.select('beats', {}));
    expect(beats.map((b) => readable(b).at)).toEqual([awake]);
    lab.now = awake + 1_000;
    await lab.sweep();
    expect(await lab.store.read((tx) => tx.select('blinds', { org: ORG }))).toEqual([]);
  });
});
