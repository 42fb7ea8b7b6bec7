import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type pg from 'pg';

/** The newest that still run on Node 20. */
const VERSIONS = { 'graphile-worker': '0.17.3', 'pg-boss': '10.4.2' } as const;
type Name = keyof typeof VERSIONS;

/**
 * Rivals are dependencies of one benchmark. They are not in package.json, so that nobody else waits for their 73
 * packages; they are fetched from the registry on first use, into a folder that goes with node_modules.
 */
const CACHE = resolve('node_modules/.cache/bench-rivals');

export type Rivals =
  | { readonly ok: true; readonly graphile: GraphileWorker; readonly boss: PgBossConstructor }
  | { readonly ok: false; readonly why: string };

export function loadRivals(say: (line: string) => void): Rivals {
  const missing = (Object.keys(VERSIONS) as Name[]).filter((name) => installed(name) !== VERSIONS[name]);
  if (missing.length > 0) {
    const wanted = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
    say(`installing ${wanted.join(' and ')} to measure beside, once`);
    mkdirSync(CACHE, { recursive: true });
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock', '--loglevel=error'];
    const run = spawnSync('npm', ['install', '--prefix', CACHE, ...flags, ...wanted], {
      encoding: 'utf8',
      timeout: 120_000,
    });
    if (run.status !== 0)
      return { ok: false, why: (run.stderr || run.error?.message || 'npm failed').trim().slice(0, 300) };
  }
  const load = createRequire(join(CACHE, 'package.json'));
  return { ok: true, graphile: load('graphile-worker'), boss: load('pg-boss') };
}

function installed(name: Name): string | null {
  const file = join(CACHE, 'node_modules', name, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : null;
}

// The parts of each that the benchmark uses.

export interface GraphileWorker {
  makeWorkerUtils(options: { pgPool: pg.Pool }): Promise<{
    migrate(): Promise<void>;
    addJobs(jobs: readonly { identifier: string; payload: object }[]): Promise<unknown>;
    release(): Promise<void>;
  }>;
  run(options: {
    pgPool: pg.Pool;
    concurrency: number;
    noHandleSignals: boolean;
    pollInterval: number;
    taskList: Readonly<Record<string, () => Promise<void>>>;
    logger: unknown;
    events: NodeJS.EventEmitter;
  }): Promise<{ stop(): Promise<void> }>;
  readonly Logger: new (factory: () => () => void) => unknown;
}

export type PgBossConstructor = new (options: {
  connectionString: string;
  max: number;
  supervise: boolean;
  schedule: boolean;
}) => PgBoss;

export interface PgBoss {
  on(event: 'error', listener: () => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean; wait: boolean }): Promise<void>;
  createQueue(name: string): Promise<void>;
  insert(jobs: readonly { name: string; data: object }[]): Promise<unknown>;
  fetch(name: string): Promise<readonly { id: string }[]>;
  complete(name: string, id: string): Promise<unknown>;
}
