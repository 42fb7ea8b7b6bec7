import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import { COLUMNS, sqlName } from '../columns.ts';
import { FOUND_APART } from '../postgres/dialect.ts';
import { PostgresStore } from '../postgres/store.ts';
import type { Table } from '../schema.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { migrate } from './migrate.ts';
import { schemaOf } from './migrated-schema.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { type Migration, POSTGRES_TYPES, SQLITE_TYPES } from './migrations/types.ts';

const TABLES = Object.keys(COLUMNS) as Table[];
/** Edits of the schema, and the refusal of the next start. */
const EDITS: readonly (readonly [string, RegExp])[] = [
  [
    `DELETE FROM migrations WHERE name = '0005-retention'`,
    /has the column retention\.org, but no record of 0005-retention.*Restore a backup/,
  ],
  [`DELETE FROM migrations`, /has the column heads\.org, but no record of 0001-ledger.*Restore a backup/],
  [`DROP TABLE migrations`, /no record of 0001-ledger/],
  [`DELETE FROM migrations WHERE name = '0007-bytes'`, /has the index attempts_by_artifact, but no record/],
  [`DROP TABLE alarms`, /lacks the table alarms.*Nothing was changed\. Restore a backup/],
  [`ALTER TABLE spans DROP COLUMN complete_at`, /lacks the column spans\.complete_at/],
  [
    `DROP INDEX services_by_birth`,
    /lacks the index services_by_birth.*Make it again: CREATE INDEX services_by_birth ON/,
  ],
];
/** Additions of others that are allowed. */
const ADDED = [
  'CREATE TABLE notes (a integer NOT NULL)',
  'ALTER TABLE services ADD COLUMN foo integer',
  `ALTER TABLE services ADD COLUMN bar integer NOT NULL DEFAULT 7`,
  'CREATE INDEX services_by_foo ON services (foo)',
];
const more: Migration = { name: '9999-more', statements: ({ text }) => [`CREATE TABLE more (a ${text})`] };

describe('migrations on SQLite', () => {
  let dir: string;
  let db: SqliteConnection;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'evident-migrate-'));
    db = new SqliteConnection(join(dir, 'a.db'));
  });
  afterEach(() => {
    db.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const run = (migrations: readonly Migration[]) => migrate(db, SQLITE_TYPES, 1, migrations);

  it('run once each, in order, and return which they were', async () => {
    expect(await run(MIGRATIONS)).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(await run(MIGRATIONS)).toEqual([]);
    expect(await run([...MIGRATIONS, more])).toEqual(['9999-more']);
  });

  it('create the columns of the rows, and no others', async () => {
    await run(MIGRATIONS);
    for (const table of TABLES) {
      const columns = db.all(`SELECT name FROM pragma_table_info('${sqlName(table)}')`).map(([name]) => name);
      expect(columns.toSorted(), table).toEqual(Object.keys(COLUMNS[table]).map(sqlName).toSorted());
    }
  });

  it('refuse a newer database, and change nothing', async () => {
    await run([...MIGRATIONS, more]);
    await expect(run(MIGRATIONS)).rejects.toThrow(
      /newer than this version.*9999-more.*Start the newer version/,
    );
  });

  it('refuse a database created by another edition of the same migration', async () => {
    await run([more]);
    const edited: Migration = { ...more, statements: () => ['CREATE TABLE more (b TEXT)'] };
    await expect(run([edited])).rejects.toThrow(/another edition of 9999-more/);
  });

  it('give the same schema in both databases, but for what rows are found by', () => {
    const { columns, keys, indexes } = schemaOf(MIGRATIONS, SQLITE_TYPES);
    for (const table of TABLES)
      expect([...(columns.get(sqlName(table))?.keys() ?? [])].toSorted(), table).toEqual(
        Object.keys(COLUMNS[table]).map(sqlName).toSorted(),
      );
    expect(columns.size).toBe(TABLES.length);
    const other = schemaOf(MIGRATIONS, POSTGRES_TYPES);
    for (const [table, expected] of columns)
      expect([...(other.columns.get(table)?.keys() ?? [])], table).toEqual([...expected.keys()]);
    const apart = [...FOUND_APART.values()].map(({ table }) => table);
    expect([...other.keys].filter(([table]) => !apart.includes(table))).toEqual([...keys]);
    expect(keys.size).toBe(TABLES.length);
    const own = [...other.indexes].filter(
      ([, statement]) => !apart.some((table) => statement.includes(table)),
    );
    const moved = [...indexes.keys()].filter((index) => !other.indexes.has(index));
    expect(own.map(([index]) => index)).toEqual(
      [...indexes.keys()].filter((index) => !moved.includes(index)),
    );
    expect(moved).toEqual(['services_awaiting', 'services_due', 'services_by_state']);
  });

  it.each(EDITS)('refuse a schema that was edited: %s', async (edit, message) => {
    await run(MIGRATIONS);
    db.exec(edit);
    await expect(run(MIGRATIONS)).rejects.toThrow(message);
    await expect(run(MIGRATIONS)).rejects.toMatchObject({ name: 'SchemaRefused' });
  });

  it('name all edits at once', async () => {
    await run(MIGRATIONS);
    db.exec('DROP TABLE alarms; DROP TABLE links; DROP INDEX services_by_birth');
    await expect(run(MIGRATIONS)).rejects.toThrow(
      /lacks the table alarms, lacks the table links, lacks the index services_by_birth.*Restore a backup.*Make it again/,
    );
  });

  it('refuse a foreign column that every row must fill', async () => {
    await run(MIGRATIONS);
    db.exec(
      'DROP TABLE beats; CREATE TABLE beats (server TEXT NOT NULL, at INTEGER NOT NULL, files TEXT, foo TEXT NOT NULL, PRIMARY KEY (server))',
    );
    await expect(run(MIGRATIONS)).rejects.toThrow(/a column beats\.foo that is not ours.*Drop beats\.foo/);
  });

  it('refuse a column of another type, and another key', async () => {
    await run(MIGRATIONS);
    db.exec(
      'DROP TABLE beats; CREATE TABLE beats (server TEXT NOT NULL, at TEXT NOT NULL, files TEXT, PRIMARY KEY (at))',
    );
    await expect(run(MIGRATIONS)).rejects.toThrow(
      /has TEXT in the column beats\.at, which is INTEGER, has the key \(at\) in the table beats, which is \(server\)/,
    );
  });

  it('leave added tables and columns alone', async () => {
    await run(MIGRATIONS);
    for (const sql of ADDED) db.exec(sql);
    expect(await run(MIGRATIONS)).toEqual([]);
  });
});

