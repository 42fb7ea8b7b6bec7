import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rebuild } from '../../src/repair/rebuild.ts';
import { describeWithPostgres } from '../lab.ts';
import { exportedRows, livedLongAgo, liveLongAgo, missing, rowsIn } from '../retention/long-ago.ts';
import { newLab, Platform } from '../verbs/driver.ts';
import { T0 } from '../verbs/names.ts';
import { everything } from './control.ts';
import type { Point } from './doom.ts';
import { openAt, type Place } from './place.ts';
import { moveOut } from './retain.ts';
import { useChildren } from './spawn.ts';
import { EXPECTED, POINTS_OF } from './table.ts';

let dir: string;
/** Every row that a run in memory leaves behind in which nobody dies. */
let undisturbed: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'evident-retention-crash-'));
  const lab = newLab();
  await liveLongAgo(lab);
  await moveOut(lab, join(dir, 'undisturbed.ndjson'));
  undisturbed = await everything(lab);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const newDir = async () => mkdtempSync(join(dir, 'at-'));

/** The first page is of the ledger, the third a revision with all that goes with it. */
const PAGES = [1, 3];

function suite(database: 'sqlite' | 'postgres', newPlace: () => Promise<Place>): void {
  const start = useChildren();

  async function on<T>(at: Place, now: number, work: (lab: Platform) => Promise<T>): Promise<T> {
    const store = await openAt(at, () => now);
    try {
      return await work(new Platform(store, { now }));
    } finally {
      await store.close();
    }
  }

  const deaths = PAGES.flatMap((page) =>
    POINTS_OF[database].filter((point) => point !== 'answered').map((point) => [page, point] as const),
  );
  it.each(deaths)('page %i: %s (F16)', async (page, point) => {
    const at = await newPlace();
    const now = await livedLongAgo(at, T0);
    const file = join(await newDir(), 'old.ndjson');
    const [before, claim] = await on(at, now, async (lab) => [
      await exportedRows(lab.store),
      await lab.claim(),
    ]);

    const { signal, errors } = await start({ do: 'retain', point, page, at, now, file }, () => {}).ended;
    expect(signal, `it never came to the point: ${errors}`).toBe('SIGKILL');

    await on(at, now, async (lab) => {
      await isAsItWas(lab, claim);
      const after = await exportedRows(lab.store);
      expect(missing(before, after, rowsIn(file)), 'nothing is lost').toEqual([]);
      if (EXPECTED[point as Point] !== 'either')
        expect(
          [...rowsIn(file)].some((row) => after.has(row)),
          'the page is there twice',
        ).toBe(EXPECTED[point as Point] === 'nothing');
      await moveOut(lab, file);
      await isAsItWas(lab, claim);
      expect(missing(before, await exportedRows(lab.store), rowsIn(file))).toEqual([]);
      expect(await everything(lab)).toBe(undisturbed);
    });
  });
}

/** What is claimed, and that the facts are what the ledger gives (S9). */
async function isAsItWas(lab: Platform, claim: unknown): Promise<void> {
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
