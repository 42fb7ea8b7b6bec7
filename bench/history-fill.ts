import { join } from 'node:path';
import pg from 'pg';
import { isAdmitted, ledgerAfter } from '../src/evidence/past/ledger-pages.ts';
import { DEFAULT_SETTINGS, NOTHING_PROVEN } from '../src/projection/facts.ts';
import { fold } from '../src/projection/fold.ts';
import { intact, isIntact } from '../src/store/broken-row.ts';
import { COLUMNS, type ColumnKind, sqlName } from '../src/store/columns.ts';
import type { Store } from '../src/store/port.ts';
import type { CheckpointRow, Table } from '../src/store/schema.ts';
import { SqliteConnection } from '../src/store/sqlite/connection.ts';
import { type BenchDatabase, platformOn } from './databases.ts';
import { deploySource } from './life.ts';

export const ORG = 'history';
export const HISTORY_SERVICE = 'app@lab';
const YEAR_MS = 365 * 24 * 3_600_000;
/** Positions that one superseded revision takes: its intent, and the transition that it brought. */
const POSITIONS = 2;

export interface Filled {
  readonly where: string;
  /** An instant in the middle of the history. */
  readonly middle: number;
}

/**
 * One service with a year of `revisions`, of which each superseded the one before. The first and the last two are
 * deployed by the verb, in a ledger that leaves room for the others; those are copies of the last but one, written
 * by the database itself.
 */
export async function fillHistory(
  database: BenchDatabase,
  label: string,
  revisions: number,
): Promise<Filled> {
  const where = await database.create(label);
  const end = Date.now() - 60_000;
  const begin = end - YEAR_MS;
  let now = begin;
  const store = await database.open(where, () => now);
  const host = platformOn(store);
  const last = revisions - 1;
  await deploySource(host, ORG, HISTORY_SERVICE);
  const first = await store.transact(async (tx) => {
    const head = intact(await tx.lock('heads', { org: ORG }));
    if (head === undefined) throw new Error('the first deployment left no head');
    const position = String(Number(head.position) + POSITIONS * (last - 2));
    await tx.update('heads', { org: ORG }, {}, { position });
    await tx.update('services', { org: ORG, service: HISTORY_SERVICE }, {}, { newest: last - 1 });
    return Number(head.position);
  });
  now = end;
  await deploySource(host, ORG, HISTORY_SERVICE);
  await deploySource(host, ORG, HISTORY_SERVICE);
  await store.close();
  const between = { first, last, begin, step: Math.floor((end - begin) / revisions) };
  if (database.name === 'SQLite') fillSqlite(where, between);
  else await fillPostgres(where, between);
  const filled = await database.open(where, () => end);
  await layCheckpoints(filled, DEFAULT_SETTINGS.checkpointEvery);
  await filled.close();
  return { where, middle: begin + between.step * Math.floor(revisions / 2) };
}

/** Writes the checkpoints that the door would have left on the way: the facts folded so far, every so many rows. */
async function layCheckpoints(store: Store, every: number): Promise<void> {
  const laid: CheckpointRow[] = [];
  await store.read(async (tx) => {
    let proven = NOTHING_PROVEN;
    let count = 0;
    for await (const row of ledgerAfter(tx, ORG, HISTORY_SERVICE)) {
      if (!isIntact(row) || !isAdmitted(row)) continue;
      proven = fold(proven, row);
      const { position, receivedAt } = row;
      if (++count % every === 0)
        laid.push({ org: ORG, service: HISTORY_SERVICE, position, receivedAt, proven });
    }
  });
  while (laid.length > 0) {
    const some = laid.splice(0, 500);
    await store.transact(async (tx) => {
      for (const row of some) await tx.append('checkpoints', row);
    });
  }
}

/** The copied revisions are 2 to `last - 1`; the one they are copied from is `last`. */
interface Between {
  /** The last position before them. */
  readonly first: number;
  readonly last: number;
  readonly begin: number;
  readonly step: number;
}

const TABLES = ['revisions', 'attempts', 'commands', 'ledger', 'transitions'] as const;

/** The columns in which a copy of revision `n` differs from its original. */
function copies(
  table: (typeof TABLES)[number],
  { first, last, begin, step }: Between,
  digits: (n: string) => string,
) {
  const position = `(${first} + ${POSITIONS} * (n - 2) + ${table === 'transitions' ? 2 : 1})`;
  const evidence = `(${first} + ${POSITIONS} * (n - 2) + 1)`;
  const at = `(${begin} + ${step} * n)`;
  const named = (column: string) => `replace(x."${column}", '.r${last}.', '.r' || n || '.')`;
  const changed: Readonly<Record<string, string>> = {
    revision: 'n',
    position: digits(position),
    created_at: at,
    started_at: at,
    ended_at: at,
    available_at: at,
    received_at: at,
    at,
    id: table === 'ledger' ? `'e' || ${evidence}` : named('id'),
    evidence: `'e' || ${evidence}`,
    // In revisions and attempts it is the start command of the app.
    ...(isText(table, 'command') ? { command: named('command') } : {}),
  };
  const columns = columnsOf(table);
  const picked = columns.map((name) => changed[name] ?? `x."${name}"`).join(', ');
  const from = `FROM ${table} AS x, g WHERE x.org = '${ORG}' AND x.service = '${HISTORY_SERVICE}' AND x.revision = ${last}`;
  return `INSERT INTO ${table} (${columns.map((c) => `"${c}"`).join(', ')}) SELECT ${picked} ${from}`;
}

function isText(table: Table, column: string): boolean {
  const kinds: Readonly<Record<string, ColumnKind>> = COLUMNS[table];
  return kinds[column] === 'text';
}

const columnsOf = (table: Table) => Object.keys(COLUMNS[table]).map(sqlName);

async function fillPostgres(url: string, between: Between): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SET maintenance_work_mem = '256MB'");
    const g = `WITH g AS (SELECT generate_series(2::bigint, ${between.last - 1}) AS n)`;
    for (const table of TABLES) {
      // Indexes that are made afterwards are made many times faster, and are the same.
      const { rows } = await client.query<{ name: string; def: string }>(
        `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS def FROM pg_index
         WHERE indrelid = $1::regclass AND NOT indisprimary`,
        [table],
      );
      for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
      await client.query(`${g} ${copies(table, between, (n) => n)}`);
      for (const { def } of rows) await client.query(def);
    }
    await client.query('VACUUM ANALYZE');
  } finally {
    await client.end();
  }
}

function fillSqlite(dir: string, between: Between): void {
  const db = new SqliteConnection(join(dir, 'evident.db'));
  const g = `WITH RECURSIVE g(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM g WHERE n < ${between.last - 1})`;
  const digits = (n: string) => `printf('%02d%d', length(printf('%d', ${n})), ${n})`;
  try {
    db.exec('PRAGMA synchronous = OFF');
    for (const table of TABLES) db.exec(`${g} ${copies(table, between, digits)}`);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}
