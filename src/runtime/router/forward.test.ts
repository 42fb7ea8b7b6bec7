import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket as ServedSocket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Router } from './router.ts';

/** An app that speaks no HTTP library: it sends `answer` when a request's head has come, and keeps what it received. */
class RawApp {
  answer: readonly Buffer[] = [];
  /** Keeps the connection open after the answer. */
  holds = false;
  received = Buffer.alloc(0);
  port = 0;
  readonly #sockets = new Set<ServedSocket>();
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let bytes = Buffer.alloc(0);
    let isAnswered = false;
    socket.on('data', async (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      this.received = bytes;
      if (isAnswered || !bytes.includes('\r\n\r\n')) return;
      isAnswered = true;
      for (const part of this.answer) {
        socket.write(part);
        await new Promise((done) => setImmediate(done));
      }
      if (!this.holds) socket.end();
    });
  });

  async open(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }
}

const app = new RawApp();
const router = new Router({ host: '127.0.0.1', port: 0, answerHeadMs: 20 });

beforeAll(async () => {
  await app.open();
  await router.listen();
  const endpoints = [{ uid: 'raw', address: '127.0.0.1', port: app.port }];
  const stamp = { revision: 1, attempt: 1 };
  router.set({ service: 'web@lab', hosts: ['web.localhost'], stamp, endpoints, isStopped: false });
});
afterAll(async () => {
  await router.close(0);
  await app.close();
});

const GOOD = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const plain = 'GET / HTTP/1.1\r\nhost: web.localhost\r\nconnection: close\r\n\r\n';

/** Everything that the router answers to these bytes, until it closes the connection. */
async function raw(bytes: string): Promise<string> {
  const client = connect(router.port, '127.0.0.1');
  const parts: Buffer[] = [];
  client.on('data', (chunk: Buffer) => parts.push(chunk));
  client.on('error', () => {});
  client.write(bytes, 'latin1');
  await once(client, 'close');
  return Buffer.concat(parts).toString('latin1');
}

async function answering(answer: string, bytes = plain, holds = false): Promise<string> {
  app.answer = [Buffer.from(answer, 'latin1')];
  app.holds = holds;
  app.received = Buffer.alloc(0);
  return raw(bytes);
}

const received = () => app.received.toString('latin1');

