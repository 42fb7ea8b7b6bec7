import pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { describeWithPostgres } from '../../../test/lab.ts';
import { describeStore } from '../conformance.ts';
import { headRow } from '../conformance-races.ts';
import { PostgresStore } from './store.ts';

let open: PostgresStore[] = [];
afterEach(async () => {
  for (const store of open) await store.close();
  open = [];
});

describeWithPostgres('on PostgreSQL', (newUrl) => {
  describeStore('PostgreSQL', async (clock) => {
    const store = await PostgresStore.open(await newUrl(), { clock });
    open.push(store);
    return store;
  });

  it('does not call done what the database rolled back because a statement failed', async () => {
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
    const asked = vi.spyOn(pg.Client.prototype, 'query');
    const store = await PostgresStore.open(await newUrl());
    open.push(store);
    await store.read((tx) => tx.select('heads', {}));
    const connection = asked.mock.contexts.at(-1) as unknown as pg.Client;
    asked.mockRestore();
    const { rows } = await connection.query('EXPLAIN (ANALYZE) SELECT * FROM heads');
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Seq Scan on heads/);
    expect(plan).not.toMatch(/JIT/);
  });
});
