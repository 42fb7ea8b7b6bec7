import { describe, expect, it } from 'vitest';
import { readable } from './broken-row.ts';
import { describeStore } from './conformance.ts';
import { headRow } from './conformance-lab.ts';
import { Image } from './image.ts';
import { MemoryStore } from './memory.ts';
import { Conflict, type Store, type Tx } from './port.ts';
import type { Table } from './schema.ts';

/** Every transaction through an image: nobody may notice, but for what it saves. */
function imaged(store: Store, exclusive: readonly Table[] = []): Store {
  return {
    read: (work, lane) => store.read(work, lane),
    transact: (work, lane) =>
      store.transact(async (tx) => {
        const image = new Image(tx, { exclusive: new Set(exclusive) });
        const result = await work(image);
        await image.flush();
        return result;
      }, lane),
  };
}

describeStore('an image of it', (clock) => imaged(new MemoryStore(clock)), { keeps: true });
describeStore(
  'an image of it, alone',
  (clock) => imaged(new MemoryStore(clock, undefined, { serial: true })),
  {
    serial: true,
  },
);

/** A transaction on a store with two heads, by hand, and what of it reached the store. */
async function stage(exclusive: readonly Table[] = []) {
  const store = new MemoryStore(() => 1_000);
  await store.transact(async (tx) => {
    for (const org of ['a', 'b']) await tx.insert('heads', headRow(org, '1'));
  });
  const asked: string[] = [];
  const open = store.begin();
  const tx = new Proxy(open.tx as Tx, {
    get(target, name) {
      const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        asked.push(String(name));
        return method.apply(target, args);
      };
    },
  });
  const elsewhere = (org: string, position: string) =>
    store.transact((other) => other.update('heads', { org }, {}, { position }));
  const position = (org: string) => store.tables.heads.get(org)?.position;
  return { store, open, asked, image: new Image(tx, { exclusive: new Set(exclusive) }), elsewhere, position };
}

describe('an image', () => {
  it('asks for a row once, answers its writes itself, and writes them together', async () => {
    const { image, asked, open, position } = await stage();
    await image.readAll([{ table: 'heads', keys: [{ org: 'a' }, { org: 'b' }, { org: 'c' }] }]);
    for (const org of ['a', 'b']) {
      expect(await image.update('heads', { org }, { position: '1' }, { position: '2' })).toBe(1);
      expect(await image.update('heads', { org }, { position: '2' }, { at: 5 })).toBe(1);
      expect(await image.get('heads', { org })).toEqual({ ...headRow(org, '2'), at: 5 });
    }
    expect(await image.get('heads', { org: 'c' })).toBeUndefined();
    expect(asked).toEqual(['readAll']);
    await image.flush();
    await image.flush();
    expect(asked).toEqual(['readAll', 'updateOrFail']);
    await open.commit();
    expect([position('a'), position('b')]).toEqual(['2', '2']);
  });

  it('is a Conflict when what it relied on is no longer so, and only then', async () => {
    const { image, elsewhere } = await stage();
    await image.readAll([{ table: 'heads', keys: [{ org: 'a' }, { org: 'b' }] }]);
    expect(await image.update('heads', { org: 'a' }, { position: '1' }, { at: 7 })).toBe(1);
    expect(await image.update('heads', { org: 'b' }, { recoveredAt: null }, { at: 7 })).toBe(1);
    await elsewhere('b', '5');
    await elsewhere('a', '5');
    await expect(image.flush()).rejects.toThrow(Conflict);
    await expect(image.flush()).rejects.toThrow('heads a');
  });

  it('relies on what was read, and not on what it set itself', async () => {
    const { image, open, position } = await stage();
    await image.get('heads', { org: 'a' });
    await image.update('heads', { org: 'a' }, {}, { position: '2' });
    expect(await image.update('heads', { org: 'a' }, { position: '2' }, { position: '3' })).toBe(1);
    expect(await image.update('heads', { org: 'a' }, { position: '2' }, { position: '4' })).toBe(0);
    await image.flush();
    await open.commit();
    expect(position('a')).toBe('3');
  });

  it('forgets a row whose write it refused: the next look is a fresh one', async () => {
    const { image, elsewhere } = await stage();
    await image.get('heads', { org: 'a' });
    await elsewhere('a', '2');
    expect(readable(await image.get('heads', { org: 'a' })).position).toBe('1');
    expect(await image.update('heads', { org: 'a' }, { position: '2' }, { position: '3' })).toBe(0);
    expect(readable(await image.get('heads', { org: 'a' })).position).toBe('2');
  });

  it('reads anew what it is to lock, writing first what waits for it', async () => {
    const { image, elsewhere, asked } = await stage();
    await image.get('heads', { org: 'a' });
    await elsewhere('a', '2');
    expect(readable(await image.lock('heads', { org: 'a' })).position).toBe('2');
    await image.get('heads', { org: 'b' });
    await image.update('heads', { org: 'b' }, {}, { position: '7' });
    expect(readable(await image.lock('heads', { org: 'b' })).position).toBe('7');
    await image.lock('heads', { org: 'b' });
    expect(asked).toEqual(['get', 'lock', 'get', 'updateOrFail', 'lock']);
  });

  it('writes a row once before several looks at its table', async () => {
    const { image, open, position, asked } = await stage();
    await image.get('heads', { org: 'a' });
    await image.update('heads', { org: 'a' }, { position: '1' }, { position: '2' });
    const looks = ['1', '2'].map((at) => ({ table: 'heads', where: { position: at } }) as const);
    expect(await image.readAll(looks)).toMatchObject([[{ org: 'b' }], [{ org: 'a' }]]);
    await open.commit();
    expect([position('a'), asked]).toEqual(['2', ['get', 'updateOrFail', 'readAll']]);
  });

  it('keeps what was found by predicate together with other reads, until it writes the table', async () => {
    const { image, asked } = await stage();
    await image.readAll([{ table: 'heads', where: { at: 0 } }]);
    expect(await image.select('heads', { at: 0 })).toHaveLength(2);
    expect(asked).toEqual(['readAll']);
    await image.update('heads', { org: 'a' }, {}, { at: 3 });
    expect(await image.select('heads', { at: 0 })).toEqual([headRow('b', '1')]);
    expect(asked).toEqual(['readAll', 'updateOrFail', 'select']);
  });

  it('inserts without asking what is known to be absent, where nobody else inserts', async () => {
    const { image, asked, open, store } = await stage(['artifacts']);
    const row = { org: 'a', digest: 'x', size: 1 };
    await image.readAll([{ table: 'artifacts', keys: [row] }]);
    expect(await image.insert('artifacts', row)).toBe(true);
    expect(await image.insert('artifacts', row)).toBe(false);
    expect(await image.get('artifacts', row)).toEqual(row);
    expect(asked).toEqual(['readAll', 'append']);
    await image.readAll([{ table: 'heads', keys: [{ org: 'c' }] }]);
    expect(await image.insert('heads', headRow('c', '1'))).toBe(true);
    expect(asked.at(-1)).toBe('insert');
    await open.commit();
    expect([store.tables.artifacts.size, store.tables.heads.size]).toEqual([1, 3]);
  });
});
