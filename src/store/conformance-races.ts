import { beforeEach, describe, expect, it } from 'vitest';
import { intact, readable } from './broken-row.ts';
import { headRow, type MakeStore, type Traits } from './conformance-lab.ts';
import type { Store, Tx } from './port.ts';
import type { CommandRow, HeadRow } from './schema.ts';

/**
 * Races between two transactions. Gates order them, never time: each transaction waits until the other has
 * reached a named point.
 */
export function describeRaces(makeStore: MakeStore, { serial = false, caches = false }: Traits): void {
  let store: Store;
  beforeEach(async () => {
    store = await makeStore(() => 1_000);
  });
  const put = (row: HeadRow) => store.transact((tx) => tx.insert('heads', row));
  const head = (org: string) => store.read((tx) => tx.get('heads', { org }));

  describe('two transactions', () => {
    const serially = serial ? it : undefined;
    const meeting = serial ? undefined : it;
    serially?.('run one after the other', async () => {
      const order: number[] = [];
      const one = (n: number) =>
        store.transact(async (tx) => {
          order.push(n);
          await tx.insert('heads', headRow(String(n), '1'));
          await turns();
          order.push(n);
        });
      await Promise.all([one(1), one(2), one(3)]);
      expect(order).toEqual([1, 1, 2, 2, 3, 3]);
    });

    const anew = serial || caches ? undefined : it;
    anew?.('reads only what was committed, and each statement reads anew (F47)', async () => {
      await put(headRow('a', '1'));
      const wrote = gate();
      const looked = gate();
      const committed = gate();
      const writer = store.transact(async (tx) => {
        await tx.update('heads', { org: 'a' }, {}, { position: '2' });
        wrote.open();
        await looked.passed;
      });
      const reader = store.transact(async (tx) => {
        await wrote.passed;
        const before = await tx.get('heads', { org: 'a' });
        looked.open();
        await committed.passed;
        return [readable(before).position, readable(await tx.get('heads', { org: 'a' })).position];
      });
      await writer;
      committed.open();
      expect(await reader).toEqual(['1', '2']);
    });

    it('waits for a row that another has written, and then judges its guard on the newest version (F31)', async () => {
      await put(headRow('a', '1'));
      const wrote = gate();
      const order: string[] = [];
      const first = store.transact(async (tx) => {
        await tx.update('heads', { org: 'a' }, { position: '1' }, { position: '2' });
        wrote.open();
        await turns();
        order.push('first ends');
      });
      await wrote.passed;
      const taken = store.transact(async (tx) => {
        const rows = await tx.update('heads', { org: 'a' }, { position: '1' }, { position: '3' });
        order.push('second goes on');
        return rows;
      });
      expect(await taken).toBe(0);
      await first;
      expect(order).toEqual(['first ends', 'second goes on']);
      expect(readable(await head('a')).position).toBe('2');
    });

    it('finds the guard true after all when the first gives up', async () => {
      await put(headRow('a', '1'));
      const wrote = gate();
      const first = store.transact(async (tx) => {
        await tx.update('heads', { org: 'a' }, {}, { position: '2' });
        wrote.open();
        await turns();
        throw new Error('no');
      });
      await wrote.passed;
      const second = store.transact((tx) =>
        tx.update('heads', { org: 'a' }, { position: '1' }, { position: '3' }),
      );
      await expect(first).rejects.toThrow('no');
      expect(await second).toBe(1);
      expect(readable(await head('a')).position).toBe('3');
    });

    it('locks a row until the transaction ends, and reads the newest version with the lock', async () => {
      await put(headRow('a', '0'));
      const increment = () =>
        store.transact(async (tx) => {
          const row = await tx.lock('heads', { org: 'a' });
          await turns();
          await tx.update(
            'heads',
            { org: 'a' },
            {},
            { position: String(Number(readable(row).position) + 1) },
          );
        });
      await Promise.all(Array.from({ length: 8 }, increment));
      expect(readable(await head('a')).position).toBe('8');
    });

    it('lets one of two insert the same key: the other waits and answers false', async () => {
      const answers = await Promise.all(
        ['1', '2'].map((position) =>
          store.transact(async (tx) => {
            const inserted = await tx.insert('heads', headRow('a', position));
            await turns();
            return inserted;
          }),
        ),
      );
      expect(answers.toSorted()).toEqual([false, true]);
      expect(readable(await head('a')).position).toBe(answers[0] ? '1' : '2');
    });

    it('gives the key to the second when the first inserter gives up', async () => {
      const wrote = gate();
      const first = store.transact(async (tx) => {
        await tx.insert('heads', headRow('a', '1'));
        wrote.open();
        await turns();
        throw new Error('no');
      });
      await wrote.passed;
      const second = put(headRow('a', '2'));
      await expect(first).rejects.toThrow('no');
      expect(await second).toBe(true);
    });

    it('takes a command from two takers only once (F38)', async () => {
      await store.transact((tx) => tx.insert('commands', command));
      const take = () =>
        store.transact(async (tx) => {
          const [found] = await tx.select('commands', { org: 'a', state: 'published' });
          await turns();
          const command = intact(found);
          if (command === undefined) return 0;
          const set = { state: 'offered', fence: String(Number(command.fence) + 1) } as const;
          return tx.update('commands', command, { state: 'published', fence: command.fence }, set);
        });
      const taken = await Promise.all([take(), take(), take()]);
      expect(taken.reduce<number>((sum, rows) => sum + rows, 0)).toBe(1);
    });

    meeting?.('breaks a deadlock by running one of them again: both do their work', async () => {
      await put(headRow('a', '0'));
      await put(headRow('b', '0'));
      const [one, two] = [gate(), gate()];
      const runs = { one: 0, two: 0 };
      const add = (org: string) => async (tx: Tx) => {
        const row = await tx.lock('heads', { org });
        await tx.update('heads', { org }, {}, { position: String(Number(readable(row).position) + 1) });
      };
      const first = store.transact(async (tx) => {
        runs.one += 1;
        await add('a')(tx);
        one.open();
        await two.passed;
        await add('b')(tx);
      });
      const second = store.transact(async (tx) => {
        runs.two += 1;
        await one.passed;
        if (runs.two === 1) {
          await add('b')(tx);
          two.open();
          await add('a')(tx);
        } else {
          await add('a')(tx);
          await add('b')(tx);
        }
      });
      await Promise.all([first, second]);
      expect(await Promise.all(['a', 'b'].map(async (org) => readable(await head(org)).position))).toEqual([
        '2',
        '2',
      ]);
      expect(runs.one + runs.two).toBeGreaterThan(2);
    });
  });
}

const command: CommandRow = {
  org: 'a',
  id: 'c',
  service: 'web@lab',
  target: 'lab',
  revision: 1,
  attempt: 1,
  kind: 'build',
  state: 'published',
  fence: '0',
  lapses: 0,
  availableAt: 0,
  cancelRequested: false,
};

/** A point that one transaction reaches and another waits for. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

/**
 * Gives every other transaction that can proceed enough turns of the event loop for its statement to reach
 * its lock.
 */
async function turns(): Promise<void> {
  for (let n = 0; n < 10; n++) await new Promise<void>((resolve) => setImmediate(resolve));
}
