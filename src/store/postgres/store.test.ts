import pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import { describeStore } from '../conformance.ts';
import { headRow } from '../conformance-lab.ts';
import { PostgresStore } from './store.ts';

let open: PostgresStore[] = [];
afterEach(async () => {
  for (const store of open) await store.close();
  open = [];
});

/** A connection with the settings of a store. */
async function connectionTo(url: string): Promise<pg.Client> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const store = await PostgresStore.open(url);
  open.push(store);
  await store.read((tx) => tx.select('heads', {}));
  const connection = query.mock.contexts.at(-1) as unknown as pg.Client;
  query.mockRestore();
  return connection;
}

describeWithPostgres('on PostgreSQL', (newUrl) => {
  describeStore('PostgreSQL', async (clock) => {
    const store = await PostgresStore.open(await newUrl(), { clock });
    open.push(store);
    return store;
  });

  it('a transaction fails where the database rolled it back because of a statement', async () => {
    const store = await PostgresStore.open(await newUrl());
    open.push(store);
    const swallowed = store.transact(async (tx) => {
      await tx.insert('heads', headRow('a', '1'));
      await tx.insert('heads', headRow('b', 'no number')).catch(() => {});
    });
    await expect(swallowed).rejects.toThrow('rolled back');
    expect(await store.read((tx) => tx.select('heads', {}))).toEqual([]);
  });

  it('reads a small table without compiling the plan, which takes a hundred times as long', async () => {
    const connection = await connectionTo(await newUrl());
    const { rows } = await connection.query('EXPLAIN (ANALYZE) SELECT * FROM heads');
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Seq Scan on heads/);
    expect(plan).not.toMatch(/JIT/);
  });

  it.each([
    ['off', 'on'],
    ['local', 'local'],
    ['remote_write', 'remote_write'],
    ['on', 'on'],
  ])(
    'a commit is on the disk when it is answered: synchronous_commit = %s is %s here',
    async (requested, effective) => {
      const url = new URL(await newUrl());
      url.searchParams.set('options', `-c synchronous_commit=${requested}`);
      const connection = await connectionTo(url.href);
      expect((await connection.query('SHOW synchronous_commit')).rows).toEqual([
        { synchronous_commit: effective },
      ]);
    },
  );

  it('a transaction is READ COMMITTED, whatever the database’s default (F47)', async () => {
    const url = await newUrl();
    const by = new pg.Client({ connectionString: url });
    await by.connect();
    const name = new URL(url).pathname.slice(1);
    await by.query(`ALTER DATABASE "${name}" SET default_transaction_isolation = 'serializable'`);
    await by.query(`ALTER DATABASE "${name}" SET synchronous_commit = off`);
    await by.end();
    const connection = await connectionTo(url);
    const settings = `SELECT current_setting('default_transaction_isolation') AS level, current_setting('synchronous_commit') AS commit`;
    expect((await connection.query(settings)).rows).toEqual([{ level: 'read committed', commit: 'on' }]);
  });
});
