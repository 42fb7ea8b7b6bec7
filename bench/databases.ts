import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { newDatabase, startPostgres } from '../lab/postgres.ts';
import { type Host, sharingHost } from '../src/evidence/door/host.ts';
import { DEFAULT_SETTINGS, type Settings } from '../src/projection/facts.ts';
import { beat } from '../src/repair/beat.ts';
import type { ClosableStore, Store } from '../src/store/port.ts';
import { PostgresStore } from '../src/store/postgres/store.ts';
import { SqliteStore } from '../src/store/sqlite/store.ts';

/** One kind of database to measure on, with the settings that production has: every commit reaches the disk. */
export interface BenchDatabase {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** An empty store. `where` is its URL or its directory, for whoever works beside the store. */
  create(label: string): Promise<string>;
  open(where: string, clock?: () => number): Promise<ClosableStore>;
}

export interface BenchDatabases {
  readonly sqlite: BenchDatabase;
  /** Null, and why: no PostgreSQL is here. */
  readonly postgres: BenchDatabase | null;
  readonly why: string;
  close(): Promise<void>;
}

export async function openDatabases(): Promise<BenchDatabases> {
  const dir = mkdtempSync(join(tmpdir(), 'evident-bench-'));
  // Flushing stays on. A filled table must not bring a checkpoint into what is measured after it.
  const found = await startPostgres(['max_wal_size=4GB', 'checkpoint_timeout=30min']);
  const newUrl = (label: string) => {
    if (!found.ok) throw new Error(found.why);
    return newDatabase(found.cluster.url, `bench_${label}`);
  };
  const sqlite: BenchDatabase = {
    name: 'SQLite',
    create: async (label) => join(dir, label),
    open: (where, clock) => SqliteStore.open(where, clock ? { clock } : {}),
  };
  const postgres: BenchDatabase = {
    name: 'PostgreSQL',
    create: newUrl,
    open: (where, clock) => PostgresStore.open(where, clock ? { clock } : {}),
  };
  return {
    sqlite,
    postgres: found.ok ? postgres : null,
    why: found.ok ? '' : found.why,
    close: async () => {
      if (found.ok) await found.cluster.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Analyzes the tables, as the database does by itself within a minute of their growth: that minute is not measured. */
export async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('ANALYZE');
  await client.end();
}

/** The number of transactions that a database has committed; each connection reports its own within a second. */
export async function committed(url: string): Promise<number> {
  await new Promise((soon) => setTimeout(soon, 1_100));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: string }>(
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  await client.end();
  return Number(rows[0]?.count);
}

export const databasesOf = ({ sqlite, postgres }: BenchDatabases): readonly BenchDatabase[] =>
  postgres === null ? [sqlite] : [sqlite, postgres];

const HOUR_MS = 3_600_000;
/** Long times, so that nothing lapses or falls silent during a measurement: no round may depend on the one before. */
const SETTINGS: Settings = {
  ...DEFAULT_SETTINGS,
  freshForMs: HOUR_MS,
  leaseTtlMs: HOUR_MS,
  offerMs: HOUR_MS,
  blindAfterMs: HOUR_MS,
};

/** A platform in one process, as a server has it: who calls at the same time shares transactions. */
export function platformOn(store: Store): Host {
  return sharingHost(store, SETTINGS);
}

export interface LivePlatform extends Host {
  close(): Promise<void>;
}

/** A store in use: with a server that beats every second, as in production. */
export async function openPlatform(database: BenchDatabase, where: string): Promise<LivePlatform> {
  const store = await database.open(where);
  const platform = platformOn(store);
  await beat(platform, 'bench');
  let beating = Promise.resolve();
  const timer = setInterval(() => {
    beating = beating.then(() => beat(platform, 'bench'));
  }, 1_000);
  return {
    ...platform,
    close: async () => {
      clearInterval(timer);
      await beating;
      await store.close();
    },
  };
}

export const createPlatform = async (database: BenchDatabase, label: string): Promise<LivePlatform> =>
  openPlatform(database, await database.create(label));
