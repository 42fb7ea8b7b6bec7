import { afterEach, expect, it } from 'vitest';
import { isIntact, readable } from '../../src/store/broken-row.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { describeWithPostgres } from '../lab.ts';

/** Only on PostgreSQL: memory and SQLite run one transaction after the other. */
describeWithPostgres('two transactions that wait for each other', (newUrl) => {
  let store: PostgresStore;
  afterEach(() => store.close());

  it('the database undoes one of them, the store runs it again from its start, and both are committed (F46)', async () => {
    store = await PostgresStore.open(await newUrl(), { connections: 4 });
    const key = (digest: string) => ({ org: 'a', digest });
    await store.transact(async (tx) => {
      for (const digest of ['one', 'two']) await tx.insert('artifacts', { ...key(digest), size: 0 });
    });
    const both = [0, 1].map(() => {
      let resolve = () => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      return { promise, resolve };
    });
    let runs = 0;
    const add = (order: readonly [string, string], mine: number) =>
      store.transact(async (tx) => {
        runs += 1;
        for (const [i, digest] of order.entries()) {
          const row = await tx.lock('artifacts', key(digest));
          await tx.update('artifacts', key(digest), {}, { size: (readable(row).size ?? 0) + 1 });
          if (i > 0) continue;
          // Each transaction has locked its first row before either locks its second.
          both[mine]?.resolve();
          await Promise.all(both.map(({ promise }) => promise));
        }
      });
    await Promise.all([add(['one', 'two'], 0), add(['two', 'one'], 1)]);
    const rows = await store.read((tx) => tx.select('artifacts', { org: 'a' }, { order: 'digest' }));
    expect(rows.filter(isIntact).map(({ digest, size }) => `${digest} ${size}`)).toEqual(['one 2', 'two 2']);
    // The repeated transaction may lock its first row before the other has continued, and deadlock once more.
    expect(runs, 'one of them again').toBeGreaterThan(2);
  });
});