describe('an app that answers with something else than HTTP (F120)', () => {
  const head = (line: string, ...headers: string[]) => `${[line, ...headers].join('\r\n')}\r\n\r\n`;
  it.each([
    ['a status of 0', head('HTTP/1.1 000 X', 'content-length: 0')],
    ['a status below 100', head('HTTP/1.1 099 X', 'content-length: 0')],
    ['a control byte in its words', head('HTTP/1.1 200 a\x01b', 'content-length: 0')],
    ['a DEL in its words', head('HTTP/1.1 200 a\x7fb', 'content-length: 0')],
    ['a control byte in a header', head('HTTP/1.1 200 OK', 'x: a\x01b', 'content-length: 0')],
    ['a header without a name', head('HTTP/1.1 200 OK', ': x', 'content-length: 0')],
    ['a name with a blank', head('HTTP/1.1 200 OK', 'a b: x', 'content-length: 0')],
    ['another protocol', head('HTTP/1.1 101 X', 'connection: upgrade', 'upgrade: websocket')],
    ['a bare 101', head('HTTP/1.1 101 X')],
    ['a lone 100', head('HTTP/1.1 100 Continue')],
    ['half a head', 'HTTP/1.1 200 OK\r\nx: '],
    ['half a status line', 'HTTP/1.1 2'],
    ['two lengths', head('HTTP/1.1 200 OK', 'content-length: 1', 'content-length: 2')],
    ['a length and chunks', head('HTTP/1.1 200 OK', 'content-length: 1', 'transfer-encoding: chunked')],
    ['an unknown coding', head('HTTP/1.1 200 OK', 'transfer-encoding: gzip, chunked')],
    ['a huge head', head('HTTP/1.1 200 OK', `x: ${'x'.repeat(100_000)}`)],
    ['no HTTP at all', '\x00\x01\x02\xff\r\n\r\n'],
    ['nothing', ''],
  ])('%s is 502 for that request, and nothing else notices', async (_, answer) => {
    expect(await answering(answer)).toMatch(/^HTTP\/1\.1 502 /);
    expect(await answering(GOOD)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*ok$/);
  });

  it.each([
    ['a lone 100', head('HTTP/1.1 100 Continue')],
    ['a bare 101', head('HTTP/1.1 101 X')],
    ['half a head', 'HTTP/1.1 200 OK\r\nx: '],
  ])('%s is 502 also where the app keeps the connection', async (_, answer) => {
    expect(await answering(answer, plain, true)).toMatch(/^HTTP\/1\.1 502 /);
  });

  it('any bytes, in any pieces, end in an answer or in a cut one', async () => {
    const statuses = fc.constantFrom(
      '200',
      '000',
      '099',
      '100',
      '101',
      '103',
      '204',
      '304',
      '599',
      '999',
      '1e3',
    );
    const words = fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((n) => String.fromCharCode(n)),
      maxLength: 8,
    });
    const headers = fc.array(
      fc.oneof(
        fc.constantFrom(
          'content-length: 2',
          'content-length: -1',
          'content-length: 99999999999999999999',
          'transfer-encoding: chunked',
          'transfer-encoding: identity',
          'connection: upgrade',
          'upgrade: websocket',
          'set-cookie: a=b',
          'trailer: x',
          'keep-alive: timeout=9',
        ),
        fc.tuple(words, words).map(([name, value]) => `${name}: ${value}`),
      ),
      { maxLength: 5 },
    );
    const answers = fc
      .record({
        status: statuses,
        reason: words,
        headers,
        body: words,
        cutAt: fc.nat(200),
        isCut: fc.boolean(),
      })
      .map(({ status, reason, headers: lines, body, cutAt, isCut }) => {
        const whole = `${[`HTTP/1.1 ${status} ${reason}`, ...lines].join('\r\n')}\r\n\r\n${body}`;
        return isCut ? whole.slice(0, cutAt) : whole;
      });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(answers, words),
        fc.nat(30),
        fc.constantFrom('GET', 'HEAD', 'POST'),
        async (answer, at, method) => {
          app.answer = [Buffer.from(answer.slice(0, at), 'latin1'), Buffer.from(answer.slice(at), 'latin1')];
          app.holds = false;
          const body = method === 'POST' ? 'content-length: 2\r\n\r\nhi' : '\r\n';
          const got = await raw(
            `${method} / HTTP/1.1\r\nhost: web.localhost\r\nconnection: close\r\n${body}`,
          );
          expect(got).toMatch(/^HTTP\/1\.1 [2-9]\d\d [\t\x20-\x7e\x80-\xff]*\r\n/);
          expect(got).toContain('\r\n\r\n');
        },
      ),
      { numRuns: 300 },
    );
    expect(await answering(GOOD)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a request that would smuggle another (F123)', () => {
  const post = (...headers: string[]) =>
    `POST /a HTTP/1.1\r\nhost: web.localhost\r\n${headers.join('\r\n')}\r\n\r\n`;
  const hidden = 'GET /hidden HTTP/1.1\r\nhost: x\r\n\r\n';

  it('frames the body, whatever Connection names', async () => {
    const length = `content-length: ${hidden.length}`;
    await answering(GOOD, post(length, 'connection: close, content-length') + hidden);
    expect(received()).toMatch(new RegExp(`\r\n${length}\r\n`));
    expect(received().split('\r\n\r\n')[1]).toMatch(/^GET \/hidden/);
    const chunks = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    await answering(
      GOOD,
      post('transfer-encoding: chunked', 'connection: close, transfer-encoding') + chunks,
    );
    expect(received()).toMatch(/\r\ntransfer-encoding: chunked\r\n[\s\S]*\r\n0\r\n\r\n$/);
  });

  it('frames the body behind more headers than Node keeps', async () => {
    const many = Array.from({ length: 1_500 }, () => 'a:');
    await answering(GOOD, post(...many, 'connection: close', `content-length: ${hidden.length}`) + hidden);
    expect(received()).toContain(`content-length: ${hidden.length}\r\n`);
  });

  it('sends nothing outside the frame of a request, whatever the client says', async () => {
    const lines = fc.array(
      fc.constantFrom(
        ...['content-length: 33', 'content-length: 0', 'content-length: +33', 'content-length : 33'],
        ...['transfer-encoding: chunked', 'transfer-encoding: identity', 'transfer-encoding:\tchunked'],
        ...['transfer-encoding: x, chunked', 'connection: content-length', 'connection: transfer-encoding'],
        ...[
          'connection: upgrade',
          'upgrade: websocket',
          'upgrade: h2c',
          'expect: 100-continue',
          'te: trailers',
        ],
        ...['host: web.localhost', 'connection: keep-alive, host', ' folded: x', 'x: \x01', 'keep-alive: 5'],
      ),
      { maxLength: 6 },
    );
    const bodies = fc.constantFrom('', hidden, `21\r\n${hidden}\r\n0\r\n\r\n`, `0\r\n\r\n${hidden}`);
    const methods = fc.constantFrom('GET', 'POST', 'HEAD', 'DELETE', 'OPTIONS', 'CONNECT', 'BREW');
    await fc.assert(
      fc.asyncProperty(methods, lines, bodies, async (method, headers, body) => {
        const head = [`${method} / HTTP/1.1`, 'host: web.localhost', ...headers].join('\r\n');
        const client = connect(router.port, '127.0.0.1');
        client.on('error', () => {});
        const answered = new Promise((done) => client.once('data', done).once('close', done));
        app.answer = [Buffer.from(GOOD)];
        app.holds = false;
        app.received = Buffer.alloc(0);
        // The end of the client's side lets the router give up a body that does not come.
        client.end(`${head}\r\n\r\n${body}`, 'latin1');
        await answered;
        client.destroy();
        const [sent = '', ...rest] = received().split('\r\n\r\n');
        const inside = rest.join('\r\n\r\n');
        const length = Number(/\r\ncontent-length: (\d+)/.exec(sent)?.[1] ?? 0);
        if (/\r\ntransfer-encoding: chunked/.test(sent)) expect(inside).not.toMatch(/^GET|\n0\r\n\r\n./);
        else expect(inside.length).toBeLessThanOrEqual(length);
      }),
      { numRuns: 300 },
    );
  });

  it('forwards every header that is not between neighbours, whatever Connection names', async () => {
    const named = 'connection: close, host, authorization, x-forwarded-for, cookie, te';
    await answering(
      GOOD,
      `GET / HTTP/1.1\r\nhost: web.localhost\r\nauthorization: b\r\ncookie: c=d\r\nte: trailers\r\n${named}\r\n\r\n`,
    );
    for (const line of [
      'host: web.localhost',
      'authorization: b',
      'cookie: c=d',
      'x-forwarded-for: 127.0.0.1',
    ])
      expect(received()).toContain(`\r\n${line}\r\n`);
    expect(received()).not.toMatch(/\r\nte:/i);
  });

  it('ignores the wish for another protocol than WebSocket', async () => {
    const wish =
      'connection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__';
    const got = await answering(GOOD, `${post(wish, 'content-length: 4')}body`);
    expect(got).toMatch(/^HTTP\/1\.1 200 /);
    expect(received()).toMatch(/\r\n\r\nbody$/);
    expect(received()).not.toMatch(/upgrade|h2c|http2/i);
    await answering(
      GOOD,
      `${post('connection: upgrade, close', 'upgrade: websocket', 'content-length: 4')}body`,
    );
    expect(received()).toMatch(/\r\n\r\nbody$/);
    expect(received()).not.toMatch(/upgrade/i);
  });

  it('refuses CONNECT and codings that it cannot frame; the app sees nothing', async () => {
    for (const target of ['web.localhost:80', '/', 'x:1'])
      expect(await answering(GOOD, `CONNECT ${target} HTTP/1.1\r\nhost: web.localhost\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 (405|400) /,
      );
    expect(
      await answering(GOOD, `${post('transfer-encoding: gzip, chunked', 'connection: close')}0\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 501 /);
    expect(received()).toBe('');
  });

  it('sends a client’s bytes after an upgrade only when the app has agreed', async () => {
    const wish = 'GET / HTTP/1.1\r\nhost: web.localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const refused = await answering(
      'HTTP/1.1 400 No\r\ncontent-length: 0\r\nset-cookie: evident_session=x\r\n\r\n',
      wish + hidden,
    );
    expect(refused).toMatch(/^HTTP\/1\.1 400 No\r\n/);
    expect(refused).not.toMatch(/evident_session/);
    expect(received()).not.toContain('hidden');
    expect(
      await answering('HTTP/1.1 101 a\x01b\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n', wish),
    ).toMatch(/^HTTP\/1\.1 502 /);
  });
});

