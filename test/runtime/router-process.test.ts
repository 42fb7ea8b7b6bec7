import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { removeDirectory } from '../../lab/remove-directory.ts';
import manifest from '../../package.json' with { type: 'json' };
import { bundleIfStale } from '../../scripts/bundle.mjs';
import { identify, isAlive, type ProcessId } from '../../src/runtime/process/proc.ts';
import type { TlsOptions } from '../../src/runtime/router/router.ts';
import { livingRouter, recordPath, routerDir } from '../../src/runtime/router-process/place.ts';
import { RemoteRouter } from '../../src/runtime/router-process/remote-router.ts';
import { endRouter } from '../../src/runtime/router-process/start-router.ts';
import type { ServiceRoute } from '../../src/runtime/supervise/router-port.ts';
import { WEB_CERTIFICATE } from './certificates.ts';

const SOON = { timeout: 60_000, interval: 20 };
const QUESTION = {
  service: 'web@lab',
  hosts: ['web.localhost'],
  path: null,
  isHttp: true,
  isWhole: true,
  timeoutMs: 5_000,
};

describe('a router in a process of its own', { timeout: 180_000 }, () => {
  let program = '';
  let data = '';
  let place = '';
  const cleaning: (() => unknown)[] = [];
  beforeAll(async () => {
    program = await bundleIfStale('evident');
  }, 120_000);
  afterEach(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  function begin(): void {
    data = mkdtempSync(join(tmpdir(), 'evident-router-'));
    place = join(data, 'runtime', 'lab');
    cleaning.push(async () => {
      await endRouter(place);
      await removeDirectory(data);
    });
  }

  function remote(tls: TlsOptions | null = null, hangsMs = 60_000) {
    const lines: string[] = [];
    const turns: string[] = [];
    const args = [program, 'router', '--data', data, '--target', 'lab'];
    const router = new RemoteRouter({
      ...{
        place,
        host: '127.0.0.1',
        port: 0,
        tls,
        hangsMs,
        version: manifest.version,
        command: { program: process.execPath, args },
      },
      say: (line) => lines.push(line),
      onRefused: (uid) => turns.push(uid),
      onTurn: () => turns.push('turn'),
    });
    cleaning.push(() => router.close(0, true));
    return { router, lines, turns };
  }

  async function app(text: string): Promise<number> {
    const server = createServer((_, res) => res.end(text)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleaning.push(() => server.close());
    return (server.address() as AddressInfo).port;
  }

  const routeTo = (port: number | null, revision = 1): ServiceRoute => ({
    service: 'web@lab',
    hosts: ['web.localhost'],
    stamp: { revision, attempt: 1 },
    endpoints: port === null ? [] : [{ uid: 'a', address: '127.0.0.1', port }],
    isStopped: false,
  });

  function ask(port: number, address = '127.0.0.1'): Promise<string> {
    return new Promise((done) => {
      const sent = get({ host: address, port, agent: false, headers: { host: 'web.localhost' } }, (res) => {
        let body = '';
        res.setEncoding('utf8').on('data', (text) => (body += text));
        res.on('end', () => done(body));
      });
      sent.on('error', ({ message }) => done(message));
    });
  }

  const prove = (router: RemoteRouter) => router.prove(QUESTION, new AbortController().signal);

  it('outlives who started it, is started again when it dies, and is taken over by the next', async () => {
    begin();
    const one = await app('one');
    const first = remote();
    first.router.set(routeTo(one));
    await first.router.listen();
    const { port } = first.router;
    expect(await ask(port)).toBe('one');
    expect(await prove(first.router)).toEqual({ kind: 'answered', stamp: { revision: 1, attempt: 1 } });

    const before = livingRouter(routerDir(place))?.process as ProcessId;
    process.kill(before.pid, 'SIGKILL');
    await vi.waitUntil(() => first.turns.includes('turn'), SOON);
    expect(await prove(first.router)).toEqual({ kind: 'denied', reason: 'router_down' });
    await vi.waitUntil(() => first.turns.filter((turn) => turn === 'turn').length === 2, SOON);
    expect([await ask(port), first.router.port]).toEqual(['one', port]);
    expect(await prove(first.router)).toMatchObject({ kind: 'answered' });

    await first.router.close(0, true);
    expect(await ask(port), 'nobody supervises it').toBe('one');

    const second = remote();
    // The instances have not been looked at yet: the former route stays.
    second.router.set(routeTo(null));
    await second.router.listen();
    expect([await ask(port), second.router.port]).toEqual(['one', port]);
    const two = await app('two');
    second.router.set(routeTo(two, 2));
    expect(await prove(second.router)).toEqual({ kind: 'answered', stamp: { revision: 2, attempt: 1 } });
    expect(await ask(port)).toBe('two');
    second.router.delete('web@lab');
    expect(await prove(second.router)).toEqual({ kind: 'denied' });

    const last = livingRouter(routerDir(place))?.process as ProcessId;
    await second.router.close(1_000, false);
    expect(isAlive(last), 'nothing needs it').toBe(false);
  });

  it('hands its ports to one of another version, and refuses nobody', async () => {
    begin();
    const tls = { cert: join(data, 'web.crt'), key: join(data, 'web.key'), port: 0 };
    writeFileSync(tls.cert, WEB_CERTIFICATE.cert);
    writeFileSync(tls.key, WEB_CERTIFICATE.key);
    const first = remote(tls);
    first.router.set(routeTo(await app('one')));
    await first.router.listen();
    await first.router.close(0, true);
    const { port } = first.router;
    const dir = routerDir(place);
    const old = livingRouter(dir) as NonNullable<ReturnType<typeof livingRouter>>;
    writeFileSync(recordPath(dir), JSON.stringify({ ...old, version: '0.0.0' }));

    const answers = new Set<string>();
    let isOver = false;
    const asking = (async () => {
      while (!isOver) answers.add(await ask(port));
    })();
    const second = remote(tls);
    second.router.set(routeTo(await app('two'), 2));
    await second.router.listen();
    await vi.waitUntil(() => !isAlive(old.process), SOON);
    expect([await ask(port), await ask(port, '::1')]).toEqual(['two', 'two']);
    isOver = true;
    await asking;
    expect([...answers].sort()).toEqual(['one', 'two']);
    expect(second.lines.join()).toContain('No connection was refused');
    expect(livingRouter(dir)?.version).toBe(manifest.version);
    expect(second.router.https).toEqual(first.router.https);
    expect(await prove(second.router)).toMatchObject({ kind: 'answered', certificate: { ends: null } });
  });

  it('that hangs proves no route, and is replaced', async () => {
    begin();
    const { router, turns } = remote(null, 2_000);
    router.set(routeTo(await app('one')));
    await router.listen();
    const hung = livingRouter(routerDir(place))?.process as ProcessId;
    process.kill(hung.pid, 'SIGSTOP');
    await vi.waitUntil(() => turns.length > 0, SOON);
    expect(await prove(router)).toEqual({ kind: 'denied', reason: 'router_down' });
    await vi.waitUntil(() => !isAlive(hung), SOON);
    await vi.waitUntil(async () => (await prove(router)).kind === 'answered', SOON);
    expect(await ask(router.port)).toBe('one');
  });

  it('takes no order without its secret, and no second one beside it', async () => {
    begin();
    const first = remote();
    first.router.set(routeTo(await app('one')));
    await first.router.listen();
    const socket = connect(join(routerDir(place), 'control.sock'));
    cleaning.push(() => socket.destroy());
    socket.write('{"id":1,"order":"hello","secret":"x"}\n{"id":2,"order":"stop","withinMs":0}\n');
    await once(socket.resume(), 'close');
    const second = spawn(process.execPath, [program, 'router', '--data', data, '--target', 'lab']);
    expect((await once(second, 'exit'))[0]).not.toBe(0);
    expect(await ask(first.router.port)).toBe('one');
  });

  it('is never taken for a process that has its number', async () => {
    begin();
    const stranger = spawn('sleep', ['600']);
    cleaning.push(() => stranger.kill('SIGKILL'));
    const id = identify(stranger.pid as number) as ProcessId;
    const dir = routerDir(place);
    mkdirSync(dir, { recursive: true });
    const record = { process: { ...id, startTicks: '1' }, version: '0', control: 1, secret: 'x' };
    writeFileSync(recordPath(dir), JSON.stringify(record));
    await endRouter(place);
    expect(isAlive(id)).toBe(true);
    expect(() => readFileSync(recordPath(dir))).toThrow();
  });
});
