import { expect, it } from 'vitest';
import type { LedgerEntry } from '../../src/evidence/ledger-entry.ts';
import { readFrom } from '../../src/evidence/read.ts';
import type { Read, Store } from '../../src/store/port.ts';
import type { Platform } from '../verbs/driver.ts';
import { building } from '../verbs/life.ts';
import { ORG } from '../verbs/names.ts';
import { describeOnBoth } from './both-databases.ts';

/** A life that leaves rows in all three tables. */
async function live(lab: Platform): Promise<void> {
  const build = await building(lab);
  await build.progress(1);
  await build.send('build.progress', { step: 2, message: '' }, { fence: '9' });
  await build.fails();
}

const positions = (entries: readonly LedgerEntry[]) => entries.map((e) => Number(e.position));

describeOnBoth('reading the ledger from a position', (newPlatform) => {
  it('returns evidence, transitions and alarms in one sequence without a gap', async () => {
    const lab = await newPlatform();
    await live(lab);
    const { entries, head } = await readFrom(lab.host, ORG, '0', 100);
    expect(new Set(entries.map((e) => e.kind))).toEqual(new Set(['evidence', 'transition', 'alarm']));
    expect(positions(entries)).toEqual(Array.from({ length: Number(head) }, (_, n) => n + 1));
    for (const { kind, position, row } of entries) {
      const table = kind === 'evidence' ? 'ledger' : kind === 'transition' ? 'transitions' : 'alarms';
      expect(await lab.store.read((tx) => tx.get(table, { org: ORG, position }))).toEqual(row);
    }
  });

  it('returns the same entries whatever the limit of each page', async () => {
    const lab = await newPlatform();
    await live(lab);
    const whole = (await readFrom(lab.host, ORG, '0', 100)).entries;
    for (const limit of [1, 2, 3, 5, whole.length]) {
      const pieces: LedgerEntry[] = [];
      for (let from = '0'; ; from = pieces.at(-1)?.position ?? from) {
        const { entries } = await readFrom(lab.host, ORG, from, limit);
        expect(entries.length).toBeLessThanOrEqual(limit);
        if (entries.length === 0) break;
        pieces.push(...entries);
      }
      expect(pieces).toEqual(whole);
    }
  });

  it('is one snapshot: what is committed between its statements is left for the next read', async () => {
    const lab = await newPlatform();
    const build = await building(lab);
    const before = (await readFrom(lab.host, ORG, '0', 100)).entries.length;
    // Ends the build after the ledger was read and before the transitions are.
    const store: Store = {
      transact: (work, lane) => lab.store.transact(work, lane),
      read: (work, lane) =>
        lab.store.read(async (tx) => {
          const readAll = async (reads: readonly Read[]) => {
            const answers: unknown[] = [];
            for (const read of reads) {
              if (read !== 'now' && read.table === 'transitions') await build.fails();
              answers.push(...(await tx.readAll([read])));
            }
            return answers;
          };
          return work({ ...bound(tx), readAll: readAll as Reading['readAll'] });
        }, lane),
    };
    const { entries, head } = await readFrom({ ...lab.host, store }, ORG, '0', 100);
    expect(entries).toHaveLength(before);
    expect(head).toBe(String(before));
    const next = await readFrom(lab.host, ORG, head, 100);
    expect(positions(next.entries)).toEqual([before + 1, before + 2]);
  });

  it('an org reads nothing of another org, and nothing above its head', async () => {
    const lab = await newPlatform();
    await live(lab);
    expect(await readFrom(lab.host, 'other', '0', 100)).toMatchObject({ entries: [], head: '0' });
    const { head } = await readFrom(lab.host, ORG, '0', 1);
    expect(await readFrom(lab.host, ORG, `${head}0`, 100)).toMatchObject({ entries: [], head });
  });
});

type Reading = Parameters<Parameters<Store['read']>[0]>[0];
const bound = (tx: Reading): Reading => ({
  now: () => tx.now(),
  get: (table, key) => tx.get(table, key),
  select: (table, where, options) => tx.select(table, where, options),
  tally: (table, by, where) => tx.tally(table, by, where),
  readAll: (reads) => tx.readAll(reads),
});
