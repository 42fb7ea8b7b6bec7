import { archive } from '../../src/repair/archive.ts';
import { movedInto } from '../../src/repair/moved-rows.ts';
import { Platform } from '../verbs/driver.ts';
import { ORG } from '../verbs/names.ts';
import { arm, listenToDrivers, type Point } from './doom.ts';
import { openAt, type Place } from './place.ts';

/** Moves out what is old, and dies in the transaction that takes a page away which the file has (F16). */
export interface Retain {
  readonly do: 'retain';
  readonly point: Point;
  /** Counted from 1. */
  readonly page: number;
  readonly at: Place;
  readonly now: number;
  readonly file: string;
}

export async function retain({ point, page, at, now, file }: Retain): Promise<void> {
  listenToDrivers();
  let pages = 0;
  await moveOut(new Platform(await openAt(at, () => now), { now }), file, () => {
    pages += 1;
    if (pages === page) arm(point);
  });
}

/** As the server and `evident archive` do it: what is two days old, and all but one revision. */
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
