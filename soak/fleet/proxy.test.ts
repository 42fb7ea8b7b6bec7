import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LinkProxy } from './proxy.ts';

let echo: Server;
let proxy: LinkProxy;
const portOf = (url: string) => Number(new URL(url).port);

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const none = createServer().listen(0, '127.0.0.1');
  await once(none, 'listening');
  const { port: closed } = none.address() as AddressInfo;
  none.close();
  await once(none, 'close');
  // The first of the two does not accept: each connection must find the other.
  proxy = await LinkProxy.start([closed, (echo.address() as AddressInfo).port]);
});
afterEach(async () => {
  await proxy.close();
  echo.close();
});

async function opened() {
  const socket = connect(portOf(proxy.address), '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Its end, with the code of the error that ended it. */
const ended = (socket: Socket): Promise<string | null> =>
  new Promise((done) => {
    let code: string | null = null;
    socket.once('error', (error: NodeJS.ErrnoException) => {
      code = error.code ?? null;
    });
    socket.once('close', () => done(code));
  });

describe('a link', () => {
  it('passes bytes both ways, to whichever server accepts', async () => {
    for (const word of ['one', 'two', 'three']) {
      const socket = await opened();
      socket.write(word);
      expect(await once(socket, 'data')).toEqual([word]);
      socket.destroy();
    }
  });

  it('keeps bytes of a black hole until it passes again', async () => {
    const socket = await opened();
    socket.write('before');
    await once(socket, 'data');
    proxy.set({ kind: 'black_hole' });
    let said = '';
    socket.on('data', (text) => {
      said += text;
    });
    socket.write('meanwhile');
    // Another exchange, as long as one through the proxy takes: nothing of the first has passed.
    const direct = connect((echo.address() as AddressInfo).port, '127.0.0.1');
    direct.write('x');
    await once(direct, 'data');
    direct.destroy();
    expect(said).toBe('');
    const arrived = once(socket, 'data');
    proxy.set({ kind: 'pass' });
    await arrived;
    expect(said).toBe('meanwhile');
    socket.destroy();
  });

  it('delays, and keeps the order', async () => {
    proxy.set({ kind: 'delay', ms: 5 });
    const socket = await opened();
    let said = '';
    socket.on('data', (text) => {
      said += text;
      if (said.length === 9) socket.destroy();
    });
    for (const word of ['one', 'two', 'six']) socket.write(word);
    await ended(socket);
    expect(said).toBe('onetwosix');
  });

  it('drops what is open and what is new, and resets without refusing the next', async () => {
    const first = await opened();
    first.write('x');
    await once(first, 'data');
    const cut = ended(first);
    proxy.set({ kind: 'drop' });
    await cut;
    await ended(await opened());
    proxy.set({ kind: 'pass' });
    const second = await opened();
    second.write('y');
    await once(second, 'data');
    const reset = ended(second);
    proxy.reset();
    expect(await reset).toBe('ECONNRESET');
    const third = await opened();
    third.write('z');
    expect(await once(third, 'data')).toEqual(['z']);
    third.destroy();
  });
});
