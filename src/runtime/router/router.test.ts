import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Endpoint, RouteQuestion } from '../supervise/router-port.ts';
import { Router } from './router.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface App extends Endpoint {
  readonly server: Server;
  readonly sockets: Set<Socket>;
  stop(): Promise<void>;
}

async function app(
  uid: string,
  handle: (req: IncomingMessage, res: ServerResponse) => void,
  address = '127.0.0.1',
): Promise<App> {
  const server = createServer(handle);
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await once(server.listen(0, address), 'listening');
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  closing.push(stop);
  return { uid, address, port: (server.address() as AddressInfo).port, server, sockets, stop };
}

const named = (uid: string) => app(uid, (req, res) => req.resume().on('end', () => res.end(uid)));

async function router(onRefused?: (uid: string) => void): Promise<Router> {
  const opened = new Router({ host: '127.0.0.1', port: 0, ...(onRefused && { onRefused }) });
  await opened.listen();
  closing.push(() => opened.close(0));
  return opened;
}

function route(to: Router, endpoints: readonly Endpoint[], revision = 1, isStopped = false): void {
  const stamp = { revision, attempt: 1 };
  to.set({ service: 'web@lab', hosts: ['web.localhost'], stamp, endpoints, isStopped });
}

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function send(
  port: number,
  {
    host = 'web.localhost',
    body,
    ...options
  }: Record<string, unknown> & { host?: string; body?: string } = {},
): Promise<Got> {
  const { headers, ...rest } = options as { headers?: object };
  return new Promise((done, fail) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      agent: false,
      ...rest,
      headers: { host, ...headers },
    });
    outgoing.on('error', fail);
    outgoing.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => done({ status: res.statusCode ?? 0, headers: res.headers, body: text }));
      res.on('error', fail);
    });
    outgoing.end(body);
  });
}

