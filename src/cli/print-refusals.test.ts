import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../../test/lab.ts';
import { PostgresConnection } from '../store/postgres/connection.ts';
import { PostgresStore } from '../store/postgres/store.ts';
import { migrate } from '../store/sql/migrate.ts';
import { MIGRATIONS } from '../store/sql/migrations/index.ts';
import { POSTGRES_TYPES, SQLITE_TYPES } from '../store/sql/migrations/types.ts';
import { SqliteConnection } from '../store/sqlite/connection.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import { openExisting } from './print-refusals.ts';

const OLDER = new RegExp(
  `older than this version of Evident: it lacks ${MIGRATIONS.at(-1)?.name}\\. Nothing was changed\\. Start the server`,
);

describe('an existing store, on SQLite', () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'evident-existing-'));
  });
  afterEach(() => rmSync(data, { recursive: true }));

  async function tables(): Promise<readonly unknown[]> {
    const db = new SqliteConnection(join(data, 'evident.db'));
    const names = db.all(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`);
    db.close();
    return names.flat();
  }

  it('is opened', async () => {
    await (await SqliteStore.open(data)).close();
    await (await openExisting({ data })).close();
  });

  it('is not created from an empty file', async () => {
    writeFileSync(join(data, 'evident.db'), '');
    await expect(openExisting({ data })).rejects.toThrow(
      /is empty\. Nothing was changed\. Is it the right one\?/,
    );
    expect(await tables()).toEqual([]);
  });

  it('is not upgraded', async () => {
    const db = new SqliteConnection(join(data, 'evident.db'));
    await migrate(db, SQLITE_TYPES, 1, MIGRATIONS.slice(0, -1));
    db.close();
    const before = await tables();
    await expect(openExisting({ data })).rejects.toThrow(OLDER);
    expect(await tables()).toEqual(before);
    await (await SqliteStore.open(data)).close();
    await (await openExisting({ data })).close();
  });
});

describeWithPostgres('an existing store, on PostgreSQL', (newUrl) => {
  async function query(database: string, sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    const { rows } = await client.query(sql);
    await client.end();
    return rows;
  }
  const tables = (database: string) =>
    query(database, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`);

  it('is not created in an empty database, nor in one of another program', async () => {
    const database = await newUrl();
    await expect(openExisting({ database })).rejects.toThrow(/The database is empty/);
    await query(database, 'CREATE TABLE wages (a int)');
    await expect(openExisting({ database })).rejects.toThrow(/none of them is Evident’s/);
    expect(await tables(database)).toEqual([{ tablename: 'wages' }]);
  });

  it('is not upgraded', async () => {
    const database = await newUrl();
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    await migrate(new PostgresConnection(client), POSTGRES_TYPES, 1, MIGRATIONS.slice(0, -1));
    await client.end();
    const before = await tables(database);
    await expect(openExisting({ database })).rejects.toThrow(OLDER);
    expect(await tables(database)).toEqual(before);
    await (await PostgresStore.open(database)).close();
    await (await openExisting({ database })).close();
  });
});
