import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Feeds } from '../../src/server/streams/feeds.ts';
import { watch } from '../../src/server/streams/watch.ts';
import { Wakes } from '../../src/server/wakes.ts';
import { newLab, ORG, SOURCE, WEB } from '../verbs/driver.ts';
import { Api } from './api.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** The stream of an org over a socket, on the memory store: what happens meanwhile happens when the test says so. */
async function streamed(atFirstTelling: () => Promise<void> = async () => {}) {
  const lab = newLab();
  let told = 0;
  const turn = async () => {
    if (told++ === 0) await atFirstTelling();
    await new Promise((next) => setImmediate(next));
  };
  const { host } = lab;
  const failed: unknown[] = [];
  const all = new Feeds(host, new Wakes(), 10, (error) => failed.push(error));
  const feeds = Object.assign(all, { turn });
  const server = createServer((request, raw: ServerResponse) => {
    const query = Object.fromEntries(new URL(request.url ?? '/', 'http://x').searchParams);
    const call = {
      caller: lab.caller('ana', 'operator'),
      correlation: 'c',
      request: { headers: request.headers, query },
      reply: { raw, hijack: () => {} },
    };
    const parts = { host, feeds, auth: { stillGood: async () => true }, log: console };
    watch(parts as never, call as never, { service: null }).catch((error) => failed.push(error));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const api = new Api(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
  closing.push(() => {
    feeds.stop();
    server.closeAllConnections();
    server.close();
  });
  return { lab, api, failed, feeds };
}

type StagedLab = Awaited<ReturnType<typeof streamed>>['lab'];

/** Two transitions each. */
async function deployments(lab: StagedLab, count: number) {
  for (let n = 0; n < count; n++) {
    await lab.deploy(SOURCE);
    await lab.publish();
  }
}

const positionsOf = async (lab: StagedLab) =>
  (await lab.store.read((tx) => tx.select('transitions', { org: ORG }, { order: 'position' }))).map(
    ({ position }) => position,
  );

it('what was missed may be more than a reader may be behind, and more may come meanwhile: no gap, no repetition', {
  timeout: 60_000,
}, async () => {
  const { lab, api, failed, feeds } = await streamed(async () => {
    // More than is held back for one who is still told what was before.
    await deployments(lab, 150);
    await place.feed.read();
  });
  const place = feeds.enter(ORG);
  await lab.deploy(SOURCE);
  await place.feed.read();
  await deployments(lab, 450);
  const first = (await positionsOf(lab)).filter((position) => BigInt(position) > 1n);
  const events = await api.events('/v1/events', { 'last-event-id': '1' });
  const told: (string | null)[] = [];
  let chars = 0;
  for (;;) {
    const next = await events.next();
    if (next === null) throw new Error('it was cut off');
    if (next.event === 'fresh') break;
    told.push(next.id);
    chars += JSON.stringify(next.data).length;
  }
  expect(chars).toBeGreaterThan(1 << 20);
  const all = (await positionsOf(lab)).filter((position) => BigInt(position) > 1n);
  expect(all.length).toBeGreaterThan(first.length);
  while (told.length < all.length) told.push((await events.until((e) => e.event === 'transition')).id);
  expect(told).toEqual(all);
  expect(failed).toEqual([]);
});

it('who watches an org knows where it is before anything has happened (S12)', async () => {
  const { lab, api } = await streamed();
  await lab.deploy(SOURCE);
  const events = await api.events('/v1/events');
  expect(await events.next()).toMatchObject({ event: 'fresh', id: null });
  const [head] = (await lab.rows('heads')).map(({ position }) => position);
  expect(events.lastId).toBe(head);
  events.close();
  await lab.deploy(SOURCE);
  const again = await api.events('/v1/events', { 'last-event-id': events.lastId ?? '' });
  expect(await again.next()).toMatchObject({ event: 'transition', data: { service: WEB } });
});
