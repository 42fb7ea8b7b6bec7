import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionCap } from './connection-cap.ts';
import { connectionLimit, descriptorLimit } from './descriptor-limit.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function capped(limit: number): Promise<{ port: number; cap: ConnectionCap; held: ServerResponse[] }> {
  const held: ServerResponse[] = [];
  const server = createServer((req, res) => {
    if (req.url === '/held') held.push(res);
    else res.end('ok');
  });
  const cap = new ConnectionCap(limit);
  cap.watch(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => {
    cap.destroyAll();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, cap, held };
}

/** A connection on which the server has seen a first request, or nothing. */
async function opened(port: number, path: string | null): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  closing.push(() => socket.destroy());
  await once(socket, 'connect');
  if (path !== null) socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  if (path === '/') await once(socket, 'data');
  return socket;
}

describe('a cap of connections (F122)', () => {
  it('closes the connection that has waited longest, and answers the new one', async () => {
    const { port, cap } = await capped(3);
    const first = await opened(port, '/');
    const second = await opened(port, '/');
    const silent = await opened(port, null);
    const ended = once(first, 'close');
    await opened(port, '/');
    await ended;
    first.destroy();
    expect([second.destroyed, silent.destroyed, cap.count]).toEqual([false, false, 3]);
  });

  it('keeps what has a request, and refuses the new one where all have', async () => {
    const { port, cap, held } = await capped(2);
    const busy = [await opened(port, '/held'), await opened(port, '/held')];
    while (held.length < 2) await new Promise((done) => setImmediate(done));
    const refused = await opened(port, null);
    await once(refused.resume(), 'close');
    expect([cap.count, busy.map((socket) => socket.destroyed)]).toEqual([2, [false, false]]);
    const answer = once(busy[0] as Socket, 'data');
    held[0]?.end('late');
    expect(String((await answer)[0])).toContain('late');
    const ended = once((busy[0] as Socket).resume(), 'close');
    await opened(port, '/');
    await ended;
  });

  it('derives the limit from the descriptors that the process may have', () => {
    expect(descriptorLimit()).toBeGreaterThan(0);
    expect(connectionLimit('router', 1_024) * 2 + connectionLimit('server', 1_024)).toBeLessThan(1_024);
    expect(connectionLimit('router', Number.MAX_SAFE_INTEGER)).toBe(20_000);
    expect(connectionLimit('server', 10)).toBe(10);
  });
});
