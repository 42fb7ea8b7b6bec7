import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Sse } from './sse.ts';

it('a reader that does not read is cut off, and its neighbour is not (F83)', async () => {
  const streams: Sse[] = [];
  const server = createServer((_request, raw: ServerResponse) => {
    const reply = { raw, hijack: () => {} };
    streams.push(new Sse({ reply, correlation: 'c' } as never));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const open = () =>
    new Promise<IncomingMessage>((opened) => {
      get({ port, host: '127.0.0.1', agent: false }, opened);
    });
  const slow = await open();
  slow.on('error', () => {});
  const quick = await open();
  let read = 0;
  quick.on('data', (bytes: Buffer) => {
    read += bytes.length;
  });
  const [first, second] = streams as [Sse, Sse];
  const text = 'x'.repeat(64 * 1024);
  let told = 0;
  while (first.open && told < 10_000) {
    first.send('claim', text);
    second.send('claim', text);
    told += 1;
    await new Promise((next) => setImmediate(next));
  }
  expect(first.open).toBe(false);
  await first.closed;
  expect(second.open).toBe(true);
  second.end('enough');
  await new Promise((ended) => quick.once('end', ended));
  expect(read).toBeGreaterThan(told * text.length);
  await new Promise((closed) => server.close(closed));
});
