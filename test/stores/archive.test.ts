import { expect, it } from 'vitest';
import { type Archived, archive } from '../../src/repair/archive.ts';
import type { MovedRow } from '../../src/repair/moved-row.ts';
import { rebuild } from '../../src/repair/rebuild.ts';
import { readable } from '../../src/store/broken-row.ts';
import type { Table } from '../../src/store/schema.ts';
import { live } from '../retention/old-store.ts';
import { DIGEST, ORG, type Platform, WEB } from '../verbs/driver.ts';
import { describeOnBoth } from './both-databases.ts';

const DAY = 24 * 3_600_000;
const count = async (lab: Platform, table: Table) =>
  (await lab.store.read((tx) => tx.select(table, {}))).length;

async function moveOut(lab: Platform, before: number, remove = true) {
  const moved: MovedRow[] = [];
  const policy = { before, keepRevisions: 2 };
  const counts: Archived = await archive(lab.host, ORG, {
    policy,
    remove,
    moved: async (rows) => void moved.push(...rows),
  });
  return { moved, counts };
}

describeOnBoth('retention', (newPlatform) => {
  it('archives old rows, deletes them, and keeps those that claims and rollbacks need', async () => {
    const lab = await newPlatform({ checkpointEvery: 6 });
    await live(lab);
    const border = lab.now + 1;
    lab.now += 3 * DAY;
    await lab.sweep();
    const before = await lab.claim();
    const at = await lab.claimAt(border);
    const rows = await count(lab, 'ledger');

    const dry = await moveOut(lab, border, false);
    expect(dry.counts.ledger).toBeGreaterThan(5);
    expect(await count(lab, 'ledger'), 'exporting alone takes nothing away').toBe(rows);
    expect(await count(lab, 'retention')).toBe(0);

    const { moved, counts } = await moveOut(lab, border);
    expect(counts).toEqual(dry.counts);
    expect(moved.map(({ table }) => table).toSorted()).toEqual(
      dry.moved.map(({ table }) => table).toSorted(),
    );
    expect(await count(lab, 'ledger')).toBe(rows - (counts.ledger ?? 0));
    expect(await count(lab, 'keys'), 'a key serves for a day').toBe(0);
    expect(await count(lab, 'evidenceIds')).toBe(0);

    expect(await lab.claim()).toEqual(before);
    expect(await lab.claimAt(border)).toEqual(at);
    await expect(lab.claimAt(border - 1)).rejects.toMatchObject({
      code: 'before_retention',
      params: { earliest: new Date(border).toISOString() },
    });
    const kept = (await lab.history()).map(({ intent }) => intent.revision);
    expect(kept, 'the newest two, and the one that a rollback goes back to').toEqual([4, 3, 1]);
    expect(await count(lab, 'checkpoints')).toBe(1);
    const differences: unknown[] = [];
    await rebuild(lab.host, { replace: false, onDifference: (d) => differences.push(d) });
    expect(differences).toEqual([]);

    const head = await lab.store.read((tx) => tx.get('heads', { org: ORG }));
    await lab.holds(DIGEST);
    expect((await lab.rollback()).revision).toBe(5);
    const after = await lab.store.read((tx) => tx.get('heads', { org: ORG }));
    expect(Number(readable(after).position), 'no position is handed out again (S10)').toBeGreaterThan(
      Number(readable(head).position),
    );
    expect((await lab.claim(WEB)).desired).toMatchObject({ revision: 5, artifact: DIGEST });
  }, 60_000);

  it('moves no row that is younger than a day, even where the policy requests it', async () => {
    const lab = await newPlatform();
    await live(lab);
    lab.now += DAY / 2;
    expect((await moveOut(lab, lab.now)).moved).toEqual([]);
    expect(await count(lab, 'keys')).toBe(3);
  }, 60_000);
});
