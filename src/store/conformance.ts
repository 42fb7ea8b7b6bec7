import { beforeEach, describe, expect, it } from 'vitest';
import { readable } from './broken-row.ts';
import { describeBulk } from './conformance-bulk.ts';
import { headRow, type MakeStore, type Traits } from './conformance-lab.ts';
import { describeRaces } from './conformance-races.ts';
import { Conflict, type Expect, gt, gte, lt, lte, oneOf, type ReadTx, type Store } from './port.ts';
import type { HeadRow } from './schema.ts';

/**
 * The behaviour that every store must have. The verbs rely on nothing else: READ COMMITTED with row locks
 * held to the end, guards judged on the newest committed version, unique keys, all or nothing.
 */
export function describeStore(name: string, makeStore: MakeStore, traits: Traits = {}): void {
  describe(`the store's port: ${name}`, () => {
    let now = 1_000;
    let store: Store;
    beforeEach(async () => {
      now = 1_000;
      store = await makeStore(() => now);
    });
    const put = (row: HeadRow) => store.transact((tx) => tx.insert('heads', row));
    const head = (org: string) => store.read((tx) => tx.get('heads', { org }));

    describe('rows', () => {
      it('answers undefined for a row that is not there, and the row once it is', async () => {
        expect(await head('a')).toBeUndefined();
        await put(headRow('a', '1'));
        expect(await head('a')).toEqual(headRow('a', '1'));
      });

      it('inserts a key once: the second insert answers false and changes nothing', async () => {
        expect(await put(headRow('a', '1'))).toBe(true);
        expect(await put(headRow('a', '2'))).toBe(false);
        expect(await head('a')).toEqual(headRow('a', '1'));
      });

      it('answers by key after it answered the same by predicate', async () => {
        for (const org of ['a', 'b', 'c']) await put(headRow(org, '1'));
        const orgs = await store.transact(async (tx) => {
          const found = await tx.select('heads', { org: 'a' });
          const [byKey] = await tx.readAll([{ table: 'heads', keys: [{ org: 'c' }] }]);
          await tx.select('heads', { org: 'c' });
          return [...found, ...byKey, await tx.get('heads', { org: 'b' })].map((row) => readable(row).org);
        });
        expect(orgs).toEqual(['a', 'c', 'b']);
      });

      it('keeps apart rows whose keys differ in one column', async () => {
        await store.transact(async (tx) => {
          for (const org of ['a', 'b'])
            for (const digest of ['x', 'y']) await tx.insert('artifacts', { org, digest, size: 1 });
        });
        const rows = await store.read((tx) => tx.select('artifacts', { org: 'b' }, { order: 'digest' }));
        expect(rows.map((row) => readable(row).digest)).toEqual(['x', 'y']);
      });

      it('updates only what is named, and says how many rows matched', async () => {
        await put(headRow('a', '1'));
        await store.transact(async (tx) => {
          expect(await tx.update('heads', { org: 'a' }, { position: '1' }, { position: '2' })).toBe(1);
          expect(await tx.update('heads', { org: 'a' }, { position: '1' }, { position: '3' })).toBe(0);
          expect(await tx.update('heads', { org: 'b' }, {}, { position: '3' })).toBe(0);
        });
        expect(await head('a')).toEqual({ ...headRow('a', '1'), position: '2' });
      });

      it('takes a row away only if it is as expected, and its key is free again', async () => {
        await put(headRow('a', '1'));
        await put(headRow('b', '1'));
        await store.transact(async (tx) => {
          expect(await tx.remove('heads', { org: 'a' }, { position: '2' })).toBe(0);
          expect(await tx.remove('heads', { org: 'c' }, {})).toBe(0);
          expect(await tx.remove('heads', { org: 'a' }, { position: lte('1') })).toBe(1);
          expect(await tx.get('heads', { org: 'a' })).toBeUndefined();
          expect(await tx.select('heads', {}, { order: 'org' })).toEqual([headRow('b', '1')]);
          expect(await tx.update('heads', { org: 'a' }, {}, { position: '3' })).toBe(0);
          expect(await tx.remove('heads', { org: 'a' }, {})).toBe(0);
          expect(await tx.insert('heads', headRow('a', '5'))).toBe(true);
          expect(await tx.remove('heads', { org: 'b' }, {})).toBe(1);
        });
        expect(await head('a')).toEqual(headRow('a', '5'));
        expect(await head('b')).toBeUndefined();
        await store.transact((tx) => tx.remove('heads', { org: 'a' }, {}).then(fail)).catch(() => {});
        expect(await head('a'), 'what failed took nothing away').toEqual(headRow('a', '5'));
      });

      it('takes away what was appended a moment ago', async () => {
        const alarm = { org: 'a', position: '1', code: 'c', service: null, at: 1 };
        await store.transact(async (tx) => {
          await tx.append('alarms', alarm);
          expect(await tx.remove('alarms', alarm, {})).toBe(1);
        });
        expect(await store.read((tx) => tx.select('alarms', {}))).toEqual([]);
      });

      it('keeps numbers, digits beyond 2^53, lists, objects and null as they were', async () => {
        const row = { ...headRow('a', '90071992547409930000'), recoveredAt: null };
        await put(row);
        const worker = { org: 'a', worker: 'w', instance: 'i', kinds: ['build', 'apply'] as const };
        const full = { ...worker, target: '*', service: '*', spanFrom: 0, seenAt: 1_700_000_000_000 };
        await store.transact((tx) => tx.insert('workers', full));
        expect(await head('a')).toEqual(row);
        expect(await store.read((tx) => tx.get('workers', worker))).toEqual(full);
      });

      it('keeps the body of what was refused, even if that is nothing', async () => {
        const row = {
          org: 'a',
          position: '1',
          receivedAt: 1,
          id: 'x',
          service: null,
          target: null,
          revision: null,
          attempt: null,
          command: null,
          fence: null,
          seq: null,
          source: { role: 'agent', name: 'n', instance: 'i' },
          observedAt: null,
          kind: 'nonsense',
          body: null,
          verdict: 'rejected',
          reason: 'invalid',
        } as const;
        await store.transact((tx) => tx.append('ledger', row));
        expect(await store.read((tx) => tx.get('ledger', row))).toEqual(row);
      });

      it('has one clock for every transaction', async () => {
        expect(await store.transact((tx) => tx.now())).toBe(1_000);
        now = 2_000;
        expect(await store.read((tx) => tx.now())).toBe(2_000);
      });
    });

    describe('guards', () => {
      beforeEach(async () => {
        for (const [org, position, recoveredAt] of [
          ['a', '9', null],
          ['b', '10', 5],
          ['c', '11', 7],
        ] as const)
          await put({ ...headRow(org, position), recoveredAt });
      });
      const found = (where: Parameters<typeof selectHeads>[1]) => selectHeads(store, where);

      it.each([
        ['lt', { position: lt('10') }, 'a'],
        ['lte', { position: lte('10') }, 'ab'],
        ['gt', { position: gt('9') }, 'bc'],
        ['gte', { position: gte('10') }, 'bc'],
        ['in', { position: oneOf('9', '11') }, 'ac'],
        ['ne', { position: { op: 'ne', value: '10' } as const }, 'ac'],
        ['equality', { position: '10' }, 'b'],
        ['all of several', { position: gt('9'), recoveredAt: lt(7) }, 'b'],
      ])('compares digits by value: %s', async (_name, where, orgs) => {
        expect(await found(where)).toBe(orgs);
      });

      it('counts rows by the values of columns, in one order, those that the transaction wrote among them', async () => {
        const none = { createdAt: 1, removedAt: null, observation: null, defaultNamespace: null };
        const target = (org: string, name: string, runtime: 'process' | null) => ({
          ...{ org, target: name, runtime },
          ...none,
        });
        await store.transact(async (tx) => {
          for (const [org, name] of [
            ['a', '1'],
            ['a', '2'],
            ['b', '1'],
          ] as const)
            await tx.insert('targets', target(org, name, null));
        });
        const byOrg = (tx: ReadTx) => tx.tally('targets', ['org'], {});
        expect(await store.read(byOrg)).toEqual([
          { values: ['a'], count: 2 },
          { values: ['b'], count: 1 },
        ]);
        await store.transact(async (tx) => {
          await tx.update('targets', { org: 'a', target: '1' }, {}, { runtime: 'process' });
          await tx.insert('targets', target('b', '2', 'process'));
          expect(await byOrg(tx)).toMatchObject([{ count: 2 }, { count: 2 }]);
          expect(await tx.tally('targets', ['runtime', 'org'], { target: oneOf('1', '2') })).toEqual([
            { values: ['process', 'a'], count: 1 },
            { values: ['process', 'b'], count: 1 },
            { values: [null, 'a'], count: 1 },
            { values: [null, 'b'], count: 1 },
          ]);
          expect(await tx.tally('targets', ['org'], { org: 'z' })).toEqual([]);
        });
      });

      it('finds null by equality, and by no comparison of order', async () => {
        expect(await found({ recoveredAt: null })).toBe('a');
        expect(await found({ recoveredAt: lt(1_000) })).toBe('bc');
        expect(await found({ recoveredAt: lte(5) })).toBe('b');
        expect(await found({ recoveredAt: gt(0) })).toBe('bc');
        expect(await found({ recoveredAt: gte(-1) })).toBe('bc');
        expect(await found({ recoveredAt: 5 })).toBe('b');
      });

      it('refuses an update by a comparison with null, and allows one by equality with null', async () => {
        await store.transact(async (tx) => {
          expect(await tx.update('heads', { org: 'a' }, { recoveredAt: gte(0) }, { at: 1 })).toBe(0);
          expect(await tx.update('heads', { org: 'a' }, { recoveredAt: null }, { at: 1 })).toBe(1);
        });
      });

      it('orders by value, both ways, and limits after ordering', async () => {
        const orgs = async (descending: boolean, limit?: number) =>
          store.read(async (tx) => {
            const options = {
              order: 'position',
              descending,
              ...(limit === undefined ? {} : { limit }),
            } as const;
            return (await tx.select('heads', {}, options)).map((row) => readable(row).org).join('');
          });
        expect(await orgs(false)).toBe('abc');
        expect(await orgs(true)).toBe('cba');
        expect(await orgs(true, 1)).toBe('c');
      });

      it('orders and compares text as text, also where it is of digits alone', async () => {
        for (const org of ['9', '10']) await put(headRow(org, '1'));
        const digits = (where: Expect<HeadRow>) =>
          store.read(async (tx) =>
            (await tx.select('heads', where, { order: 'org' })).map((row) => readable(row).org),
          );
        expect(await digits({ org: lt('a') })).toEqual(['10', '9']);
        expect(await digits({ org: lt('9') })).toEqual(['10']);
      });
    });

    describe('one transaction', () => {
      it('sees what it wrote itself, in get, select and guards', async () => {
        await store.transact(async (tx) => {
          await tx.insert('heads', headRow('a', '1'));
          await tx.update('heads', { org: 'a' }, { position: '1' }, { position: '2' });
          expect(readable(await tx.get('heads', { org: 'a' })).position).toBe('2');
          expect(await tx.select('heads', { position: '2' })).toHaveLength(1);
          expect(await tx.select('heads', { position: '1' })).toHaveLength(0);
          expect(await tx.insert('heads', headRow('a', '3'))).toBe(false);
        });
      });

      it('is all or nothing', async () => {
        await put(headRow('a', '1'));
        const failed = store.transact(async (tx) => {
          await tx.insert('heads', headRow('b', '1'));
          await tx.update('heads', { org: 'a' }, {}, { position: '2' });
          throw new Error('no');
        });
        await expect(failed).rejects.toThrow('no');
        expect(await head('a')).toEqual(headRow('a', '1'));
        expect(await head('b')).toBeUndefined();
      });

      it('frees its locks when it fails', async () => {
        await store.transact((tx) => tx.insert('heads', headRow('a', '1')).then(fail)).catch(() => {});
        expect(await put(headRow('a', '2'))).toBe(true);
      });

      it('is run again, whole, when it loses a race, and gives up in the end (F46)', async () => {
        let runs = 0;
        await store.transact(async (tx) => {
          runs += 1;
          expect(await tx.insert('heads', headRow('a', '1'))).toBe(true);
          if (runs < 3) throw new Conflict('lost');
        });
        expect(runs).toBe(3);
        await expect(store.transact(() => Promise.reject(new Conflict('always')))).rejects.toThrow(Conflict);
      });

      it('appends many rows, sees them itself, and loses them with the rest', async () => {
        const alarm = (n: number) => ({ org: 'a', position: String(n), code: 'c', service: null, at: n });
        const all = () => store.read((tx) => tx.select('alarms', { org: 'a' }, { order: 'position' }));
        await store.transact(async (tx) => {
          for (let n = 1; n <= 120; n++) await tx.append('alarms', alarm(n));
          expect(await tx.get('alarms', { org: 'a', position: '120' })).toEqual(alarm(120));
          expect(await tx.update('alarms', { org: 'a', position: '7' }, { at: 7 }, { at: 8 })).toBe(1);
          await tx.append('alarms', alarm(121));
        });
        const rows = await all();
        expect(rows).toHaveLength(121);
        expect(rows[6]).toEqual({ ...alarm(7), at: 8 });
        await store.transact((tx) => tx.append('alarms', alarm(122)).then(fail)).catch(() => {});
        await expect(store.transact((tx) => tx.append('alarms', alarm(5)))).rejects.toThrow();
        expect(await all()).toHaveLength(121);
      });

      it('orders by several columns', async () => {
        await store.transact(async (tx) => {
          for (const [position, at] of [
            ['1', 5],
            ['2', 4],
            ['10', 4],
            ['11', 4],
          ] as const)
            await tx.append('alarms', { org: 'a', position, code: 'c', service: null, at });
        });
        const options = { order: ['at', 'position'], descending: true, limit: 3 } as const;
        const rows = await store.read((tx) => tx.select('alarms', { org: 'a' }, options));
        expect(rows.map((row) => readable(row).position)).toEqual(['1', '11', '10']);
      });

      it('is not run again for any other error', async () => {
        let runs = 0;
        const failed = store.transact(async () => {
          runs += 1;
          throw new Error('no');
        });
        await expect(failed).rejects.toThrow('no');
        expect(runs).toBe(1);
      });
    });

    describeBulk(makeStore, traits);
    describeRaces(makeStore, traits);

    describe('a read', () => {
      it('is one snapshot: what is committed meanwhile is not seen, in get nor in select', async () => {
        await put(headRow('a', '1'));
        const result = await store.read(async (tx) => {
          const before = await tx.get('heads', { org: 'a' });
          await store.transact(async (other) => {
            await other.update('heads', { org: 'a' }, {}, { position: '2' });
            await other.insert('heads', headRow('b', '1'));
          });
          const after = await tx.get('heads', { org: 'a' });
          const all = await tx.select('heads', {}, { order: 'org' });
          const missing = await tx.get('heads', { org: 'b' });
          await store.transact((other) => other.remove('heads', { org: 'a' }, {}));
          expect(await tx.get('heads', { org: 'a' }), 'what was taken away meanwhile').toEqual(before);
          expect(await tx.select('heads', {})).toEqual(all);
          return { before, after, all, missing };
        });
        const old = headRow('a', '1');
        expect(result).toEqual({ before: old, after: old, all: [old], missing: undefined });
        expect(await selectHeads(store, {})).toBe('b');
      });

      it('does not wait for a writer', async () => {
        await put(headRow('a', '1'));
        const result = await store.transact(async (tx) => {
          await tx.update('heads', { org: 'a' }, {}, { position: '2' });
          return head('a');
        });
        expect(readable(result).position).toBe('1');
      });
    });
  });
}

async function selectHeads(store: Store, where: Parameters<typeof headsWhere>[1]): Promise<string> {
  return store.read((tx) => headsWhere(tx, where));
}

async function headsWhere(
  tx: Pick<Parameters<Parameters<Store['read']>[0]>[0], 'select'>,
  where: Parameters<typeof tx.select<'heads'>>[1],
): Promise<string> {
  const rows = await tx.select('heads', where, { order: 'org' });
  return rows.map((row) => readable(row).org).join('');
}

function fail(): never {
  throw new Error('no');
}
