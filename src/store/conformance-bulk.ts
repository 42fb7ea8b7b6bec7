import { beforeEach, describe, expect, it } from 'vitest';
import { isIntact, readable, type Stored } from './broken-row.ts';
import { headRow, type MakeStore, type Traits } from './conformance-lab.ts';
import { Conflict, gt, lte, readSnapshotIn, type Store, type Tx } from './port.ts';
import type { AlarmRow, AttemptRow, LeaseRow } from './schema.ts';

/**
 * Reads and writes of many rows at once. A database may save round trips; each row must be read and written
 * as if it came alone.
 */
export function describeBulk(makeStore: MakeStore, { serial = false }: Traits): void {
  let now = 1_000;
  let store: Store;
  beforeEach(async () => {
    now = 1_000;
    store = await makeStore(() => now);
    await store.transact(async (tx) => {
      for (const org of ['a', 'b', 'c']) await tx.insert('heads', headRow(org, '9'));
    });
  });
  const positions = () =>
    store.read(async (tx) =>
      (await tx.select('heads', {}, { order: 'org' })).map((row) => readable(row).position),
    );

  describe('several reads', () => {
    const reads = [
      { table: 'heads', keys: [{ org: 'a' }, { org: 'none' }, { org: 'c' }] },
      'now',
      { table: 'heads', where: { org: gt('a') }, options: { order: 'org', descending: true, limit: 1 } },
      { table: 'alarms', keys: [] },
      { table: 'heads', keys: [{ org: 'none' }] },
      { table: 'heads', keys: [{ org: 'b' }] },
    ] as const;
    const expected = [['a', 'c'], 1_000, ['c'], [], [], ['b']];
    const readableIn = (answers: readonly (number | readonly Stored<'heads' | 'alarms'>[])[]) =>
      answers.map((answer) =>
        typeof answer === 'number' ? answer : answer.map((row) => readable(row).org).sort(),
      );

    it('answer each in its place, what is not there by nothing', async () => {
      expect(readableIn(await store.read((tx) => tx.readAll(reads)))).toEqual(expected);
      expect(readableIn(await store.transact((tx) => tx.readAll(reads)))).toEqual(expected);
      expect(readableIn(await readSnapshotIn(store, reads))).toEqual(expected);
      expect(await readSnapshotIn(store, ['now', { table: 'heads', keys: [] }], 'liveness')).toEqual([
        1_000,
        [],
      ]);
      const [[row]] = await store.read((tx) => tx.readAll([{ table: 'heads', keys: [{ org: 'a' }] }]));
      expect(row).toEqual(headRow('a', '9'));
    });

    it('find rows by keys of several columns, of several kinds', async () => {
      const rows = [attempt(1, 1), attempt(1, 2), attempt(2, 1)];
      await store.transact(async (tx) => {
        for (const row of rows) await tx.insert('attempts', row);
      });
      const keys = [attempt(1, 2), attempt(2, 1), attempt(2, 2)];
      const [found] = await store.read((tx) => tx.readAll([{ table: 'attempts', keys }]));
      expect(found.filter(isIntact).toSorted((a, b) => a.revision - b.revision)).toEqual(rows.slice(1));
    });

    it('find the first row of each, where many differ in values alone', async () => {
      const rows = [attempt(1, 1), attempt(1, 2), attempt(2, 1)];
      await store.transact(async (tx) => {
        for (const row of rows) await tx.insert('attempts', row);
      });
      const newestOf = (revision: number) =>
        ({
          table: 'attempts',
          where: { org: attempt(1, 1).org, revision, attempt: lte(2) },
          options: { order: 'attempt', descending: true, limit: 1 },
        }) as const;
      const reads = [newestOf(2), newestOf(3), newestOf(1), 'now', newestOf(2)] as const;
      const expected = [[rows[2]], [], [rows[1]], 1_000, [rows[2]]];
      expect(await store.read((tx) => tx.readAll(reads))).toEqual(expected);
      expect(await store.transact((tx) => tx.readAll(reads))).toEqual(expected);
    });

    it('see what their own transaction wrote and appended', async () => {
      await store.transact(async (tx) => {
        await tx.append('alarms', alarm('1'));
        await tx.update('heads', { org: 'a' }, {}, { position: '10' });
        const [heads, alarms] = await tx.readAll([
          { table: 'heads', keys: [{ org: 'a' }, { org: 'b' }] },
          { table: 'alarms', keys: [alarm('1'), alarm('2')] },
        ]);
        expect(heads.map((row) => readable(row).position).toSorted()).toEqual(['10', '9']);
        expect(alarms).toEqual([alarm('1')]);
      });
    });

    it('are one snapshot where nothing is written', async () => {
      await store.read(async (tx) => {
        const before = await tx.readAll([{ table: 'heads', keys: [{ org: 'a' }, { org: 'b' }] }]);
        await store.transact((other) => other.update('heads', { org: 'a' }, {}, { position: '10' }));
        expect(await tx.readAll([{ table: 'heads', keys: [{ org: 'a' }, { org: 'b' }] }])).toEqual(before);
      });
    });

    const meeting = serial ? undefined : it;
    meeting?.('with a lock wait for whoever has a row, and read its newest version', async () => {
      const increment = () =>
        store.transact(async (tx) => {
          const keys = [{ org: 'a' }, { org: 'b' }];
          const [heads] = await tx.readAll([{ table: 'heads', keys, lock: true }, 'now']);
          for (const { org, position } of heads.filter(isIntact))
            await tx.update('heads', { org }, {}, { position: String(Number(position) + 1) });
        });
      await Promise.all(Array.from({ length: 6 }, increment));
      expect(await positions()).toEqual(['15', '15', '9']);
    });
  });

  describe('several writes', () => {
    it('answer for each whether it matched, across tables and shapes', async () => {
      const answers = await store.transact(async (tx) => {
        await tx.insert('attempts', attempt(1, 1));
        return tx.updateAll([
          { table: 'heads', key: { org: 'a' }, expect: { position: '9' }, set: { position: '10' } },
          { table: 'heads', key: { org: 'b' }, expect: { position: '8' }, set: { position: '10' } },
          {
            table: 'attempts',
            key: attempt(1, 1),
            expect: { endedAt: null },
            set: { endedAt: 5, outcome: 'failed' },
          },
          {
            table: 'heads',
            key: { org: 'c' },
            expect: { recoveredAt: null, at: 0 },
            set: { recoveredAt: 7, position: '11' },
          },
          { table: 'heads', key: { org: 'none' }, expect: {}, set: { position: '10' } },
        ]);
      });
      expect(answers).toEqual([1, 0, 1, 1, 0]);
      expect(await positions()).toEqual(['10', '9', '11']);
      const [ended, c] = await store.read(async (tx) => [
        await tx.get('attempts', attempt(1, 1)),
        await tx.get('heads', { org: 'c' }),
      ]);
      expect(ended).toEqual({ ...attempt(1, 1), endedAt: 5, outcome: 'failed' });
      expect(c).toEqual({ ...headRow('c', '11'), recoveredAt: 7 });
      expect(await store.transact((tx) => tx.updateAll([]))).toEqual([]);
    });

    it('write every kind of column, to null and from it', async () => {
      const leases = ['x', 'y'].map((id) => ({ ...lease, id }));
      await store.transact(async (tx) => {
        for (const row of leases) await tx.insert('leases', row);
        const was = { endedAt: null, silenced: false, fence: '12345678901234567890', lastSeq: null };
        const set = { endedAt: 9, growing: false, end: 'lapsed', lastSeq: '12', epoch: null } as const;
        const updates = leases.map((key) => ({ table: 'leases', key, expect: was, set }) as const);
        expect(await tx.updateAll(updates)).toEqual([1, 1]);
        expect(await tx.updateAll(updates), 'no longer as expected').toEqual([0, 0]);
      });
      const row = await store.read((tx) => tx.get('leases', { org: 'a', id: 'y' }));
      expect(row).toEqual({
        ...lease,
        id: 'y',
        endedAt: 9,
        growing: false,
        end: 'lapsed',
        lastSeq: '12',
        epoch: null,
      });
    });

    it('keep text as it was given, whatever it means to the database (F104)', async () => {
      const sql = "'; DROP TABLE alarms; --";
      const texts = [
        sql,
        'a"b\\c',
        'two\nlines\t\u0001"\\',
        '{a,b}',
        'NULL',
        '',
        ' x ',
        'é😀"',
        '\\n',
        '\u2028',
      ];
      const rows = texts.map((code, i) => ({ ...alarm(String(i)), code }));
      await store.transact(async (tx) => {
        for (const row of rows) await tx.append('alarms', row);
      });
      const stored = await store.read((tx) => tx.select('alarms', {}, { order: 'position' }));
      expect(stored.filter(isIntact).map(({ code }) => code)).toEqual(texts);
      const moved = rows.map((key) => ({ table: 'alarms', key, expect: { code: key.code }, set: { at: 2 } }));
      expect(await store.transact((tx) => tx.updateAll(moved as never))).toEqual(texts.map(() => 1));
    });

    it('keep JSON as it was given', async () => {
      const worker = { org: 'a', worker: 'w', instance: 'i', target: '*', service: '*' };
      const kinds = ['apply', 'remove'] as const;
      await store.transact(async (tx) => {
        await tx.insert('workers', { ...worker, kinds: ['build'], spanFrom: 0, seenAt: 1 });
        await tx.updateAll([{ table: 'workers', key: worker, expect: { seenAt: 1 }, set: { kinds } }]);
      });
      expect(readable(await store.read((tx) => tx.get('workers', worker))).kinds).toEqual(kinds);
    });

    it('come after what was appended before them, and are lost with the rest', async () => {
      await store.transact(async (tx) => {
        await tx.append('alarms', alarm('1'));
        const update = {
          table: 'alarms',
          key: alarm('1'),
          expect: { code: 'c' },
          set: { code: 'd' },
        } as const;
        expect(await tx.updateAll([update])).toEqual([1]);
      });
      const code = async () => readable(await store.read((tx) => tx.get('alarms', alarm('1')))).code;
      expect(await code()).toBe('d');
      const failed = store.transact(async (tx) => {
        await tx.updateAll([{ table: 'alarms', key: alarm('1'), expect: {}, set: { code: 'e' } }]);
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(await code()).toBe('d');
    });

    it('that must all match are all there, or none of them and nothing else', async () => {
      const move = (from: string) => (org: string) =>
        ({ table: 'heads', key: { org }, expect: { position: from }, set: { position: '10' } }) as const;
      const row = await store.transact(async (tx) => {
        await tx.updateOrFail(['a', 'b'].map(move('9')));
        return tx.get('heads', { org: 'b' });
      });
      expect(readable(row).position, 'read after it').toBe('10');
      const failed = store.transact(async (tx) => {
        await tx.append('alarms', alarm('1'));
        await tx.updateOrFail(['c', 'a'].map(move('9')));
      });
      await expect(failed).rejects.toThrow(Conflict);
      expect(await positions()).toEqual(['10', '10', '9']);
      expect(await store.read((tx) => tx.select('alarms', {}))).toEqual([]);
    });

    /** More than a database is sent with the commit: the first of them are on their way before it. */
    const MANY = Array.from({ length: 450 }, (_, i) => String(i + 1));
    const recode = (position: string, code: string) =>
      ({ table: 'alarms', key: alarm(position), expect: { code }, set: { code: 'd' } }) as const;

    it('may be many: each comes after those before it', async () => {
      await store.transact(async (tx) => {
        for (const position of MANY) {
          await tx.append('alarms', alarm(position));
          await tx.updateOrFail([recode(position, 'c')]);
        }
        const found = await tx.select('alarms', {}, { order: 'position' });
        expect(found.map((row) => readable(row).code)).toEqual(MANY.map(() => 'd'));
      });
      expect(await store.read((tx) => tx.select('alarms', {}))).toHaveLength(MANY.length);
    });

    it.each([
      ['reads nothing more', async () => {}],
      ['reads on', async (tx: Tx) => void (await tx.get('heads', { org: 'a' }))],
    ])('may be many: one of the first does not match, and the transaction %s (F46)', async (_, then) => {
      const failed = store.transact(async (tx) => {
        for (const position of MANY) await tx.append('alarms', alarm(position));
        for (const position of MANY) await tx.updateOrFail([recode(position, position === '3' ? 'x' : 'c')]);
        await then(tx);
      });
      await expect(failed).rejects.toThrow(Conflict);
      expect(await store.read((tx) => tx.select('alarms', {}))).toEqual([]);
    });

    it('that must all match may be of one row, one after the other', async () => {
      const step = (from: string, to: string) =>
        ({ table: 'heads', key: { org: 'a' }, expect: { position: from }, set: { position: to } }) as const;
      await store.transact(async (tx) => {
        await tx.updateOrFail([step('9', '10')]);
        await tx.updateOrFail([step('10', '11')]);
      });
      expect(await positions()).toEqual(['11', '9', '9']);
    });

    it('judge each guard on the newest version: of several takers one gets a row', async () => {
      const take = () =>
        store.transact((tx) =>
          tx.updateAll([
            { table: 'heads', key: { org: 'a' }, expect: { position: '9' }, set: { position: '10' } },
            { table: 'heads', key: { org: 'b' }, expect: { position: '9' }, set: { position: '10' } },
          ]),
        );
      const taken = await Promise.all([take(), take(), take()]);
      expect(taken.toSorted((a, b) => (b[0] ?? 0) - (a[0] ?? 0))).toEqual([
        [1, 1],
        [0, 0],
        [0, 0],
      ]);
    });
  });
}

const attempt = (revision: number, n: number): AttemptRow => ({
  org: 'a',
  service: 'web@lab',
  revision,
  attempt: n,
  kind: 'deploy',
  startedAt: 1,
  outcome: 'in_progress',
  endedAt: null,
  artifact: null,
  port: null,
  command: null,
});

const alarm = (position: string): AlarmRow => ({ org: 'a', position, code: 'c', service: null, at: 1 });

const lease: LeaseRow = {
  org: 'a',
  id: 'x',
  command: 'c',
  kind: 'build',
  service: 'web@lab',
  target: 'lab',
  fence: '12345678901234567890',
  caller: 'w',
  worker: 'w',
  instance: 'w-1',
  epoch: '3',
  grantedAt: 1,
  acknowledgedAt: null,
  until: 2,
  sweepAt: 2,
  silenced: false,
  growing: true,
  endedAt: null,
  end: null,
  lastSeq: null,
};
