import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SENT_LINE_CHARS } from '../contract/log-limits.ts';
import { DependencyCache, dependencyKey } from './dependency-cache.ts';
import { buildEnvironment } from './environment.ts';
import { Lines } from './lines.ts';
import type { BuildFailure } from './recipe.ts';
import { type LogSink, runStep } from './run-step.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-step-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

class Log implements LogSink {
  readonly lines: string[] = [];
  readonly waited: (() => void)[] = [];
  roomFor = Number.POSITIVE_INFINITY;
  push(line: string): boolean {
    this.lines.push(line);
    return this.lines.length < this.roomFor;
  }
  room(): Promise<void> {
    return this.lines.length < this.roomFor
      ? Promise.resolve()
      : new Promise((done) => this.waited.push(done));
  }
}

const homeOf = (pid: string) =>
  /(?:^|\0)HOME=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
const isAlive = (pid: number) => {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const run = (script: string, log: LogSink = new Log(), signal = new AbortController().signal) =>
  runStep(
    { name: 'the step', argv: [process.execPath, '-e', script], failure: 'build_command_failed' },
    { dir, env: { PATH: process.env.PATH ?? '', HOME: join(dir, 'home') }, log, signal },
  );

describe('a step', () => {
  it('prints its lines, whatever bytes they contain', async () => {
    const log = new Log();
    await run('process.stdout.write("one\\ntwo\\r\\n50%\\r100%\\nlast")', log);
    expect(log.lines).toEqual(['one', 'two', '50%\r100%', 'last']);
  });

  it('leaves no process running, also none that left its group', async () => {
    const log = new Log();
    await run(
      `const { spawn } = require('node:child_process');
       for (const detached of [true, false]) {
         const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached, stdio: 'inherit' });
         console.log(child.pid);
         child.unref();
       }
       process.exit(0);`,
      log,
    );
    expect(log.lines).toHaveLength(2);
    expect(log.lines.map(Number).filter(isAlive)).toEqual([]);
  });

  it('ends with its worker, though nothing holds its processes together', { timeout: 60_000 }, async () => {
    const idle = 'setInterval(() => {}, 1000)';
    const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(idle)}]); ${idle}`;
    const module = new URL('./run-step.ts', import.meta.url).href;
    const worker = spawn(
      process.execPath,
      [
        ...['--import', 'tsx/esm', '--input-type=module', '-e'],
        `import { runStep } from ${JSON.stringify(module)};
         const log = { push: (line) => (console.log(line), true), room: async () => {} };
         const argv = [process.execPath, '-e', process.argv[1]];
         await runStep({ name: 'the step', argv, failure: 'build_command_failed' },
           { dir: process.argv[2], env: { PATH: process.env.PATH, HOME: process.argv[2] }, log, signal: new AbortController().signal });`,
        script,
        dir,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const ofStep = () =>
      readdirSync('/proc').filter((pid) => {
        try {
          return /^\d+$/.test(pid) && isAlive(Number(pid)) && homeOf(pid) === dir;
        } catch {
          return false;
        }
      });
    try {
      await vi.waitFor(() => expect(ofStep().length).toBeGreaterThan(1), { timeout: 30_000 });
      worker.kill('SIGKILL');
      await vi.waitFor(() => expect(ofStep()).toEqual([]), { timeout: 20_000 });
    } finally {
      worker.kill('SIGKILL');
      for (const pid of ofStep()) process.kill(Number(pid), 'SIGKILL');
    }
  });

  it.each([
    [
      'left the group and changes its home',
      true,
      'home',
      // Reacts to the signal and not to a delay, which on a busy machine may pass before anything is checked.
      `trap 'trap "" TERM; HOME=/other exec sleep 1000' TERM; while :; do sleep 0.05; done`,
    ],
    [
      'is of the group and has another home',
      false,
      'home',
      `export HOME=/other; trap "" TERM; sleep 1000; :`,
    ],
    ['left the group, with a home that is not ASCII', true, 'josé', `exec sleep 1000`],
  ])('leaves nothing behind that %s', async (_what, detached, name, script) => {
    const log = new Log();
    const home = join(dir, name);
    const start = `
      const { spawn } = require('node:child_process');
      const child = spawn('sh', ['-c', ${JSON.stringify(script)}], { detached: ${detached}, stdio: 'ignore' });
      console.log(child.pid);
      setTimeout(() => process.exit(0), 100);`;
    await runStep(
      { name: 'the step', argv: [process.execPath, '-e', start], failure: 'build_command_failed' },
      {
        dir,
        env: { PATH: process.env.PATH ?? '', HOME: home },
        log,
        signal: new AbortController().signal,
      },
    );
    expect(log.lines).toHaveLength(1);
    expect(log.lines.map(Number).filter(isAlive)).toEqual([]);
  });

  it('ends with all its processes at the abort signal, though they ignore SIGTERM', async () => {
    const stop = new AbortController();
    const log = new Log();
    const reason = new Error('enough');
    log.push = (line) => {
      log.lines.push(line);
      stop.abort(reason);
      return true;
    };
    const running = run(
      'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log(process.pid)',
      log,
      stop.signal,
    );
    await expect(running).rejects.toBe(reason);
    expect(isAlive(Number(log.lines[0]))).toBe(false);
  });

  it('fails with its exit code and its last lines', async () => {
    const failure = await run('console.error("so it is"); process.exit(7)').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'build_command_failed', exitCode: 7 });
    expect((failure as BuildFailure).message).toContain('so it is');
    await expect(run('process.kill(process.pid, "SIGKILL")')).rejects.toThrow('SIGKILL');
    await expect(
      run('console.log("ENOSPC: no space left on device"); process.exit(1)'),
    ).rejects.toMatchObject({
      code: 'builder_disk_full',
    });
    const missing = { name: 'x', argv: ['no-such-tool'], failure: 'build_failed' } as const;
    const around = { dir, env: { PATH: '/usr/bin' }, log: new Log(), signal: new AbortController().signal };
    await expect(runStep(missing, around)).rejects.toMatchObject({ code: 'tool_missing' });
  });

  it('waits while its log has no room: the pipe holds its output, not our memory', async () => {
    const log = new Log();
    log.roomFor = 10;
    const running = run('for (let i = 0; i < 200_000; i++) console.log("line " + i)', log);
    // More lines than fit can arrive only after the log has room again.
    while (log.waited.length === 0) await new Promise((done) => setImmediate(done));
    const held = log.lines.length;
    expect(held).toBeLessThan(100_000);
    log.roomFor = Number.POSITIVE_INFINITY;
    for (const go of log.waited) go();
    await running;
    expect(log.lines).toHaveLength(200_000);
  });
});

it('a line without an end is cut, and the next one begins after its end (F89)', () => {
  const lines: string[] = [];
  const cut = new Lines((line) => lines.push(line));
  for (let n = 0; n < 40; n++) cut.push(Buffer.alloc(1024, 'x'));
  cut.push(Buffer.from('ü\n').subarray(0, 1));
  cut.push(Buffer.from('ü\n').subarray(1));
  cut.push(Buffer.from('next\nlast'));
  cut.end();
  expect(lines).toEqual(['x'.repeat(SENT_LINE_CHARS), 'next', 'last']);
});

it('a build has the variables of the machine that it needs, and of the worker those it may have (S15)', () => {
  const own = { PATH: '/bin:relative', EVIDENT_TOKEN: 't', AWS_SECRET: 's', HTTPS_PROXY: 'p' };
  const env = buildEnvironment({
    home: '/h',
    own,
    pass: ['HTTPS_PROXY', 'EVIDENT_TOKEN'],
    caches: {},
    spec: { HOME: '/elsewhere', MODE: 'm' },
  });
  expect(env).toMatchObject({ HOME: '/h', MODE: 'm', HTTPS_PROXY: 'p', CI: '1' });
  expect(
    Object.keys(env)
      .filter((name) => name in own)
      .sort(),
  ).toEqual(['HTTPS_PROXY', 'PATH']);
  expect(env.PATH).not.toContain('relative');
});

describe('kept dependencies', () => {
  const never = new AbortController().signal;
  const folder = (name: string, text: string) => {
    mkdirSync(join(dir, name), { recursive: true });
    writeFileSync(join(dir, name, 'dep.js'), text);
    symlinkSync('dep.js', join(dir, name, 'link'));
    return join(dir, name);
  };

  it('are complete or absent, also when two builds keep them at once', async () => {
    const cache = new DependencyCache(join(dir, 'cache'));
    const key = 'a'.repeat(64);
    expect(await cache.restore(key, join(dir, 'none'), never)).toBe(false);
    expect(existsSync(join(dir, 'none'))).toBe(false);
    const from = folder('one', 'x');
    await Promise.all([cache.keep(key, from, never), cache.keep(key, folder('two', 'x'), never)]);
    expect(await cache.restore(key, join(dir, 'again'), never)).toBe(true);
    expect(readFileSync(join(dir, 'again/link'), 'utf8')).toBe('x');
    // A build may change its own copy.
    writeFileSync(join(dir, 'again/dep.js'), 'changed');
    expect(await cache.restore(key, join(dir, 'third'), never)).toBe(true);
    expect(readFileSync(join(dir, 'third/dep.js'), 'utf8')).toBe('x');
    // A cancel ends the copying, and leaves nothing half copied.
    const reason = new Error('enough');
    await expect(cache.restore(key, join(dir, 'fourth'), AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(cache.keep('b'.repeat(64), from, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(existsSync(join(dir, 'fourth'))).toBe(false);
    expect(readdirSync(join(dir, 'cache'))).toEqual([key]);
  });

  it('of the newest lock files stay, the others are removed', async () => {
    const cache = new DependencyCache(join(dir, 'cache'));
    const from = folder('one', 'x');
    for (const digit of '12345') await cache.keep(digit.repeat(64), from, never);
    const found = await Promise.all(
      [...'12345'].map((digit) => cache.restore(digit.repeat(64), join(dir, `out-${digit}`), never)),
    );
    expect(found).toEqual([false, false, true, true, true]);
  });

  it('are found by their inputs', () => {
    writeFileSync(join(dir, 'package-lock.json'), '1');
    const install = { folder: 'node_modules', keys: ['package-lock.json', '.npmrc'] };
    const key = () => dependencyKey(dir, install, [['npm', 'ci']]);
    const first = key();
    expect(key()).toBe(first);
    writeFileSync(join(dir, 'package-lock.json'), '2');
    const second = key();
    writeFileSync(join(dir, '.npmrc'), '');
    expect(new Set([first, second, key()]).size).toBe(3);
  });
});
