import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Spec } from '../../src/contract/intent.ts';
import type { Instance } from '../../src/contract/report.ts';
import { type Everything, observed, observedUntil } from '../../src/runtime/conformance.ts';
import { Containment } from '../../src/runtime/process/containment.ts';
import { INSTANCE_VARIABLE } from '../../src/runtime/process/environment.ts';
import { identify, isAlive, markedWith, type ProcessId, statOf } from '../../src/runtime/process/proc.ts';
import type { ProcessRuntime } from '../../src/runtime/process/runtime.ts';
import { isFree } from '../../src/runtime/supervise/free-port.ts';
import type { InstanceRecord } from '../../src/runtime/supervise/record.ts';
import { outsidePid } from './outside-pid.ts';
import { ProcessLab } from './process-lab.ts';

/** A name of this process: its port comes from it, and an ordinary user may run this file at the same time. */
const SERVICE = `web-${process.pid}@lab`;
const signal = new AbortController().signal;

describe('the process runtime', () => {
  let lab: ProcessLab;
  let runtime: ProcessRuntime;
  let bystander: ChildProcess | null = null;
  beforeEach(async () => {
    lab = await ProcessLab.new();
    runtime = await lab.open();
  });
  afterEach(async () => {
    bystander?.kill('SIGKILL');
    bystander = null;
    await runtime.close();
    await lab.end();
  });

  const apply = async (revision: number, spec: Spec, files?: Record<string, string>) => {
    const { artifact, spec: web } = await lab.app('web');
    return runtime.apply(
      {
        service: SERVICE,
        stamp: { revision, attempt: 1, fence: '1' },
        artifact: files === undefined ? artifact : await lab.keep(files),
        spec: { ...web, ...spec },
        accepts: [],
      },
      signal,
    );
  };
  const until = (is: (report: Everything) => boolean) => observedUntil(runtime, is);
  const shows = (is: (instance: Instance) => boolean) => until(({ instances }) => instances.some(is));
  const ready = () =>
    until(
      ({ instances, services }) =>
        instances.length > 0 &&
        instances.every((i) => i.ready) &&
        services.every((s) => s.route == null || s.route.answers),
    );
  const request = async (path = '/') => {
    const url = (await observed(runtime)).services[0]?.urls?.at(-1) ?? '';
    const answer = (await (await fetch(new URL(path, url))).json()) as {
      instance: string;
      pid: number;
      revision: string;
      env: Record<string, string>;
    };
    return { ...answer, pid: outsidePid(answer.instance, answer.pid) };
  };
  /** The process that an instance is known by: the app itself, or the first one in its namespace. */
  const leaderOf = (pid: number) => (lab.isApart ? (statOf(pid)?.parent ?? 0) : pid);
  /** The first instance's process, once it is on record: that may be after its app answers. */
  const recordedProcess = () =>
    vi.waitFor(
      () => {
        const id = lab.record(SERVICE).instances[0]?.process ?? null;
        if (id === null) throw new Error('no process is on record');
        return id;
      },
      { timeout: 30_000 },
    );
  /** Changes the record on disk, as only a fault could. */
  const rewrite = (change: (instance: InstanceRecord<ProcessId>) => InstanceRecord<ProcessId>) => {
    const record = lab.record(SERVICE);
    writeFileSync(
      join(lab.dir, 'services', `${SERVICE}.json`),
      JSON.stringify({ ...record, instances: record.instances.map(change) }),
    );
  };
  const reopen = async () => {
    runtime = await lab.open();
  };

  describe('adoption', () => {
    it('never mistakes another process for its own, though it has the pid', async () => {
      await apply(1, {});
      await ready();
      const { pid } = await request();
      await runtime.close();
      bystander = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
      const other = identify(bystander.pid ?? 0);
      if (other === null) throw new Error('no bystander');
      rewrite((i) => ({ ...i, process: { ...other, startTicks: i.process?.startTicks ?? '' } }));
      process.kill(pid, 'SIGKILL');
      await reopen();
      const report = await ready();
      expect(report.instances).toMatchObject([{ restarts: 1, ready: true }]);
      expect((await request()).pid).not.toBe(other.pid);
      await runtime.remove(SERVICE, { revision: 2, attempt: 1, fence: '1' }, signal);
      expect(isAlive(other)).toBe(true);
    });

    it('finds by its mark a process that was started and never recorded', async () => {
      await apply(1, {});
      await ready();
      const { pid } = await request();
      await runtime.close();
      rewrite((i) => ({ ...i, process: null, startedAt: null }));
      await reopen();
      expect((await ready()).instances).toMatchObject([{ restarts: 0, ready: true }]);
      expect((await request()).pid).toBe(pid);
    });

    it('ends a process that was started here and has no record', async () => {
      await apply(1, {});
      await ready();
      const id = await recordedProcess();
      await runtime.close();
      rmSync(join(lab.dir, 'services', `${SERVICE}.json`));
      await reopen();
      expect(isAlive(id)).toBe(false);
      expect(lab.lines.join()).toContain(String(id.pid));
    });

    it('records that an exit was unobserved, or due to a reboot', async () => {
      await apply(1, { command: ['sleep', '600'], port: null });
      await ready();
      const id = await recordedProcess();
      await runtime.close();
      process.kill(id.pid, 'SIGKILL');
      await reopen();
      expect((await shows((i) => i.restarts === 1)).instances).toHaveLength(1);
      expect(lab.record(SERVICE).instances[0]?.lastExit).toEqual({ kind: 'unwatched' });
      await ready();
      const again = await recordedProcess();
      await runtime.close();
      rewrite((i) => ({ ...i, process: i.process && { ...i.process, boot: 'another' } }));
      process.kill(again.pid, 'SIGKILL');
      await reopen();
      expect(lab.record(SERVICE).instances[0]?.lastExit).toEqual({ kind: 'rebooted' });
    });

    it('completes a stop that was interrupted', async () => {
      await apply(1, { command: ['sleep', '600'], port: null });
      await ready();
      const id = await recordedProcess();
      await runtime.close();
      rewrite((i) => ({ ...i, retiring: true }));
      await reopen();
      await until(({ instances }) => instances.length === 1 && instances.every((i) => i.ready));
      expect(isAlive(id)).toBe(false);
    });

    it('reads and writes the same record as the versions before it', async () => {
      await apply(1, {});
      await ready();
      const { pid } = await request();
      const { launches, ...record } = lab.record(SERVICE);
      expect(Object.keys(record)).toEqual([
        ...['version', 'service', 'wanted', 'removed', 'serving', 'fallback', 'doubted', 'routePort'],
        ...['instances', 'ordinals'],
      ]);
      expect(Object.keys(record.instances[0] ?? {}).sort()).toEqual([
        ...['artifact', 'lastExit', 'name', 'ordinal', 'port', 'process', 'restarts', 'retiring'],
        ...['shortLives', 'stamp', 'startedAt', 'uid'],
      ]);
      expect(record.instances[0]?.process).toEqual({
        pid: leaderOf(pid),
        startTicks: expect.stringMatching(/^\d+$/),
        boot: expect.any(String),
      });
      await runtime.close();
      // Records from before a route could fall back have neither of these fields.
      const { fallback, doubted, ...older } = record;
      writeFileSync(join(lab.dir, 'services', `${SERVICE}.json`), JSON.stringify({ ...older, launches }));
      await reopen();
      expect((await ready()).instances).toMatchObject([{ restarts: 0, ready: true }]);
      expect((await request()).pid).toBe(pid);
    });

    it('keeps the port of a service', async () => {
      await apply(1, {});
      const before = (await ready()).services[0]?.urls?.at(-1);
      await runtime.close();
      await reopen();
      expect((await observed(runtime)).services[0]?.urls?.at(-1)).toBe(before);
    });

    it('refuses to open over a record that it cannot read, with a sentence', async () => {
      await apply(1, { command: ['sleep', '600'], port: null });
      await ready();
      await runtime.close();
      const path = join(lab.dir, 'services', `${SERVICE}.json`);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.slice(0, 50));
      await expect(lab.open()).rejects.toMatchObject({ name: 'RecordRefused' });
      writeFileSync(path, text);
      await reopen();
    });
  });

  describe('secrets and the environment (S15)', () => {
    const env = { PLAIN: 'shown', TOKEN: { secret: 'hush-4711' } };

    it('gives the app the variables of the spec and none of ours', async () => {
      process.env.EVIDENT_TOKEN = 'of the agent';
      try {
        await apply(1, { env });
        await ready();
        const { env: report } = await request('/env');
        expect(report).toMatchObject({
          PLAIN: 'shown',
          TOKEN: 'hush-4711',
          PORT: expect.stringMatching(/^\d+$/),
          EVIDENT_SERVICE: SERVICE,
          EVIDENT_REVISION: '1',
          EVIDENT_ATTEMPT: '1',
          EVIDENT_FENCE: '1',
        });
        expect(report).not.toHaveProperty('EVIDENT_TOKEN');
        expect(Object.keys(report).filter((name) => name.startsWith('VITEST'))).toEqual([]);
      } finally {
        delete process.env.EVIDENT_TOKEN;
      }
    });

    it('shows a secret in no report, no argument, no log line, and in no file that others may read', async () => {
      await apply(1, { env });
      const report = await ready();
      const { pid } = await request();
      expect(JSON.stringify(report)).not.toContain('hush');
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('hush');
      expect(lab.lines.join()).not.toContain('hush');
      const holding = filesIn(lab.dir).filter(({ text }) => text.includes('hush'));
      expect(holding.length).toBeGreaterThan(0);
      for (const { mode } of holding) expect(mode & 0o077).toBe(0);
      await runtime.remove(SERVICE, { revision: 2, attempt: 1, fence: '1' }, signal);
      expect(filesIn(lab.dir).filter(({ text }) => text.includes('hush'))).toEqual([]);
    });

    it('refuses a command that would put a secret into its arguments', async () => {
      expect(await apply(1, { env, command: 'node web.js --token=$TOKEN' })).toMatchObject({
        kind: 'refused',
        code: 'secret_in_arguments',
      });
    });

    it('expands variables in the words of a command, its port among them', async () => {
      await apply(1, { command: 'sh -c "exec node web.js" $PORT "$PLAIN"', env });
      await ready();
      const { pid } = await request();
      const recorded = () => lab.record(SERVICE).instances[0];
      await expect.poll(() => recorded()?.process?.pid, { timeout: 30_000 }).toBe(leaderOf(pid));
      expect(recorded()?.port).toBeGreaterThan(0);
    });
  });

  describe('observation', () => {
    it('distinguishes a signal from an exit', async () => {
      await apply(1, {});
      await ready();
      process.kill((await request()).pid, 'SIGKILL');
      const report = await shows((i) => i.phase === 'exited');
      expect(report.instances[0]).toMatchObject({
        reason: 'signalled',
        message: 'killed by SIGKILL',
        ready: false,
      });
    });

    it('reports a failed probe with the status of the health path', async () => {
      const server = `require('node:http').createServer((q, s) => { s.statusCode = q.url === '/up' ? 503 : 200; s.end(); }).listen(process.env.PORT)`;
      await apply(1, { health: { path: '/up' } }, { 'web.js': server });
      const bad = await shows((i) => i.reason === 'probe_failed');
      expect(bad.instances[0]).toMatchObject({
        phase: 'running',
        ready: false,
        message: 'the health check answered 503',
      });
      await apply(2, { health: { path: '/' } }, { 'web.js': server });
      await until(({ instances }) => instances.length === 1 && instances.every((i) => i.ready));
    });

    it('reports an app that hangs as not ready', async () => {
      await apply(1, { health: { path: '/', timeoutMs: 100 } });
      const uid = (await ready()).instances[0]?.uid ?? '';
      // Not by a request: on a busy machine it may miss its 100 ms, and the router gives it none.
      lab.suspend({ uid });
      expect((await shows((i) => i.reason === 'not_answering')).instances[0]?.message).toContain(
        'within 100 ms',
      );
      lab.resume({ uid });
      await ready();
    });

    it('reports another process on its port as not ready, however it answers (S1)', async () => {
      await apply(1, { command: ['sleep', '600'] });
      await shows((i) => i.reason === 'not_listening');
      const port = lab.record(SERVICE).instances[0]?.port ?? 0;
      const other = createServer((_, res) => res.end()).listen(port, '127.0.0.1');
      try {
        const report = await shows((i) => i.reason === 'port_taken');
        expect(report.instances[0]).toMatchObject({
          ready: false,
          message: expect.stringContaining(`another process listens on port ${port}`),
        });
        expect(await isFree(port)).toBe(false);
      } finally {
        other.close();
      }
    });

    it('finds an app that listens on IPv6 only', async () => {
      const server = `require('node:http').createServer((q, s) => s.end()).listen(process.env.PORT, '::1')`;
      await apply(1, {}, { 'web.js': server });
      await ready();
    });
  });

  describe('stopping', () => {
    it('ends the helpers of an app with it, whether it is stopped or ends by itself', async () => {
      await apply(1, { command: ['sh', '-c', 'sleep 600 & sleep 600'], port: null });
      await ready();
      const [uid] = lab.record(SERVICE).instances.map((i) => i.uid);
      const group = () => markedWith(INSTANCE_VARIABLE).filter((found) => found.value === uid);
      await expect.poll(() => group().length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
      const leader = group().find((found) => found.group === found.id.pid);
      const helpers = group().filter((found) => found !== leader);
      process.kill(leader?.id.pid ?? 0, 'SIGKILL');
      await shows((i) => i.restarts === 1);
      expect(helpers.filter(({ id }) => isAlive(id))).toEqual([]);
      await runtime.remove(SERVICE, { revision: 2, attempt: 1, fence: '1' }, signal);
      expect(group()).toEqual([]);
    });

    it('ends also processes that have left its group', async () => {
      const daemon = `require('node:child_process').spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }); setInterval(() => {}, 1000)`;
      await apply(1, { command: ['node', 'web.js'], port: null }, { 'web.js': daemon });
      const [uid] = (await observed(runtime)).instances.map((i) => i.uid);
      const all = () => markedWith(INSTANCE_VARIABLE).filter((found) => found.value === uid);
      while (new Set(all().map(({ group }) => group)).size < 2)
        await new Promise((done) => setImmediate(done));
      await runtime.remove(SERVICE, { revision: 2, attempt: 1, fence: '1' }, signal);
      // Killed processes disappear as soon as the kernel has reaped them.
      while (all().length > 0) await new Promise((done) => setImmediate(done));
    });

    describe.skipIf(Containment.probe().kind === 'none')('a daemon, as nginx makes one (F117)', () => {
      // Another session, another group, another parent, and nothing of its environment.
      const seconds = `614.${process.pid}`;
      const daemonize = `env -i setsid sleep ${seconds} >/dev/null 2>&1 &`;
      const daemons = () =>
        readdirSync('/proc').filter((pid) => {
          try {
            return (
              /^\d+$/.test(pid) &&
              readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`sleep\0${seconds}`)
            );
          } catch {
            return false;
          }
        });
      const remove = () => runtime.remove(SERVICE, { revision: 2, attempt: 1, fence: '1' }, signal);

      it('ends with its instance, and absence is claimed when it is gone', async () => {
        await apply(1, { command: ['sh', '-c', `${daemonize} exec sleep 600`], port: null });
        await ready();
        while (daemons().length === 0) await new Promise((done) => setImmediate(done));
        expect(await remove()).toEqual({ contained: true });
        expect(daemons()).toEqual([]);
      });

      it('is not left behind by a start that ends, nor by one after the other', async () => {
        await apply(1, { command: ['sh', '-c', `${daemonize} sleep 0.05`], port: null });
        await shows((i) => i.restarts >= 3);
        expect(daemons().length).toBeLessThanOrEqual(1);
        await remove();
        expect(daemons()).toEqual([]);
      });

      it('ends also when another agent has taken the instance over', async () => {
        await apply(1, { command: ['sh', '-c', `${daemonize} exec sleep 600`], port: null });
        await ready();
        while (daemons().length === 0) await new Promise((done) => setImmediate(done));
        const [before] = (await observed(runtime)).instances;
        await runtime.close();
        expect(daemons()).toHaveLength(1);
        await reopen();
        expect((await ready()).instances).toMatchObject([{ uid: before?.uid, restarts: 0 }]);
        await remove();
        expect(daemons()).toEqual([]);
      });

      it('of an instance that nothing held is not spoken of, though the next is held', async () => {
        await runtime.close();
        ({ runtime } = await lab.openWithRouter({}, Containment.NONE));
        await apply(1, { command: ['sh', '-c', 'exec sleep 600'], port: null });
        await ready();
        await runtime.close();
        await reopen();
        await ready();
        expect(await remove()).toEqual({ contained: false });
        await runtime.close();
        await reopen();
        await apply(3, { command: ['sh', '-c', 'exec sleep 600'], port: null });
        await ready();
        expect(
          await runtime.remove(SERVICE, { revision: 4, attempt: 1, fence: '1' }, signal),
          'until the machine is started anew',
        ).toEqual({ contained: false });
      });

      it('of the same service at another place, where nothing is held, is none of ours', async () => {
        const other = await ProcessLab.new();
        const { runtime: theirs } = await other.openWithRouter({}, Containment.NONE);
        try {
          const { artifact, spec } = await other.app('worker');
          const stamp = { revision: 1, attempt: 1, fence: '1' };
          await theirs.apply({ service: SERVICE, stamp, artifact, spec, accepts: [] }, signal);
          await observedUntil(theirs, ({ instances }) => instances.some((i) => i.ready));
          await apply(1, { command: ['sleep', '600'], port: null });
          await ready();
          await runtime.close();
          await reopen();
          expect(await remove()).toEqual({ contained: true });
        } finally {
          await theirs.close();
          await other.end();
        }
      });

      it('of an instance that is on no record ends when the place is opened', async () => {
        await apply(1, { command: ['sh', '-c', `${daemonize} exec sleep 600`], port: null });
        await ready();
        while (daemons().length === 0) await new Promise((done) => setImmediate(done));
        await runtime.close();
        rmSync(join(lab.dir, 'services', `${SERVICE}.json`));
        await reopen();
        expect(daemons()).toEqual([]);
      });
    });

    it('kills a process that ignores SIGTERM', async () => {
      await apply(1, { command: ['sh', '-c', 'trap "" TERM; while :; do sleep 1; done'], port: null });
      await ready();
      await runtime.remove(SERVICE, { revision: 2, attempt: 1, fence: '1' }, signal);
      expect((await observed(runtime)).instances).toEqual([]);
    });

    it('completes a request that is in progress', async () => {
      const server = `require('node:http').createServer((q, s) => { if (q.url === '/slow') { s.write('be'); setTimeout(() => s.end('gun'), 600); } else s.end(); }).listen(process.env.PORT)`;
      await apply(1, {}, { 'web.js': server });
      await ready();
      const url = (await observed(runtime)).services[0]?.urls?.at(-1) ?? '';
      const answer = await fetch(`${url}slow`);
      const removed = runtime.remove(SERVICE, { revision: 2, attempt: 1, fence: '1' }, signal);
      expect(await answer.text()).toBe('begun');
      await removed;
    });
  });

  it('starts nothing when the lease ends while the artifact is fetched', async () => {
    const lease = new AbortController();
    const { artifact, spec } = await lab.app('web');
    lab.fetching = () => lease.abort(new Error('lapsed'));
    const stamp = { revision: 1, attempt: 1, fence: '1' };
    const order = { service: SERVICE, stamp, artifact, spec, accepts: [] };
    await expect(runtime.apply(order, lease.signal)).rejects.toThrow('lapsed');
    expect((await observed(runtime)).instances).toEqual([]);
    expect(existsSync(join(lab.dir, 'services', `${SERVICE}.json`))).toBe(false);
    expect(readdirSync(join(lab.dir, 'artifacts'))).toEqual([]);
    lab.fetching = () => {};
    expect((await runtime.apply(order, signal)).kind).toBe('applied');
    await ready();
  });

  it('unpacks a digest once, and removes it when nothing needs it', async () => {
    await apply(1, { replicas: 2 });
    await ready();
    await apply(2, {});
    await until(
      ({ instances }) => instances.length === 1 && instances.every((i) => i.ready && i.revision === 2),
    );
    expect(lab.fetched).toBe(1);
    const artifacts = lab.artifactsOf(SERVICE);
    const [digest = ''] = readdirSync(artifacts);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    await runtime.remove(SERVICE, { revision: 3, attempt: 1, fence: '1' }, signal);
    while (existsSync(join(artifacts, digest))) await new Promise((done) => setImmediate(done));
  });

  it('gives each replica a port of its own', async () => {
    await apply(1, { replicas: 4 });
    await until(({ instances }) => instances.filter((i) => i.ready).length === 4);
    expect(new Set(lab.record(SERVICE).instances.map((i) => i.port)).size).toBe(4);
  });

  it('spreads the pauses between restarts of a crashing app', async () => {
    await apply(1, { command: ['sh', '-c', 'echo again; exit 1'], port: null });
    await shows((i) => i.reason === 'crash_loop' && i.restarts >= 4);
    const [output] = runtime.outputs();
    const lines = (await output?.read(100)) ?? [];
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, n) => n + 1));
  });

  it('leaves processes running when it is closed', async () => {
    await apply(1, {});
    await ready();
    const { pid } = await request();
    await runtime.close();
    expect(identify(pid)).not.toBeNull();
    await reopen();
    expect((await request()).pid).toBe(pid);
  });
});

/** Every file with its content; one that is being replaced exists under its other name. */
function filesIn(dir: string): { text: string; mode: number }[] {
  return readdirSync(dir, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    try {
      return entry.isFile() ? [{ text: readFileSync(path, 'latin1'), mode: statSync(path).mode }] : [];
    } catch {
      return [];
    }
  });
}
