import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, it } from 'vitest';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { describeWithPostgres } from '../lab.ts';

/** A database that a test opens, closes, changes by hand and opens again. */
export interface Upgraded {
  open(clock: () => number): Promise<SqliteStore | PostgresStore>;
  run(statements: readonly string[]): Promise<void>;
}

export async function query(url: string, statements: readonly string[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const results = [];
  for (const statement of statements) results.push(await client.query(statement));
  await client.end();
  return results;
}

/** Runs the same test on both databases. */
export function itUpgrades(what: string, test: (database: Upgraded) => Promise<void>): void {
  describe('SQLite', () => {
    it(what, async () => {
      const dir = mkdtempSync(join(tmpdir(), 'evident-upgrade-'));
      await test({
        open: (clock) => SqliteStore.open(dir, { clock }),
        run: async (statements) => {
          const db = new SqliteConnection(join(dir, 'evident.db'));
          for (const statement of statements) db.exec(statement);
          db.close();
        },
      });
      rmSync(dir, { recursive: true, force: true });
    });
  });

  describeWithPostgres('PostgreSQL', (newUrl) => {
    it(what, async () => {
      const url = await newUrl();
      await test({
        open: (clock) => PostgresStore.open(url, { clock }),
        run: async (statements) => void (await query(url, statements)),
      });
    });
  });
}
