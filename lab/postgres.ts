import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { installPackage } from './install.ts';

/** A PostgreSQL for tests: how to reach it, and how it ends. */
export interface Cluster {
  readonly url: string;
  /** Null where it was given by EVIDENT_TEST_DATABASE_URL and is not ours to stop or kill. */
  readonly own: OwnCluster | null;
  stop(): Promise<void>;
}

export interface OwnCluster {
  readonly dir: string;
  /** The cluster's files. While it is halted they may be copied, put back or damaged. */
  readonly data: string;
  readonly port: number;
  pid(): number;
  /** A clean stop that keeps the files. */
  halt(): Promise<void>;
  /** Starts it again, this once with further settings. */
  go(settings?: readonly string[]): Promise<void>;
  /** Ends every process of it at once, as a crash of its machine does. */
  kill(): Promise<void>;
  /** Stops every process of it in the middle of what it does: it holds its connections and answers nobody. */
  freeze(): void;
  thaw(): void;
}

export type PostgresStart =
  | { readonly ok: true; readonly cluster: Cluster }
  | { readonly ok: false; readonly why: string };

const MISSING =
  'PostgreSQL is not here: install it (Debian: apt-get install postgresql), put initdb on the PATH, or set EVIDENT_TEST_DATABASE_URL';

/**
 * A cluster of its own on a free loopback port, as an unprivileged user, in a directory that goes with it. Commits
 * are not flushed to the disk: killing a process loses nothing by that, and no test pulls the plug.
 */
export async function startPostgres(extra: readonly string[] = ['fsync=off']): Promise<PostgresStart> {
  const given = process.env.EVIDENT_TEST_DATABASE_URL;
  if (given) return { ok: true, cluster: { url: given, own: null, stop: async () => {} } };
  const bin = findBinaries() ?? installBinaries();
  if (bin === null) return { ok: false, why: MISSING };
  const user = unprivileged();
  if (user === null)
    return {
      ok: false,
      why: 'PostgreSQL refuses to run as root, and there is no user `postgres` to run it as',
    };

  const dir = mkdtempSync(join(tmpdir(), 'evident-postgres-'));
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid ?? user.uid);
  const data = join(dir, 'data');
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-A', 'trust', '-E', 'UTF8', '--locale=C', '-U', 'evident', '--no-sync'],
    {
      ...user,
      encoding: 'utf8',
    },
  );
  if (made.status !== 0) {
    rmSync(dir, { recursive: true, force: true });
    return { ok: false, why: `initdb failed: ${made.stderr || made.error?.message}` };
  }
  const port = await freePort();
  const start = (more: readonly string[] = []) =>
    spawn(
      join(bin, 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        '-k',
        dir,
        '-c',
        'listen_addresses=127.0.0.1',
        ...[...extra, ...more].flatMap((o) => ['-c', o]),
      ],
      { ...user, stdio: 'ignore' },
    );
  let server = start();
  const url = `postgres://evident@127.0.0.1:${port}/postgres`;
  const halt = async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    if (server.exitCode === null && server.kill('SIGINT')) await ended;
  };
  const go = async (settings: readonly string[] = []) => {
    server = start(settings);
    if (!(await answers(url))) throw new Error(`postgres did not answer on 127.0.0.1:${port} within 30 s`);
  };
  const pid = () => server.pid ?? 0;
  const signal = (name: NodeJS.Signals) => {
    // The postmaster first: nothing new begins while the others end.
    const all = server.exitCode === null ? [pid(), ...childrenOf(pid())] : [];
    for (const one of all)
      try {
        process.kill(one, name);
      } catch (error) {
        // A connection that has just ended took its process with it.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
  };
  const stop = async () => {
    signal('SIGCONT');
    await halt();
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', () => {
    server.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  if (!(await answers(url))) {
    await stop();
    return { ok: false, why: `postgres did not answer on 127.0.0.1:${port} within 30 s` };
  }
  const kill = async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    const isUp = server.exitCode === null && server.signalCode === null;
    signal('SIGKILL');
    if (isUp) await ended;
  };
  const freeze = () => signal('SIGSTOP');
  const thaw = () => signal('SIGCONT');
  return { ok: true, cluster: { url, own: { dir, data, port, pid, halt, go, kill, freeze, thaw }, stop } };
}

/** An empty database in the cluster. */
export async function newDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await client.query(`CREATE DATABASE "${name}"`);
  } finally {
    await client.end();
  }
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

const childrenOf = (pid: number): number[] =>
  spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean)
    .map(Number);

function findBinaries(): string | null {
  const root = '/usr/lib/postgresql';
  const packaged = existsSync(root)
    ? readdirSync(root)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(root, version, 'bin'))
    : [];
  const path = (process.env.PATH ?? '').split(delimiter);
  return (
    [...packaged, ...path].find(
      (dir) => existsSync(join(dir, 'initdb')) && existsSync(join(dir, 'postgres')),
    ) ?? null
  );
}

function installBinaries(): string | null {
  installPackage('postgresql');
  return findBinaries();
}

function unprivileged(): { uid?: number; gid?: number } | null {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim() || Number.NaN);
  const [uid, gid] = [id('-u'), id('-g')];
  return Number.isNaN(uid) ? null : { uid, gid };
}

async function answers(url: string): Promise<boolean> {
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return false;
}
