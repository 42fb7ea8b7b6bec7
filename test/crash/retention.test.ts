import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuild } from '../../src/repair/rebuild.ts';
import { describeWithPostgres } from '../lab.ts';
import { createOldStore, exportedRows, liveInThePast, missing, rowsIn } from '../retention/old-store.ts';
import { newLab, Platform } from '../verbs/driver.ts';
import { T0 } from '../verbs/names.ts';
import { everything } from './control.ts';
import type { Point } from './kill-points.ts';
import { openStore, type StoreLocation } from './open-store.ts';
import { EXPECTED, POINTS_OF } from './results.ts';
import { moveOut } from './retain.ts';
import { useChildren } from './spawn.ts';

let dir: string;
/** Every row after a run in memory without a kill. */
let undisturbed: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'evident-retention-crash-'));
  const lab = newLab();
  await liveInThePast(lab);
  await moveOut(lab, join(dir, 'undisturbed.ndjson'));
  undisturbed = await everything(lab);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const newDir = async () => mkdtempSync(join(dir, 'at-'));

/** The first page holds rows of the ledger, the third a revision with its attempts and commands. */
const PAGES = [1, 3];

function suite(database: 'sqlite' | 'postgres', newLocation: () => Promise<StoreLocation>): void {
  const start = useChildren();

  async function on<T>(at: StoreLocation, now: number, work: (lab: Platform) => Promise<T>): Promise<T> {
    const store = await openStore(at, () => now);
    try {
      return await work(new Platform(store, { now }));
    } finally {
      await store.close();
    }
  }

  const kills = PAGES.flatMap((page) =>
    POINTS_OF[database].filter((point) => point !== 'answered').map((point) => [page, point] as const),
  );
  it.each(kills)(
    'a process is killed while it deletes page %i, and no row is lost: %s (F16)',
    async (page, point) => {
      const at = await newLocation();
      const now = await createOldStore(at, T0);
      const file = join(await newDir(), 'old.ndjson');
      const [before, claim] = await on(at, now, async (lab) => [
        await exportedRows(lab.store),
        await lab.claim(),
      ]);

      const { signal, errors } = await start({ do: 'retain', point, page, at, now, file }, () => {}).ended;
      expect(signal, `the child did not reach the kill point: ${errors}`).toBe('SIGKILL');

      await on(at, now, async (lab) => {
        await expectUnchanged(lab, claim);
        const after = await exportedRows(lab.store);
        expect(missing(before, after, rowsIn(file)), 'nothing is lost').toEqual([]);
        if (EXPECTED[point as Point] !== 'either')
          expect(
            [...rowsIn(file)].some((row) => after.has(row)),
            'the page is in the file and in the store',
          ).toBe(EXPECTED[point as Point] === 'nothing');
        await moveOut(lab, file);
        await expectUnchanged(lab, claim);
        expect(missing(before, await exportedRows(lab.store), rowsIn(file))).toEqual([]);
        expect(await everything(lab)).toBe(undisturbed);
      });
    },
  );
}

/** Checks that the claim is unchanged and that the facts equal those folded from the ledger (S9). */
async function expectUnchanged(lab: Platform, claim: unknown): Promise<void> {
  expect(await lab.claim()).toEqual(claim);
  const differences: unknown[] = [];
  await rebuild(lab.host, { replace: false, onDifference: (d) => differences.push(d) });
  expect(differences).toEqual([]);
}

describe('retention, killed on SQLite', () => {
  suite('sqlite', async () => ({ sqlite: await newDir() }));
});
describeWithPostgres('retention, killed on PostgreSQL', (newUrl) => {
  suite('postgres', async () => ({ postgres: await newUrl() }));
});
