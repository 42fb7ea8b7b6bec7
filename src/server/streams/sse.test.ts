import { createServer, get, type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import { Sse } from './sse.ts';

/** A server whose every request is a stream, and one reader of it after another. */
async function streaming() {
  const streams: Sse[] = [];
  const server = createServer((_request, raw: ServerResponse) => {
    const reply = { raw, hijack: () => {} };
    streams.push(new Sse({ reply, correlation: 'c' } as never));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const reader = await new Promise<IncomingMessage>((opened) => {
      get({ port, host: '127.0.0.1', agent: false }, opened);
    });
    return [streams.at(-1) as Sse, reader] as const;
  };
  return { open, close: () => new Promise((closed) => server.close(closed)) };
}

const text = 'x'.repeat(64 * 1024);

it('a client that does not read is cut off, and its neighbour is not (F83)', async () => {
  const { open, close } = await streaming();
  const [first, slow] = await open();
  slow.on('error', () => {});
  const [second, quick] = await open();
  let read = 0;
  quick.on('data', (bytes: Buffer) => {
    read += bytes.length;
  });
  let sent = 0;
  while (first.open && sent < 10_000) {
    first.send({ event: 'claim', data: text });
    second.send({ event: 'claim', data: text });
    sent += 1;
    await new Promise((next) => setImmediate(next));
  }
  expect(first.open).toBe(false);
  await first.closed;
  expect(second.open).toBe(true);
  second.end('enough');
  await new Promise((ended) => quick.once('end', ended));
  expect(read).toBeGreaterThan(sent * text.length);
  await close();
});

it('a long reply is sent at the pace of its reader, and ends when the reader has gone', async () => {
  const { open, close } = await streaming();
  const [stream, reader] = await open();
  let sent = 0;
  const sending = (async () => {
    for (; sent < 200 && stream.open; sent++) {
      stream.send({ event: 'claim', data: text });
      await stream.drained();
    }
  })();
  let read = 0;
  reader.on('data', (bytes: Buffer) => {
    read += bytes.length;
  });
  await sending;
  expect(stream.open).toBe(true);
  stream.end('enough');
  await new Promise((ended) => reader.once('end', ended));
  expect(read).toBeGreaterThan(200 * text.length);

  const [left, gone] = await open();
  gone.on('error', () => {});
  while (left.open) {
    left.send({ event: 'claim', data: text });
    gone.destroy();
    await left.drained();
    await new Promise((next) => setImmediate(next));
  }
  expect(left.open).toBe(false);

  const [stalled, idle] = await open();
  idle.on('error', () => {});
  while (stalled.open) {
    stalled.send({ event: 'claim', data: text });
    await stalled.drained(1);
  }
  await stalled.closed;
  await close();
});

it('the events of one moment are written in one piece, in their order', async () => {
  const { open, close } = await streaming();
  const [stream, reader] = await open();
  const write = vi.spyOn(ServerResponse.prototype, 'write');
  const events = Array.from({ length: 9 }, (_, i) => ({ event: 'claim', id: String(i), data: i }));
  for (const event of events) stream.send(event);
  await new Promise((next) => setImmediate(next));
  expect(write).toHaveBeenCalledOnce();
  write.mockRestore();
  stream.send({ event: 'claim', id: '9', data: 9 });
  stream.end('enough');
  let read = '';
  for await (const bytes of reader) read += bytes;
  expect(read.match(/^(id: \d|: .*)$/gm)).toEqual([
    ...events.map(({ id }) => `id: ${id}`),
    'id: 9',
    ': enough',
  ]);
  await close();
});

it('a burst in one turn cuts off no client that reads', async () => {
  const { open, close } = await streaming();
  const [stream, reader] = await open();
  let read = 0;
  reader.on('data', (bytes: Buffer) => {
    read += bytes.length;
  });
  for (let sent = 0; sent < 64; sent++) stream.send({ event: 'claim', data: text });
  expect(stream.open).toBe(true);
  stream.end('enough');
  await new Promise((ended) => reader.once('end', ended));
  expect(read).toBeGreaterThan(64 * text.length);
  await close();
});
