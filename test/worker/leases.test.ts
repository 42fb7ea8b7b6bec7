import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { outsidePidWith } from '../runtime/outside-pid.ts';
import { claimUntil, ok } from '../server/parties.ts';
import { type Server, useServers } from '../server/servers.ts';
import {
  deploy,
  evidenceOf,
  HANGS,
  isAlive,
  lineOf,
  logOf,
  readyAt,
  SERVICE,
  useWorkers,
  type Worker,
} from './workers.ts';

/** Short where a test waits for the end of a lease. */
const TTL_MS = 4_000;
/** Longer than a test may take, where the lease must not end. */
const LONG_TTL_MS = 120_000;

describe('a worker in the middle of a build', () => {
  const servers = useServers();
  const workers = useWorkers(servers);
  const start = (ttlMs = TTL_MS) => servers.start({ args: ['--lease-ttl', String(ttlMs)] });

  /**
   * A worker that hangs in a build: its processes, one of which has left the group, and the flag that ends the
   * hang.
   */
  async function hanging(
    server: Server,
  ): Promise<{ worker: Worker; pids: number[]; flag: string; isGone: () => boolean }> {
    const worker = await workers.start(server);
    const flag = join(workers.newDir(), 'flag');
    await deploy(server.api, HANGS, { env: { FLAG: flag } });
    const [, one, two] = await lineOf(server.api, /pids (\d+) (\d+)/);
    const pids = [one, two].map((pid) =>
      outsidePidWith('HOME', (home) => home.startsWith(worker.data), Number(pid)),
    );
    expect(pids.every(isAlive)).toBe(true);
    return { worker, pids, flag, isGone: () => !pids.some(isAlive) };
  }

  /** Polls until it holds; the test's timeout is the limit. */
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((done) => setImmediate(done));
  };
  const placesOf = ({ data }: Worker) => readdirSync(join(data, 'worker/places'));

  it('obeys a cancel at once: every process of the build has ended when it acknowledges', {
    timeout: 60_000,
  }, async () => {
    const server = await start(LONG_TTL_MS);
    const { worker, isGone } = await hanging(server);
    ok(await server.api.post(`/v1/services/${SERVICE}/cancellations`, {}), 202);
    await claimUntil(server.api, SERVICE, ({ state }) => state === 'cancelled');
    expect(isGone()).toBe(true);
    expect(await evidenceOf(server.api, 'cancel.acknowledged')).toMatchObject([{ verdict: 'admitted' }]);
    await worker.until(/cancelled/);
    expect(placesOf(worker)).toEqual([]);
  });

  it('ends the build that a newer revision supersedes, and builds that revision', {
    timeout: 60_000,
  }, async () => {
    const server = await start(LONG_TTL_MS);
    const { worker, isGone, flag } = await hanging(server);
    await deploy(server.api, HANGS, { env: { FLAG: flag }, replicas: 2 });
    await until(isGone);
    await worker.until(/a newer revision has taken its place/);
    await readyAt(server.api, 2);
    expect(await evidenceOf(server.api, 'build.failed')).toEqual([]);
  });

  it('that is stopped releases its lease, and another worker builds at once', {
    timeout: 60_000,
  }, async () => {
    const server = await start(LONG_TTL_MS);
    const { worker, isGone } = await hanging(server);
    worker.process.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
    expect(isGone()).toBe(true);
    expect(await evidenceOf(server.api, 'command.released')).toHaveLength(1);
    expect(await evidenceOf(server.api, 'lease.lapsed')).toEqual([]);
    await workers.start(server, { name: 'builder-b' });
    await readyAt(server.api, 1);
  });

  it('that is killed is replaced by another; its next start ends the processes it left (F07)', {
    timeout: 60_000,
  }, async () => {
    const server = await start();
    const { worker, isGone, pids } = await hanging(server);
    const [place = ''] = placesOf(worker);
    expect(place).not.toBe('');
    worker.process.kill('SIGKILL');
    await worker.ended;
    await workers.start(server, { name: 'builder-b' });
    await readyAt(server.api, 1);
    const [stored] = await evidenceOf(server.api, 'artifact.stored');
    expect([stored.fence, stored.verdict]).toEqual(['2', 'admitted']);
    // No worker ran to end the processes: they live until one starts.
    expect(pids.every(isAlive)).toBe(true);
    const again = await workers.start(server, { data: worker.data });
    await again.until(/Removed what 1 build/);
    expect(isGone()).toBe(true);
  });

  it('that slept past its lease stops the build, and its evidence is rejected (F30)', {
    timeout: 60_000,
  }, async () => {
    const server = await start();
    const { worker, isGone } = await hanging(server);
    worker.process.kill('SIGSTOP');
    await workers.start(server, { name: 'builder-b' });
    await readyAt(server.api, 1);
    worker.process.kill('SIGCONT');
    await worker.until(/the lease is no longer ours/);
    expect(isGone()).toBe(true);
    const [stored, ...more] = await evidenceOf(server.api, 'artifact.stored');
    expect([stored.fence, more]).toEqual(['2', []]);
    expect((await claimUntil(server.api, SERVICE, () => true)).state).toBe('artifact_ready');
  });

  it('that cannot reach the server stops the build before its lease ends, and builds again when it can (F32)', {
    timeout: 90_000,
  }, async () => {
    // The worker stops 2 s before the end, and its processes have half a second to end by themselves; the rest is
    // for a slow machine.
    const ttlMs = 2 * TTL_MS;
    const server = await start(ttlMs);
    const { worker, isGone, flag } = await hanging(server);
    const lastContact = performance.now();
    server.process.kill('SIGKILL');
    await server.ended;
    await until(isGone);
    // The last heartbeat cannot have been sent later than the server was killed.
    expect(performance.now() - lastContact).toBeLessThan(ttlMs);
    await worker.until(/Trying again until it does/);
    await worker.until(/the lease is no longer ours/);
    expect(existsSync(flag)).toBe(true);
    const port = new URL(server.api.address).port;
    const { api } = await servers.start({
      data: server.data,
      args: ['--port', port, '--lease-ttl', String(ttlMs)],
    });
    await readyAt(api, 1);
    expect(worker.output().match(/Trying again until it does/g)).toHaveLength(1);
    expect(worker.output()).toContain('The server answers again');
  });

  it('continues its build while the server is away for less than its lease', {
    timeout: 90_000,
  }, async () => {
    const server = await servers.start({ args: ['--lease-ttl', '60000'] });
    await workers.start(server);
    const gate = join(workers.newDir(), 'gate');
    const files = {
      'package.json': JSON.stringify({ scripts: { build: 'node build.js', start: 'node build.js' } }),
      'build.js': `
        const { existsSync } = require('node:fs');
        console.log('waiting');
        const timer = setInterval(() => existsSync(process.env.GATE) && clearInterval(timer), 50);
        process.on('exit', () => console.log('went on'));
      `,
    };
    await deploy(server.api, files, { env: { GATE: gate } });
    await lineOf(server.api, /waiting/);
    server.process.kill('SIGKILL');
    await server.ended;
    writeFileSync(gate, '');
    const port = new URL(server.api.address).port;
    const { api } = await servers.start({
      data: server.data,
      args: ['--port', port, '--lease-ttl', '60000'],
    });
    await readyAt(api, 1);
    const [stored] = await evidenceOf(api, 'artifact.stored');
    expect(stored.fence).toBe('1');
    expect(await logOf(api)).toContain('went on');
  });
});
