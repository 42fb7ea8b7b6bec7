import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Digits } from '../../src/contract/digits.ts';
import { Hints } from '../../src/server/hints.ts';
import { OrgFeed } from '../../src/server/streams/org-feed.ts';
import { instance } from '../verbs/agent.ts';
import { newLab, ORG, SOURCE, WEB } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A feed without hints, as after a pause of the process: it finds only what it reads itself. */
async function watched() {
  const lab = newLab();
  const agent = await running(lab);
  const failed: unknown[] = [];
  const feed = new OrgFeed(lab.host, ORG, new Hints(), (error) => failed.push(error));
  const sent: string[] = [];
  await feed.join({
    service: WEB,
    binding: { target: '*', service: '*' },
    audience: 'user',
    send: (event) => {
      if (event.event === 'transition') sent.push(`transition ${event.data.to}`);
      if (event.event === 'claim') sent.push(`claim ${event.data.state}`);
    },
  });
  return { lab, agent, feed, sent, failed };
}

it('a transition is sent before the claim it changed, though the timer of the claim fires first', async () => {
  const { lab, agent, feed, sent, failed } = await watched();
  // A claim that is fresh for 15 s is read again after half of that; the ledger was read half a second before.
  await vi.advanceTimersByTimeAsync(7_400);
  await agent.sees([instance('u1', { ready: false })]);
  await lab.tick(15_000);
  await vi.advanceTimersByTimeAsync(200);
  expect(sent).toEqual(['transition degraded', 'transition unknown']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent).toHaveLength(2);
  expect(failed).toEqual([]);
  feed.stop();
});

it('a claim whose time has passed is sent even if the store hangs before the transition is read', async () => {
  const { lab, agent, feed, sent } = await watched();
  await vi.advanceTimersByTimeAsync(7_400);
  await agent.sees([instance('u1', { ready: false })]);
  const read: typeof lab.store.read = lab.store.read.bind(lab.store);
  let reads = 0;
  // The store answers the read of the claim, and then no more.
  lab.store.read = (body) => (++reads > 1 ? new Promise(() => {}) : read(body));
  await vi.advanceTimersByTimeAsync(200);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(sent).toEqual(['claim degraded', 'claim unknown']);
  feed.stop();
});

it('a change by time alone is sent as a claim', async () => {
  const { lab, feed, sent } = await watched();
  lab.now += 15_000;
  await vi.advanceTimersByTimeAsync(7_600);
  expect(sent).toEqual(['claim unknown']);
  feed.stop();
});

it.each(['user', 'operator'] as const)(
  'a store that fails in the middle of a page makes no %s receive a transition twice (S12, F124)',
  async (audience) => {
    const { lab, feed, failed } = await watched();
    const received: Digits[] = [];
    for (const each of new Set(['user', audience] as const))
      await feed.join({
        service: null,
        binding: { target: '*', service: '*' },
        audience: each,
        send: (event) => {
          if (event.event === 'transition' && each === audience) received.push(event.id);
        },
      });
    const before = await lab.rows('transitions');
    for (let n = 0; n < 20; n++) {
      await lab.deploy(SOURCE);
      await lab.publish();
    }
    const added = (await lab.rows('transitions')).slice(before.length).map(({ position }) => position);
    const read: typeof lab.store.read = lab.store.read.bind(lab.store);
    // The connection is cut at every seventh read, and is back for the next one.
    let reads = 0;
    lab.store.read = (body) => (++reads % 7 === 0 ? Promise.reject(new Error('cut')) : read(body));
    for (let looks = 0; received.length < added.length && looks < 60; looks++)
      await vi.advanceTimersByTimeAsync(1_000);
    expect(failed.length).toBeGreaterThan(1);
    expect(received).toEqual(added);
    feed.stop();
  },
);