describeWithPostgres('migrations on PostgreSQL', (newUrl) => {
  it('are safe for several starters at once, and create the same columns', async () => {
    const url = await newUrl();
    const stores = await Promise.all(Array.from({ length: 4 }, () => PostgresStore.open(url)));
    for (const store of stores) await store.close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      `SELECT table_name || '.' || column_name AS c FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migrations'`,
    );
    await client.end();
    const apart = [...FOUND_APART.values()].flatMap(({ table, key, holds }) =>
      [...key, ...holds].map((column) => `${table}.${column}`),
    );
    const own = TABLES.flatMap((t) => Object.keys(COLUMNS[t]).map((c) => `${sqlName(t)}.${sqlName(c)}`));
    const expected = [...own, ...apart];
    expect(rows.map(({ c }) => c).toSorted()).toEqual(expected.toSorted());
  });

  const editing = async (edits: readonly string[]): Promise<string> => {
    const url = await newUrl();
    await (await PostgresStore.open(url)).close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    for (const edit of edits) await client.query(edit);
    await client.end();
    return url;
  };

  it.each(EDITS)('refuse a schema that was edited: %s', async (edit, message) => {
    const url = await editing([edit]);
    await expect(PostgresStore.open(url)).rejects.toThrow(message);
    await expect(PostgresStore.open(url)).rejects.toMatchObject({ name: 'SchemaRefused' });
  });

  it.each([
    [
      'ALTER TABLE beats ALTER COLUMN at TYPE text',
      /has text COLLATE "default" in the column beats\.at, which is bigint/,
    ],
    [
      'ALTER TABLE heads ALTER COLUMN position TYPE numeric(5)',
      /has numeric\(5\) in the column heads\.position/,
    ],
    ['ALTER TABLE heads ALTER COLUMN org TYPE text', /has text COLLATE "default" in the column heads\.org/],
    [
      'ALTER TABLE beats DROP CONSTRAINT beats_pkey',
      /has the key \(\) in the table beats, which is \(server\)/,
    ],
    [
      'ALTER TABLE ledger SET UNLOGGED',
      /a table ledger that a crash would empty.*ALTER TABLE ledger SET LOGGED/,
    ],
    [
      'CREATE RULE none AS ON INSERT TO ledger DO INSTEAD NOTHING',
      /something else where ledger is written.*Drop the rule none of ledger/,
    ],
  ])('refuse an object that has only the right name: %s', async (edit, message) => {
    await expect(PostgresStore.open(await editing([edit]))).rejects.toThrow(message);
  });

  it('refuse a foreign column that every row must fill, and leave other additions alone', async () => {
    const url = await editing(['ALTER TABLE beats ADD COLUMN foo text NOT NULL']);
    await expect(PostgresStore.open(url)).rejects.toThrow(
      /a column beats\.foo that is not ours.*Drop beats\.foo/,
    );
    await (await PostgresStore.open(await editing(ADDED))).close();
  });
});
