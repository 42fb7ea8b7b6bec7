import { archive } from '../../src/repair/archive.ts';
import { movedInto } from '../../src/repair/moved-rows.ts';
import { Platform } from '../verbs/driver.ts';
import { ORG } from '../verbs/names.ts';
import { hookDrivers, type Point, setKillPoint } from './kill-points.ts';
import { openStore, type StoreLocation } from './open-store.ts';

/** Archives old rows, and is killed in the transaction that deletes a page that is already in the file (F16). */
export interface Retain {
  readonly do: 'retain';
  readonly point: Point;
  /** Counted from 1. */
  readonly page: number;
  readonly at: StoreLocation;
  readonly now: number;
  readonly file: string;
}

export async function retain({ point, page, at, now, file }: Retain): Promise<void> {
  hookDrivers();
  let pages = 0;
  await moveOut(new Platform(await openStore(at, () => now), { now }), file, () => {
    pages += 1;
    if (pages === page) setKillPoint(point);
  });
}

/** Archives as the server and `evident archive` do: rows older than two days, and all but one revision. */
export async function moveOut(lab: Platform, file: string, written = () => {}): Promise<void> {
  const out = await movedInto(file);
  const policy = { before: lab.now - 2 * 24 * 3_600_000, keepRevisions: 1 };
  await archive(lab.host, ORG, {
    policy,
    remove: true,
    moved: async (rows) => {
      await out.write(rows);
      written();
    },
  });
  await out.close();
}