describe('the cookie of the page (F127)', () => {
  it('is not sent to an app, in whatever spelling', async () => {
    const cookies = 'a=1; evident_session=x;__Host-evident_session=y; EVIDENT_SESSION = z; b="2"';
    await answering(
      GOOD,
      `GET / HTTP/1.1\r\nhost: web.localhost\r\nCookie: ${cookies}\r\ncookie: evident_session=q\r\nconnection: close\r\n\r\n`,
    );
    expect(received()).toMatch(/\r\nCookie: a=1; b="2"\r\n/);
    expect(received()).not.toMatch(/evident_session/i);
  });

  it('is not set by an app, in whatever spelling', async () => {
    const set = [
      'evident_session=x; Path=/',
      ' __host-evident_session =x',
      '=evident_session=x',
      'evident_session',
      'ok=1',
    ];
    const lines = set.map((value) => `Set-Cookie: ${value}\r\n`).join('');
    const got = await answering(`HTTP/1.1 200 OK\r\n${lines}content-length: 0\r\n\r\n`);
    expect(got).toMatch(/\r\nSet-Cookie: ok=1\r\n/);
    expect(got).not.toMatch(/evident_session/i);
  });
});

it('forwards the head of an answer whose body comes later', async () => {
  app.answer = [Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')];
  app.holds = true;
  const client = connect(router.port, '127.0.0.1');
  client.write(plain);
  expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  client.destroy();
});

it('forwards an answer to HEAD although a body follows it', async () => {
  const got = await answering(GOOD, plain.replace('GET', 'HEAD'));
  expect(got).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-length: 2\r\n[\s\S]*\r\n\r\n$/);
});

it('forwards the whole answer of an app that has closed, to a client that reads slowly', async () => {
  const body = 'x'.repeat(8 << 20);
  app.answer = [Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`)];
  app.holds = false;
  const client = connect(router.port, '127.0.0.1').pause();
  client.write(plain);
  while (client.readableLength === 0 && client.bytesRead === 0) {
    client.read(0);
    await new Promise((done) => setImmediate(done));
  }
  let size = 0;
  for await (const chunk of client) {
    size += chunk.length;
    await new Promise((done) => setImmediate(done));
  }
  expect(size).toBeGreaterThan(body.length);
});
