import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type ProbeManner, probe } from './probe.ts';

const close: (() => void)[] = [];
afterEach(() => {
  for (const end of close.splice(0)) end();
});

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  close.push(() => server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const probing = (port: number, manner: ProbeManner = { kind: 'path', path: '/healthz' }, timeoutMs = 2_000) =>
  probe({ addresses: ['127.0.0.1'], port, manner, timeoutMs });

it('a redirect is an answer, and nothing is requested from where it leads (F106)', async () => {
  let requests = 0;
  const elsewhere = await listening((_, response) => {
    requests += 1;
    response.end();
  });
  const port = await listening((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/latest/meta-data` }).end();
  });
  expect(await probing(port)).toEqual({ kind: 'ready', address: '127.0.0.1', by: 'request' });
  expect(requests).toBe(0);
});

it('a status of 400 or more is not ready, and its message names the status', async () => {
  const port = await listening((_, response) => response.writeHead(503).end());
  expect(await probing(port)).toEqual({
    kind: 'failed',
    message: 'the health check answered 503',
    status: 503,
  });
});

const REQUEST = { kind: 'request' } as const;

async function speaking(answer: string | null): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    if (answer === '') socket.destroy();
    else if (answer !== null) socket.write(answer);
    close.push(() => socket.destroy());
  });
  close.push(() => server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

it('without a health path any answer is one, and silence is none', async () => {
  expect((await probing(await listening((_, res) => res.writeHead(500).end()), REQUEST)).kind).toBe('ready');
  expect(await probing(await speaking(null), REQUEST, 50)).toEqual({
    kind: 'not_answering',
    message: 'no answer to a request within 50 ms',
  });
});

it('another protocol is told from HTTP, and broken HTTP from another protocol (F120)', async () => {
  expect(await probing(await speaking('220 mail ready\r\n'), REQUEST)).toMatchObject({
    kind: 'other_protocol',
    hungUp: false,
  });
  expect(await probing(await speaking(''), REQUEST)).toMatchObject({ kind: 'other_protocol', hungUp: true });
  expect(await probing(await speaking('HTTP/1.1 000 X\r\n\r\n'), REQUEST)).toMatchObject({
    kind: 'not_answering',
    message: 'a request failed: its answer is not valid HTTP',
  });
});

it.each([
  ['a control byte in its reason phrase', 'HTTP/1.1 200 O\x01K\r\ncontent-length: 0\r\n\r\n'],
  ['a control byte in a header', 'HTTP/1.1 200 OK\r\nx-a: b\x01c\r\ncontent-length: 0\r\n\r\n'],
  ['an unknown coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
  ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n'],
])('an answer that the router refuses to forward is no answer: %s (F120)', async (_, answer) => {
  expect(await probing(await speaking(answer))).toMatchObject({
    kind: 'not_answering',
    message: 'the health check failed: its answer is not valid HTTP',
  });
});

it('bytes after a whole answer are ignored, such as a body after the answer to HEAD', async () => {
  const good = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ngood';
  expect((await probing(await speaking(good), REQUEST)).kind).toBe('ready');
  expect((await probing(await speaking(`${good} and more`))).kind).toBe('ready');
});
