import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OrgFeed } from '../../src/server/streams/org-feed.ts';
import { Wakes } from '../../src/server/wakes.ts';
import { instance } from '../verbs/agent.ts';
import { newLab, ORG, WEB } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A feed without hints, as after a stop of the process: what it does not look for itself it does not know. */
async function watched() {
  const lab = newLab();
  const agent = await running(lab);
  const failed: unknown[] = [];
  const feed = new OrgFeed(lab.host, ORG, new Wakes(), (error) => failed.push(error));
  const told: string[] = [];
  await feed.join({
    service: WEB,
    binding: { target: '*', service: '*' },
    audience: 'user',
    tell: (text) => {
      const event = /^event: (\w+)$/m.exec(text)?.[1] ?? '';
      const [data = '{}'] = /(?<=^data: ).*$/m.exec(text) ?? [];
      const { to, claim, state } = JSON.parse(data);
      if (event !== 'fresh') told.push(`${event} ${to ?? claim?.state ?? state}`);
    },
  });
  return { lab, agent, feed, told, failed };
}

it('what changed a claim is told before the claim, though the timer of the claim comes first', async () => {
  const { lab, agent, feed, told, failed } = await watched();
  // A claim that is good for 15 s is read again after half of that; the ledger was looked at half a second before.
  await vi.advanceTimersByTimeAsync(7_400);
  await agent.sees([instance('u1', { ready: false })]);
  await lab.tick(15_000);
  await vi.advanceTimersByTimeAsync(200);
  expect(told).toEqual(['transition degraded', 'transition unknown']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told).toHaveLength(2);
  expect(failed).toEqual([]);
  feed.stop();
});

it('a store that is gone before what changed could be read leaves nobody with a claim that time has overtaken', async () => {
  const { lab, agent, feed, told } = await watched();
  await vi.advanceTimersByTimeAsync(7_400);
  await agent.sees([instance('u1', { ready: false })]);
  const read: typeof lab.store.read = lab.store.read.bind(lab.store);
  let reads = 0;
  // It answers for the claim, and then no more.
  lab.store.read = (body) => (++reads > 1 ? new Promise(() => {}) : read(body));
  await vi.advanceTimersByTimeAsync(200);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(told).toEqual(['claim degraded', 'claim unknown']);
  feed.stop();
});

it('what time alone changes is told as a claim', async () => {
  const { lab, feed, told } = await watched();
  lab.now += 15_000;
  await vi.advanceTimersByTimeAsync(7_600);
  expect(told).toEqual(['claim unknown']);
  feed.stop();
});