describe('the router', () => {
  it('routes by host name, and round robin over ready instances', async () => {
    const front = await router();
    route(front, [await named('a'), await named('b')]);
    const answers = [];
    for (let n = 0; n < 6; n += 1) answers.push((await send(front.port)).body);
    expect(answers.join('')).toBe('ababab');
    expect((await send(front.port, { host: 'WEB.localhost.:7718' })).body).toBe('a');
  });

  it('answers at ::1 too, which a browser tries first, and takes no port that another process has there (F119)', async () => {
    const r = await router();
    route(r, [await named('a')]);
    expect((await send(r.port, { hostname: '::1' })).body).toBe('a');
    const theirs = createServer(() => {}).listen({ host: '::1', port: 0, ipv6Only: true });
    await once(theirs, 'listening');
    closing.push(() => theirs.close());
    const { port } = theirs.address() as AddressInfo;
    await expect(r.listenOn('127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect((await send(r.port)).body, 'the port before stays').toBe('a');
  });

  it('answers with the cause, and nothing internal', async () => {
    const front = await router();
    route(front, []);
    const unknown = await send(front.port, { host: 'other.localhost' });
    expect(unknown).toMatchObject({ status: 404, body: expect.stringContaining('No such service') });
    const unready = await send(front.port, { headers: { accept: 'text/html' } });
    expect(unready).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(unready.body).toContain('<h1>503');
    // At an address of its own: whoever is given its port when it is gone listens elsewhere.
    const gone = await app('gone', (req) => req.socket.destroy(), '127.0.73.1');
    route(front, [gone]);
    const broken = await send(front.port, { method: 'POST', body: 'x' });
    expect(broken.status).toBe(502);
    expect(broken.body).not.toContain(String(gone.port));
    await gone.stop();
    const refused = await send(front.port, { method: 'POST', body: 'x' });
    expect(refused.status, 'nobody took it: it may be sent again').toBe(503);
  });

  it('sends no Retry-After where no replicas are wanted', async () => {
    const front = await router();
    route(front, [], 2, true);
    const stopped = await send(front.port);
    expect(stopped).toMatchObject({ status: 503, body: expect.stringMatching(/asked to run no copies/) });
    expect(stopped.headers['retry-after']).toBeUndefined();
  });

  it('forwards the path alone where a client names the whole address', async () => {
    const to = await router();
    route(to, [await app('a', (req, res) => res.end(`${req.headers.host} ${req.url}`))]);
    for (const [address, path] of [
      ['http://web.localhost/deep?x=http://y/', '/deep?x=http://y/'],
      ['http://web.localhost', '/'],
      ['http://web.localhost?x', '/?x'],
      ['/http://odd', '/http://odd'],
    ] as const)
      expect((await send(to.port, { path: address })).body).toBe(`web.localhost ${path}`);
  });

  it('routes by the whole address where a client names one, and not by the header', async () => {
    const to = await router();
    route(to, [await app('a', (req, res) => res.end(`${req.headers.host}`))]);
    const named = await send(to.port, { host: 'other.localhost', path: 'http://web.localhost:99/x' });
    expect(named).toMatchObject({ status: 200, body: 'web.localhost:99' });
    expect((await send(to.port, { path: 'http://other.localhost/' })).status).toBe(404);
  });

  it('refuses a request with two hosts, and answers itself for no service', async () => {
    const to = await router();
    let requests = 0;
    route(to, [await app('a', (_, res) => res.end(String(++requests)))]);
    const raw = async (lines: readonly string[]) => {
      const socket = connect(to.port, '127.0.0.1');
      socket.write(`${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`);
      let text = '';
      for await (const chunk of socket) text += chunk;
      return text;
    };
    expect(await raw(['GET / HTTP/1.1', 'host: web.localhost', 'host: web.localhost'])).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    const upgrade = ['connection: upgrade', 'upgrade: websocket'];
    expect(await raw(['GET / HTTP/1.1', 'host: web.localhost', 'host: x', ...upgrade])).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(await raw(['OPTIONS * HTTP/1.1', 'host: web.localhost'])).toMatch(
      /^HTTP\/1\.1 204 [\s\S]*\r\nallow: GET, /,
    );
    expect(requests).toBe(0);
    expect(await raw(['OPTIONS / HTTP/1.1', 'host: web.localhost'])).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n1$/,
    );
  });

  it('gives a service a port of its own, for any host name', async () => {
    const front = await router();
    const web = await named('a');
    route(front, [web]);
    const own = await app('probe', () => {});
    await own.stop();
    await front.expose('web@lab', own.port);
    expect((await send(own.port, { host: 'anything' })).body).toBe('a');
    const browser = { host: `localhost:${own.port}`, headers: { accept: 'text/html' }, path: '/a?b' };
    expect(await send(own.port, browser), 'that host is of the page (F127)').toMatchObject({
      status: 307,
      headers: { location: `http://127.0.0.1:${own.port}/a?b` },
    });
    expect((await send(own.port, { host: `localhost:${own.port}` })).body).toBe('a');
    front.delete('web@lab');
    // Which of the two depends on how far the end of the listener has come.
    await expect(send(own.port)).rejects.toMatchObject({
      code: expect.stringMatching(/^ECONN(REFUSED|RESET)$/),
    });
  });

  it('forwards to the next instance when one refuses, with the whole body, and logs which refused', async () => {
    const refused: string[] = [];
    const front = await router((uid) => refused.push(uid));
    const dead = await named('dead');
    await dead.stop();
    const echo = await app('echo', (req, res) => req.pipe(res));
    route(front, [dead, echo]);
    const body = 'x'.repeat(300_000);
    expect((await send(front.port, { method: 'POST', body })).body).toBe(body);
    expect(refused).toEqual(['dead']);
  });

  it('repeats a safe request after a broken connection, and no other', async () => {
    let attempts = 0;
    const front = await router();
    const breaks = await app('breaks', (req) => {
      attempts += 1;
      req.socket.destroy();
    });
    route(front, [breaks, await named('good')]);
    expect(await send(front.port)).toMatchObject({ status: 200, body: 'good' });
    route(front, [breaks]);
    await send(front.port, { method: 'POST', body: 'pay' });
    expect(attempts).toBe(2);
  });

  it('adds the origin of a request, and drops the client’s own claims about it', async () => {
    const front = await router();
    const shows = await app('shows', (req, res) => res.end(JSON.stringify(req.headers)));
    route(front, [shows]);
    const headers = {
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': 'https',
      forwarded: 'for=6.6.6.6',
      'x-real-ip': '6.6.6.6',
      'x-evident-asked': 'guess',
    };
    const forwarded = JSON.parse((await send(front.port, { headers })).body);
    expect(forwarded).toMatchObject({
      host: 'web.localhost',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'web.localhost',
      'x-forwarded-port': String(front.port),
    });
    expect(JSON.stringify(forwarded)).not.toContain('6.6.6.6');
    expect(forwarded).not.toHaveProperty('x-evident-asked');
  });

  it('keeps a connection for many requests, of every method', async () => {
    const front = await router();
    const sockets = new Set<Socket>();
    route(front, [await app('a', (req, res) => req.pipe(res))]);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    agent.on('free', (socket) => sockets.add(socket as Socket));
    for (const body of ['one', '', 'two', 'three'])
      expect((await send(front.port, { method: body ? 'PUT' : 'GET', body, agent })).body).toBe(body);
    expect(sockets.size).toBe(1);
    const last = await send(front.port, { agent, headers: { connection: 'close' } });
    expect(last.headers.connection).toBe('close');
    agent.destroy();
  });

  it('streams both ways at once', async () => {
    const front = await router();
    route(front, [await app('echo', (req, res) => req.pipe(res))]);
    const outgoing = request({
      port: front.port,
      method: 'POST',
      headers: { host: 'web.localhost' },
      agent: false,
    });
    outgoing.write('first');
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(String((await once(answer, 'data'))[0])).toBe('first');
    outgoing.write('second');
    expect(String((await once(answer, 'data'))[0])).toBe('second');
    outgoing.end();
    await once(answer.resume(), 'end');
  });

  it('closes the instance’s side when a user goes away, and the user’s when the instance does', async () => {
    const front = await router();
    const endless = await app('endless', (_, res) => void res.write('data: 1\n\n'));
    route(front, [endless]);
    const streams = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const outgoing = request({
          port: front.port,
          headers: { host: 'web.localhost' },
          agent: false,
        }).end();
        const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
        outgoing.on('error', () => {});
        answer.on('error', () => {});
        return { outgoing, answer };
      }),
    );
    expect(endless.sockets.size).toBe(20);
    expect(front.inHand('endless')).toBe(20);
    const left = new Promise<void>((done) => {
      for (const socket of endless.sockets)
        socket.once('close', () => {
          if (endless.sockets.size === 10) done();
        });
    });
    for (const { outgoing } of streams.slice(0, 10)) outgoing.destroy();
    await left;
    expect(front.inHand('endless')).toBe(10);
    const cut = streams.slice(10).map(({ answer }) => new Promise((done) => answer.once('close', done)));
    for (const socket of endless.sockets) socket.destroy();
    await Promise.all(cut);
    while (front.inHand('endless') > 0) await new Promise((done) => setImmediate(done));
  });

  it('forwards upgraded connections, counts them as in progress, and ends both sides together', async () => {
    const front = await router();
    const ws = await app('ws', () => {});
    ws.server.on('upgrade', (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.on('data', (chunk: Buffer) => socket.write(`echo ${chunk}`));
      socket.on('error', () => {});
    });
    route(front, [ws]);
    const client = connect(front.port, '127.0.0.1');
    client.write(
      'GET /chat HTTP/1.1\r\nHost: web.localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n',
    );
    expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1.1 101 /);
    client.write('hello');
    expect(String((await once(client, 'data'))[0])).toBe('echo hello');
    expect(front.inHand('ws')).toBe(1);
    const closed = once(client, 'close');
    client.on('error', () => {});
    await front.drained('ws', 1);
    await closed;
    expect(front.inHand('ws')).toBe(0);
    const late = connect(front.port, '127.0.0.1');
    route(front, []);
    late.write('GET / HTTP/1.1\r\nHost: web.localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    expect(String((await once(late, 'data'))[0])).toMatch(/^HTTP\/1.1 503 /);
    late.destroy();
  });

  it('drains: requests in progress end, new ones go to the new instances', async () => {
    const front = await router();
    const held: ServerResponse[] = [];
    const old = await app('old', (_, res) => void held.push(res));
    route(front, [old]);
    const first = send(front.port);
    while (held.length === 0) await new Promise((done) => setImmediate(done));
    route(front, [await named('new')], 2);
    const drained = front.drained('old', 10_000);
    expect((await send(front.port)).body).toBe('new');
    held[0]?.end('late but whole');
    expect((await first).body).toBe('late but whole');
    await drained;
  });

  it('proves a route by a request, and no other client learns which revision answers', async () => {
    const front = await router();
    let status = 200;
    route(front, [await app('a', (_, res) => res.writeHead(status, { 'x-evident-answered': '9.9' }).end())]);
    expect(await prove(front)).toEqual({ kind: 'answered', stamp: { revision: 1, attempt: 1 } });
    status = 500;
    expect(await prove(front, { path: '/health' })).toEqual({ kind: 'failed' });
    expect((await prove(front)).kind).toBe('answered');
    route(front, []);
    expect(await prove(front)).toEqual({ kind: 'denied' });
    expect(await prove(front, { hosts: ['other.localhost'] })).toEqual({ kind: 'denied' });
  });

  it('proves every listed host, and no answer of another service is a proof (F119)', async () => {
    const front = await router();
    let requests = 0;
    const counted = await app('a', (_, res) => {
      requests += 1;
      res.end();
    });
    const at = (service: string, hosts: string[]) =>
      front.set({
        service,
        hosts,
        stamp: { revision: 1, attempt: 1 },
        endpoints: [counted],
        isStopped: false,
      });
    at('aaa@lab', ['aaa.localhost', 'victim.localhost']);
    at('victim@lab', ['victim.localhost']);
    const victim = await prove(front, { service: 'victim@lab', hosts: ['victim.localhost'] });
    expect(victim.kind).toBe('answered');
    const thief = { service: 'aaa@lab', hosts: ['aaa.localhost', 'victim.localhost'] };
    expect((await prove(front, thief)).kind).toBe('denied');
    requests = 0;
    at('aaa@lab', ['aaa.localhost', 'own.example']);
    expect((await prove(front, { ...thief, hosts: ['aaa.localhost', 'own.example'] })).kind).toBe('answered');
    expect(requests, 'one request to the app, however many names it has').toBe(1);
  });

  it('leads a name to the service that it belongs to, in whatever order the routes are set (F119)', async () => {
    for (const order of [
      ['aaa@lab', 'victim@lab'],
      ['victim@lab', 'aaa@lab'],
    ]) {
      const front = await router();
      for (const service of order)
        front.set({
          service,
          hosts: ['victim.localhost', 'shop.example'],
          stamp: { revision: 1, attempt: 1 },
          endpoints: [await named(service)],
          isStopped: false,
        });
      expect((await send(front.port, { host: 'victim.localhost' })).body).toBe('victim@lab');
      expect((await send(front.port, { host: 'shop.example' })).body).toBe('aaa@lab');
    }
  });
});

const prove = (front: Router, question: Partial<RouteQuestion> = {}) =>
  front.prove(
    {
      service: 'web@lab',
      hosts: ['web.localhost'],
      path: null,
      isHttp: true,
      isWhole: true,
      timeoutMs: 1_000,
      ...question,
    },
    new AbortController().signal,
  );
