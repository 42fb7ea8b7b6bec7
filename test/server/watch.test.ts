import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Binding } from '../../src/access/binding.ts';
import { Hints } from '../../src/server/hints.ts';
import { Feeds } from '../../src/server/streams/feeds.ts';
import { resumesAfter, sendEvents } from '../../src/server/streams/send-events.ts';
import { type Watch, type WatchRequest, watch } from '../../src/server/streams/watch.ts';
import type { WatchEvent } from '../../src/server/streams/watch-event.ts';
import { isIntact } from '../../src/store/broken-row.ts';
import { newLab, ORG, SOURCE, WEB } from '../verbs/driver.ts';
import { Api } from './api.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Streams an org over a socket, on the memory store. `atFirstTurn` runs before the first missed event is sent. */
async function streamed(atFirstTurn: () => Promise<void> = async () => {}) {
  // Frequent checkpoints: the claim after each missed transition is computed from the last one before it.
  const lab = newLab({ checkpointEvery: 8 });
  let turns = 0;
  const turn = async () => {
    if (turns++ === 0) await atFirstTurn();
    await new Promise((next) => setImmediate(next));
  };
  const { host } = lab;
  const failed: unknown[] = [];
  const all = new Feeds(host, new Hints(), 10, (error) => failed.push(error));
  const feeds = Object.assign(all, { turn });
  const server = createServer((request, raw: ServerResponse) => {
    const query = Object.fromEntries(new URL(request.url ?? '/', 'http://x').searchParams);
    const call = {
      caller: lab.caller('ana', 'operator'),
      correlation: 'c',
      request: { headers: request.headers, query },
      reply: { raw, hijack: () => {} },
    };
    const context = { host, feeds, auth: { stillGood: async () => true }, log: console };
    watch(context as never, call as never, { service: null, after: resumesAfter(call as never) })
      .then((events) => sendEvents(console as never, call as never, events))
      .catch((error) => failed.push(error));
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
  (await lab.store.read((tx) => tx.select('transitions', { org: ORG }, { order: 'position' })))
    .filter(isIntact)
    .map(({ position }) => position);

it('a client resumes across more events than a reader may lag behind, while others arrive: no gap, no repetition', {
  timeout: 180_000,
}, async () => {
  const { lab, api, failed, feeds } = await streamed(async () => {
    // More than is buffered for a reader that is still sent missed events.
    await deployments(lab, 60);
    await place.feed.read();
  });
  const place = feeds.enter(ORG);
  await lab.deploy(SOURCE);
  await place.feed.read();
  await deployments(lab, 250);
  const first = (await positionsOf(lab)).filter((position) => BigInt(position) > 1n);
  const events = await api.events('/v1/events', { 'last-event-id': '1' });
  const received: (string | null)[] = [];
  let chars = 0;
  for (;;) {
    const next = await events.next();
    if (next === null) throw new Error('it was cut off');
    if (next.event === 'fresh') break;
    received.push(next.id);
    chars += JSON.stringify(next.data).length;
  }
  expect(chars).toBeGreaterThan(1 << 20);
  const all = (await positionsOf(lab)).filter((position) => BigInt(position) > 1n);
  expect(all.length).toBeGreaterThan(first.length);
  while (received.length < all.length)
    received.push((await events.until((e) => e.event === 'transition')).id);
  expect(received).toEqual(all);
  expect(failed).toEqual([]);
});

it('a stream of an org sends its position before any event (S12)', async () => {
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

/** A watch without any HTTP, as another front door would use it. */
async function consumed(isGood: () => boolean = () => true, binding: Partial<Binding> = {}) {
  const lab = newLab();
  const feeds = new Feeds(lab.host, new Hints(), 1, () => {});
  closing.push(() => feeds.stop());
  const context = { host: lab.host, feeds, auth: { stillGood: async () => isGood() }, log: console };
  const who = { caller: { ...lab.caller('ana', 'operator'), ...binding }, token: {}, secret: '' };
  const open = (more: Partial<WatchRequest> = {}) =>
    watch(context as never, who as never, { service: null, after: null, ...more });
  return { lab, feeds, open };
}

const nextOf = async (events: Watch) => {
  const { value, done } = await events.next();
  return done ? null : (value as WatchEvent);
};

it('a watch refuses a service outside the caller’s binding, whichever front door asks (F109)', async () => {
  const { lab, open } = await consumed(undefined, { service: 'other@*' });
  await lab.deploy(SOURCE);
  await expect(open({ service: WEB })).rejects.toMatchObject({ code: 'not_found' });
});

it('a watch is an iterable of typed events: the claim, then live transitions, without a connection', async () => {
  const { lab, feeds, open } = await consumed();
  await lab.deploy(SOURCE);
  const events = await open({ service: WEB });
  expect(await nextOf(events)).toMatchObject({ event: 'claim', data: { service: WEB } });
  expect(await nextOf(events)).toMatchObject({ event: 'caught_up' });
  const waiting = nextOf(events);
  await lab.deploy(SOURCE);
  expect(await waiting).toMatchObject({ event: 'transition', data: { service: WEB } });
  feeds.stop();
  const received: string[] = [];
  for await (const { event } of events) received.push(event);
  expect(received.at(-1)).toBe('end');
});

it('a consumer that leaves while it waits for an event releases its place at once', async () => {
  const { open } = await consumed();
  const events = await open();
  await expect(open(), 'the org has one place').rejects.toMatchObject({ code: 'too_many' });
  while ((await nextOf(events))?.event !== 'fresh');
  const waiting = nextOf(events);
  await events.return();
  await waiting;
  const again = await open();
  await again.return();
  await (await open()).return();
});

it('a watch that has ended keeps its place until the consumer reads on, as a connection that closes slowly does', async () => {
  let isGood = true;
  const { open } = await consumed(() => isGood);
  const events = await open();
  while ((await nextOf(events))?.event !== 'fresh');
  isGood = false;
  await events.ended;
  expect(await nextOf(events)).toEqual({ event: 'end', why: 'this token has ended' });
  await expect(open()).rejects.toMatchObject({ code: 'too_many' });
  expect(await nextOf(events)).toBeNull();
  await (await open()).return();
});

it('a watch that is stopped while it sends missed events sends no more of them', async () => {
  const { lab, feeds, open } = await consumed();
  await deployments(lab, 3);
  const events = await open({ after: '1' });
  expect(await nextOf(events)).toMatchObject({ event: 'transition' });
  feeds.stop();
  expect(await nextOf(events)).toEqual({ event: 'end', why: 'this server stops; reconnect' });
  expect(await nextOf(events)).toBeNull();
});
