import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Spec } from '../../src/contract/intent.ts';
import type { Instance } from '../../src/contract/report.ts';
import { type Everything, observed, observedUntil } from '../../src/runtime/conformance.ts';
import { Containment } from '../../src/runtime/process/containment.ts';
import { signalGroup } from '../../src/runtime/process/proc.ts';
import type { ProcessRuntime } from '../../src/runtime/process/runtime.ts';
import { ProcessLab } from './process-lab.ts';

/** A name of this process: its port comes from it, and an ordinary user may run this file at the same time. */
const SERVICE = `asked-${process.pid}@lab`;
const serving = (handler: string, at = '') =>
  `require('node:http').createServer(${handler}).listen(process.env.PORT${at})`;

describe('who answers for an instance', () => {
  let lab: ProcessLab;
  let runtime: ProcessRuntime;
  const foreign: Server[] = [];
  beforeEach(async () => {
    lab = await ProcessLab.new();
    runtime = await lab.open();
  });
  afterEach(async () => {
    for (const server of foreign.splice(0)) server.close();
    await runtime.close();
    await lab.end();
  });

  const apply = async (spec: Spec, web: string, more: Record<string, string> = {}) =>
    runtime.apply(
      {
        service: SERVICE,
        stamp: { revision: 1, attempt: 1, fence: '1' },
        artifact: await lab.keep({ 'web.js': web, ...more }),
        spec: { command: ['node', 'web.js'], port: 3000, replicas: 1, ...spec },
        accepts: [],
      },
      new AbortController().signal,
    );
  const until = (is: (report: Everything) => boolean) => observedUntil(runtime, is);
  const shows = (is: (instance: Instance) => boolean) => until(({ instances }) => instances.some(is));
  const ready = () =>
    until(
      ({ instances, services }) =>
        instances.length > 0 && instances.every((i) => i.ready) && services.every((s) => s.route?.answers),
    );
  const url = async () => (await observed(runtime)).services[0]?.urls?.at(-1) ?? '';
  const port = () => lab.record(SERVICE).instances[0]?.port ?? 0;
  const uid = () => lab.record(SERVICE).instances[0]?.uid ?? '';
  /** Another process on a port of the instance. */
  const squat = async (at: number, host: string) => {
    const server = createServer((_, res) => res.end('foreign'));
    foreign.push(server);
    await new Promise<void>((done) => server.listen({ port: at, host }, done));
  };

  it('finds a copy in an endless loop, and the router sends it nothing', async () => {
    const health = { intervalMs: 100, timeoutMs: 2_000 };
    const app = serving(
      `(q, s) => { if (q.url === '/spin') for (;;); s.end(process.env.EVIDENT_INSTANCE); }`,
    );
    await apply({ replicas: 3, health }, app);
    await ready();
    // With a body: no other copy gets the same request when this one is killed.
    const spinning = fetch(`${await url()}spin`, { method: 'POST', body: 'x' }).catch(() => null);
    const isHung = (i: Instance) => i.reason === 'not_answering';
    const report = await until(
      ({ instances }) => instances.some(isHung) && instances.filter((i) => i.ready).length === 2,
    );
    const answers = await Promise.all(
      Array.from({ length: 9 }, async () => (await fetch(await url())).text()),
    );
    expect(new Set(answers).size).toBe(2);
    lab.kill(report.instances.find(isHung) ?? { uid: '' });
    await spinning;
  });

  it('waits for an answer as long as the spec says, at the instance and at the route', async () => {
    const app = serving(`(q, s) => setTimeout(() => s.end(), 900)`);
    await runtime.close();
    // Shorter than the answer takes: only the spec's own timeout lets it pass.
    ({ runtime } = await lab.openWithRouter({ probeTimeoutMs: 100, probeEveryMs: 100, proveEveryMs: 100 }));
    await apply({ health: { path: '/', timeoutMs: 20_000 } }, app);
    await ready();
  });

  it('waits without a timeout in the spec for as long as an answer counts', async () => {
    const app = serving(`(q, s) => setTimeout(() => s.end(), 900)`);
    await runtime.close();
    ({ runtime } = await lab.openWithRouter({
      probeTimeoutMs: 100,
      probeEveryMs: 20_000,
      proveEveryMs: 100,
    }));
    await apply({}, app);
    await ready();
  });

  it('takes the listener of a child of its start script for its own, though that carries no mark', async () => {
    const script = 'env -i PATH="$PATH" PORT="$PORT" setsid node web.js & echo $! > "$HOME/pid"; wait';
    const app = serving('(q, s) => s.end(String(process.pid))');
    await apply({ command: ['sh', 'start.sh'] }, app, { 'start.sh': script });
    try {
      expect((await ready()).instances).toMatchObject([{ ready: true, reason: null }]);
    } finally {
      // It left the group and carries no mark: where nothing holds it, the lab does not find it.
      if (Containment.probe(lab.isolation).kind === 'none') {
        const [pid] = readFileSync(join(lab.dir, 'instances', uid(), 'pid'), 'utf8').split('\n');
        process.kill(Number(pid), 'SIGKILL');
      }
    }
  });

  it('sees another process take its port after it was ready (F118)', async () => {
    const app = `
      const server = require('node:http').createServer((q, s) =>
        s.end(() => q.url === '/leave' && (server.close(), server.closeAllConnections())));
      server.listen(process.env.PORT);
      setInterval(() => {}, 60_000);
    `;
    await apply({}, app);
    await ready();
    await fetch(`${await url()}leave`);
    await shows((i) => !i.ready);
    await squat(port(), '127.0.0.1');
    await shows((i) => i.reason === 'port_taken');
    expect((await observed(runtime)).services[0]?.route?.answers).toBe(false);
  });

  it.each([
    { own: '::1', other: '127.0.0.1' },
    { own: '127.0.0.1', other: '::1' },
  ])('answers at $own while another process has $other (F118)', async ({ own, other }) => {
    const app = `
      const server = require('node:http').createServer((q, s) => s.end('own'));
      process.on('SIGUSR2', () => server.listen(process.env.PORT, '${own}'));
      setInterval(() => {}, 60_000);
    `;
    await apply({}, app);
    await shows((i) => i.reason === 'not_listening');
    await squat(port(), other);
    await shows((i) => i.reason === 'port_taken');
    signalGroup(lab.record(SERVICE).instances[0]?.process?.pid ?? 0, 'SIGUSR2');
    await ready();
    expect(await (await fetch(await url())).text()).toBe('own');
  });

  it('names the ports on which an app listens instead of its own, until it listens there', async () => {
    const app = `
      const http = require('node:http');
      const listen = (port) => http.createServer((q, s) => s.end('own')).listen(port);
      listen(0);
      process.on('SIGUSR2', () => listen(process.env.PORT));
    `;
    await apply({}, app);
    const [wrong] = (await shows((i) => i.reason === 'wrong_port')).instances;
    const [listens] = wrong?.details?.listens ?? [];
    expect(wrong).toMatchObject({
      ready: false,
      details: { port: port() },
      message: `it listens on ${listens}, and not on port ${port()}, which it was given as PORT`,
    });
    expect(await (await fetch(`http://127.0.0.1:${listens}/`)).text()).toBe('own');
    signalGroup(lab.record(SERVICE).instances[0]?.process?.pid ?? 0, 'SIGUSR2');
    await ready();
  });

  it('tells an app at an address that nobody connects to from one on another port', async () => {
    await apply({}, serving(`(q, s) => s.end()`, `, '127.0.0.9'`));
    const [wrong] = (await shows((i) => i.reason === 'wrong_address')).instances;
    expect(wrong).toMatchObject({ ready: false, details: { port: port() } });
  });

  it('tells a health check that answers with an error from one that asks for patience', async () => {
    const app = serving(`(q, s) => { s.statusCode = 500; s.end(); }`);
    await apply({ health: { path: '/' } }, app);
    const [failing] = (await shows((i) => i.reason === 'health_error')).instances;
    expect(failing).toMatchObject({ ready: false, details: { status: 500 } });
  });

  it('asks a port that speaks no HTTP by connecting, and says so', async () => {
    const banner = `require('node:net').createServer((s) => { s.on('error', () => {}); s.end('220 mail ready\\r\\n'); }).listen(process.env.PORT)`;
    await apply({}, banner);
    const { services } = await ready();
    expect(services[0]?.route).toEqual({ answers: true, revision: 1, attempt: 1, by: 'connect' });
  });

  it('does not call an app ready that accepts and never answers, nor blames a health check', async () => {
    const silent = `require('node:net').createServer(() => {}).listen(process.env.PORT)`;
    await apply({ health: { timeoutMs: 200 } }, silent);
    const { instances } = await shows((i) => i.reason === 'not_answering');
    expect(instances).toMatchObject([{ ready: false, message: 'no answer to a request within 200 ms' }]);
  });
});
