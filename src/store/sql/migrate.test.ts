import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import { COLUMNS, sqlName } from '../columns.ts';
import { PostgresStore } from '../postgres/store.ts';
import type { Table } from '../schema.ts';
import { Connection } from '../sqlite/connection.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { type Migration, SQLITE_TYPES } from './migrations/types.ts';

const TABLES = Object.keys(COLUMNS) as Table[];
const more: Migration = { name: '9999-more', statements: ({ text }) => [`CREATE TABLE more (a ${text})`] };

describe('migrations on SQLite', () => {
  let dir: string;
  let db: Connection;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'evident-migrate-'));
    db = new Connection(join(dir, 'a.db'));
  });
  afterEach(() => {
    db.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const run = (migrations: readonly Migration[]) => migrate(db, SQLITE_TYPES, 1, migrations);

  it('run once each, in order, and say which they were', async () => {
    expect(await run(MIGRATIONS)).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(await run(MIGRATIONS)).toEqual([]);
    expect(await run([...MIGRATIONS, more])).toEqual(['9999-more']);
  });

  it('make the columns that the rows have, and no others', async () => {
    await run(MIGRATIONS);
    for (const table of TABLES) {
      const columns = db.all(`SELECT name FROM pragma_table_info('${sqlName(table)}')`).map(([name]) => name);
      expect(columns.toSorted(), table).toEqual(Object.keys(COLUMNS[table]).map(sqlName).toSorted());
    }
  });

  it('refuse a database that is newer, and change nothing', async () => {
    await run([...MIGRATIONS, more]);
    await expect(run(MIGRATIONS)).rejects.toThrow(
      /newer than this version.*9999-more.*Start the newer version/,
    );
  });

  it('refuse a database that another edition of the same migration made', async () => {
    await run([more]);
    const edited: Migration = { ...more, statements: () => ['CREATE TABLE more (b TEXT)'] };
    await expect(run([edited])).rejects.toThrow(/another edition of 9999-more/);
  });
});

describeWithPostgres('migrations on PostgreSQL', (newUrl) => {
  it('are safe for several starters at once, and make the same columns', async () => {
    const url = await newUrl();
    const stores = await Promise.all(Array.from({ length: 4 }, () => PostgresStore.open(url)));
    for (const store of stores) await store.close();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(
      `SELECT table_name || '.' || column_name AS c FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'migrations'`,
    );
    await client.end();
    const expected = TABLES.flatMap((t) => Object.keys(COLUMNS[t]).map((c) => `${sqlName(t)}.${sqlName(c)}`));
    expect(rows.map(({ c }) => c).toSorted()).toEqual(expected.toSorted());
  });
});
