import { describe, expect, it } from 'vitest';
import { readable } from './broken-row.ts';
import { CachingTx } from './caching-tx.ts';
import { describeStore } from './conformance.ts';
import { headRow } from './conformance-lab.ts';
import { MemoryStore } from './memory.ts';
import { Conflict, type Store, type Tx } from './port.ts';
import type { Table } from './schema.ts';

/** Runs every transaction through the cache: callers must not notice it, except by the round trips it saves. */
function caching(store: Store, exclusive: readonly Table[] = []): Store {
  return {
    read: (work, lane) => store.read(work, lane),
    transact: (work, lane) =>
      store.transact(async (inner) => {
        const tx = new CachingTx(inner, { exclusive: new Set(exclusive) });
        const result = await work(tx);
        await tx.flush();
        return result;
      }, lane),
  };
}

describeStore('a caching transaction on it', (clock) => caching(new MemoryStore(clock)), { caches: true });
describeStore(
  'a caching transaction on it, alone',
  (clock) => caching(new MemoryStore(clock, undefined, { serial: true })),
  {
    serial: true,
  },
);

/** A caching transaction on a store with two heads, and the statements that reach the store. */
async function stage(exclusive: readonly Table[] = []) {
  const store = new MemoryStore(() => 1_000);
  await store.transact(async (tx) => {
    for (const org of ['a', 'b']) await tx.insert('heads', headRow(org, '1'));
  });
  const statements: string[] = [];
  const open = store.begin();
  const tx = new Proxy(open.tx as Tx, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        statements.push(String(name));
        return method.apply(target, args);
      };
    },
  });
  const elsewhere = (org: string, position: string) =>
    store.transact((other) => other.update('heads', { org }, {}, { position }));
  const position = (org: string) => store.tables.heads.get(org)?.position;
  return {
    store,
    open,
    statements,
    tx: new CachingTx(tx, { exclusive: new Set(exclusive) }),
    elsewhere,
    position,
  };
}

