import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { removeDirectory } from '../../lab/remove-directory.ts';
import { bundleIfStale } from '../../scripts/bundle.mjs';
import { signal } from '../../src/runtime/process/proc.ts';
import { describeWithPostgres } from '../lab.ts';
import { Api } from './api.ts';
import { DescriptionCheck } from './description-check.ts';

export interface Server {
  readonly process: ChildProcess;
  readonly api: Api;
  readonly data: string;
  /** The exit code or signal of the process, and its stderr. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly errors: string;
  }>;
}

export interface Servers {
  /**
   * Starts a ready server in a process of its own, with a new data directory and database. With `data` of another
   * server it has that one's database too; `beside` another it has its own data directory and shares the database
   * and the directory of files.
   */
  start(options?: {
    readonly data?: string;
    readonly beside?: Server;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }): Promise<Server>;
  newData(beside?: string): Promise<string>;
  /** The bundle that all of them are started from. */
  program(): string;
  /** Runs another command of the program to its end. */
  run(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): { code: number | null; out: string; err: string };
  /** Starts another command of the program, which is killed with the test. */
  launch(args: readonly string[], env?: Readonly<Record<string, string>>): Launched;
  /** Starts a server without waiting until it is ready. */
  spawn(data: string, args?: readonly string[]): Omit<Server, 'api'> & { readonly ready: Promise<string> };
}

/** A process of the program, and its output. */
export interface Launched {
  readonly process: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  output(): string;
  /** Resolves when either of its outputs matches. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

const TIMES = ['--fresh-for', '5000', '--report-every', '500', '--lease-ttl', '20000'];

/** Starts real processes of the program, which live as long as their test. */
export function useServers(newUrl: (() => Promise<string>) | null = null, keep = false): Servers {
  let program = '';
  /** Each data directory with the arguments of its database. */
  const dirs = new Map<string, readonly string[]>();
  const alive = new Set<ChildProcess>();
  beforeAll(async () => {
    // The set-up builds the bundle once for all files; it is built again only after an edit.
    program = await bundleIfStale('evident');
  }, 60_000);
  const end = async () => {
    const ending = [...alive].map((child) => new Promise((done) => child.once('close', done)));
    for (const child of alive) child.kill('SIGKILL');
    await Promise.all(ending);
  };
  if (!keep) afterEach(end);
  afterAll(async () => {
    await end();
    for (const dir of dirs.keys()) await endRouters(dir);
    for (const dir of dirs.keys()) await removeDirectory(dir);
  });

  const newData = async (beside?: string) => {
    const dir = mkdtempSync(join(tmpdir(), 'evident-server-'));
    const shared = beside === undefined ? undefined : dirs.get(beside);
    const own = async () => (newUrl === null ? [] : ['--database', await newUrl()]);
    dirs.set(dir, shared === undefined ? await own() : withFiles(shared, beside ?? ''));
    return dir;
  };
  const start = (data: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) => {
    const all = [
      program,
      'server',
      '--data',
      data,
      '--port',
      '0',
      '-o',
      'json',
      ...TIMES,
      ...(dirs.get(data) ?? []),
      ...args,
    ];
    const child = spawn(process.execPath, all, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, EVIDENT_LOG: 'warn', ...env },
    });
    alive.add(child);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const ended = new Promise<{ code: number | null; signal: string | null; errors: string }>((done) => {
      child.once('close', (code, signal) => {
        alive.delete(child);
        done({ code, signal, errors });
      });
    });
    const ready = new Promise<string>((done, fail) => {
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('\n')) done((JSON.parse(output) as { api: string }).api);
      });
      void ended.then(({ errors }) => fail(new Error(`the server ended: ${errors}`)));
    });
    ready.catch(() => {});
    return { process: child, data, ended, ready };
  };
  return {
    newData,
    program: () => program,
    run: (args, env) => {
      const done = spawnSync(process.execPath, [program, ...args], {
        encoding: 'utf8',
        env: { ...process.env, ...env },
      });
      return { code: done.status, out: done.stdout, err: done.stderr };
    },
    launch: (args, env = {}) => {
      const child = spawn(process.execPath, [program, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
      });
      alive.add(child);
      let output = '';
      const outputs = new EventEmitter().setMaxListeners(0);
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          outputs.emit('text');
        });
      const ended = new Promise<{ code: number | null; signal: string | null }>((done) => {
        child.once('close', (code, signal) => {
          alive.delete(child);
          done({ code, signal });
          outputs.emit('text');
        });
      });
      const until = async (pattern: RegExp) => {
        for (;;) {
          const found = pattern.exec(output);
          if (found !== null) return found;
          if (child.exitCode !== null) throw new Error(`it ended, and said: ${output}`);
          await once(outputs, 'text');
        }
      };
      return { process: child, ended, output: () => output, until };
    },
    spawn: start,
    start: async ({ data, beside, args = [], env = {} } = {}) => {
      const dir = data ?? (await newData(beside?.data));
      const { ready, ...server } = start(dir, args, env);
      const address = await ready;
      const token = readFileSync(join(dir, 'admin-token'), 'utf8').trim();
      const { body } = await new Api(address, token).get('/openapi.json');
      return { ...server, api: new Api(address, token, new DescriptionCheck(body)) };
    },
  };
}

/** Ends the routers that agents left, also one that is just being started and has recorded nothing yet. */
async function endRouters(data: string): Promise<void> {
  const routers = () =>
    readdirSync('/proc').filter((pid) => {
      const words = wordsOf(pid);
      return words.includes('router') && words.includes(data);
    });
  for (const pid of routers()) signal(Number(pid), 'SIGKILL');
  while (routers().length > 0) await wait(20);
}

function wordsOf(pid: string): readonly string[] {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') : [];
  } catch {
    return [];
  }
}

/** The first server's files are in its data directory. */
const withFiles = (args: readonly string[], files: string) =>
  args.includes('--files') ? args : [...args, '--files', files];

/** Runs the same suite against servers on SQLite and on PostgreSQL. */
export function describeServers(
  name: string,
  suite: (servers: Servers, database: 'sqlite' | 'postgres') => void,
  keep = false,
): void {
  describe(`${name}, on SQLite`, () => suite(useServers(null, keep), 'sqlite'));
  describeWithPostgres(`${name}, on PostgreSQL`, (newUrl) => suite(useServers(newUrl, keep), 'postgres'));
}