describe('a caching transaction', () => {
  it('reads a row once, answers from its own writes, and writes them together', async () => {
    const { tx, statements, open, position } = await stage();
    await tx.readAll([{ table: 'heads', keys: [{ org: 'a' }, { org: 'b' }, { org: 'c' }] }]);
    for (const org of ['a', 'b']) {
      expect(await tx.update('heads', { org }, { position: '1' }, { position: '2' })).toBe(1);
      expect(await tx.update('heads', { org }, { position: '2' }, { at: 5 })).toBe(1);
      expect(await tx.get('heads', { org })).toEqual({ ...headRow(org, '2'), at: 5 });
    }
    expect(await tx.get('heads', { org: 'c' })).toBeUndefined();
    expect(statements).toEqual(['readAll']);
    await tx.flush();
    await tx.flush();
    expect(statements).toEqual(['readAll', 'updateOrFail']);
    await open.commit();
    expect([position('a'), position('b')]).toEqual(['2', '2']);
  });

  it('sends the columns that it changes, where nobody else writes them', async () => {
    const sent: object[] = [];
    for (const exclusive of [['heads'], []] as const) {
      const { tx, store, open } = await stage(exclusive);
      const updateOrFail = open.tx.updateOrFail.bind(open.tx);
      open.tx.updateOrFail = (updates) => {
        sent.push(...updates.map(({ set }) => set));
        return updateOrFail(updates);
      };
      const row = await tx.get('heads', { org: 'a' });
      await tx.update('heads', { org: 'a' }, {}, { ...headRow('a', '2'), at: readable(row).at ?? 0 });
      await tx.flush();
      await open.commit();
      expect(store.tables.heads.get('a')?.position).toBe('2');
    }
    expect(sent.map(Object.keys)).toEqual([['position'], ['position', 'at', 'recoveredAt', 'floor']]);
  });

  it('throws Conflict when a row it relied on has changed, and only then', async () => {
    const { tx, elsewhere } = await stage();
    await tx.readAll([{ table: 'heads', keys: [{ org: 'a' }, { org: 'b' }] }]);
    expect(await tx.update('heads', { org: 'a' }, { position: '1' }, { at: 7 })).toBe(1);
    expect(await tx.update('heads', { org: 'b' }, { recoveredAt: null }, { at: 7 })).toBe(1);
    await elsewhere('b', '5');
    await elsewhere('a', '5');
    await expect(tx.flush()).rejects.toThrow(Conflict);
    await expect(tx.flush()).rejects.toThrow('heads a');
  });

  it('relies on rows that it read, and not on those it wrote itself', async () => {
    const { tx, open, position } = await stage();
    await tx.get('heads', { org: 'a' });
    await tx.update('heads', { org: 'a' }, {}, { position: '2' });
    expect(await tx.update('heads', { org: 'a' }, { position: '2' }, { position: '3' })).toBe(1);
    expect(await tx.update('heads', { org: 'a' }, { position: '2' }, { position: '4' })).toBe(0);
    await tx.flush();
    await open.commit();
    expect(position('a')).toBe('3');
  });

  it('forgets a row whose write was refused, and reads it again', async () => {
    const { tx, elsewhere } = await stage();
    await tx.get('heads', { org: 'a' });
    await elsewhere('a', '2');
    expect(readable(await tx.get('heads', { org: 'a' })).position).toBe('1');
    expect(await tx.update('heads', { org: 'a' }, { position: '2' }, { position: '3' })).toBe(0);
    expect(readable(await tx.get('heads', { org: 'a' })).position).toBe('2');
  });

  it('reads a row again before it locks it, and writes pending rows first', async () => {
    const { tx, elsewhere, statements } = await stage();
    await tx.get('heads', { org: 'a' });
    await elsewhere('a', '2');
    expect(readable(await tx.lock('heads', { org: 'a' })).position).toBe('2');
    await tx.get('heads', { org: 'b' });
    await tx.update('heads', { org: 'b' }, {}, { position: '7' });
    expect(readable(await tx.lock('heads', { org: 'b' })).position).toBe('7');
    await tx.lock('heads', { org: 'b' });
    expect(statements).toEqual(['get', 'lock', 'get', 'updateOrFail', 'lock']);
  });

  it('writes a row once before several reads of its table', async () => {
    const { tx, open, position, statements } = await stage();
    await tx.get('heads', { org: 'a' });
    await tx.update('heads', { org: 'a' }, { position: '1' }, { position: '2' });
    const looks = ['1', '2'].map((at) => ({ table: 'heads', where: { position: at } }) as const);
    expect(await tx.readAll(looks)).toMatchObject([[{ org: 'b' }], [{ org: 'a' }]]);
    await open.commit();
    expect([position('a'), statements]).toEqual(['2', ['get', 'updateOrFail', 'readAll']]);
  });

  it('keeps rows found by predicate together with other reads, until it writes the table', async () => {
    const { tx, statements } = await stage();
    await tx.readAll([{ table: 'heads', where: { at: 0 } }]);
    expect(await tx.select('heads', { at: 0 })).toHaveLength(2);
    expect(statements).toEqual(['readAll']);
    await tx.update('heads', { org: 'a' }, {}, { at: 3 });
    expect(await tx.select('heads', { at: 0 })).toEqual([headRow('b', '1')]);
    expect(statements).toEqual(['readAll', 'updateOrFail', 'select']);
  });

  it('inserts without another read where a read found the row absent and nobody else inserts', async () => {
    const { tx, statements, open, store } = await stage(['artifacts']);
    const row = { org: 'a', digest: 'x', size: 1 };
    await tx.readAll([{ table: 'artifacts', keys: [row] }]);
    expect(await tx.insert('artifacts', row)).toBe(true);
    expect(await tx.insert('artifacts', row)).toBe(false);
    expect(await tx.get('artifacts', row)).toEqual(row);
    expect(statements).toEqual(['readAll', 'append']);
    await tx.readAll([{ table: 'heads', keys: [{ org: 'c' }] }]);
    expect(await tx.insert('heads', headRow('c', '1'))).toBe(true);
    expect(statements.at(-1)).toBe('insert');
    await open.commit();
    expect([store.tables.artifacts.size, store.tables.heads.size]).toEqual([1, 3]);
  });
});
