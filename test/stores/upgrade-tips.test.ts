import { describe, expect } from 'vitest';
import { readable } from '../../src/store/broken-row.ts';
import { ORG, Platform, SOURCE, T0, WEB } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';
import { itUpgrades, type Upgraded } from './upgraded.ts';

/** The schema of before 0023-tips, on a database with data. */
const BEFORE = ['ALTER TABLE heads DROP COLUMN tip', `DELETE FROM migrations WHERE name = '0023-tips'`];

const headOf = async (lab: Platform) => readable(await lab.store.read((tx) => tx.get('heads', { org: ORG })));

async function keepsClaims({ open, run }: Upgraded): Promise<void> {
  const clock = { now: T0 };
  const before = new Platform(await open(() => clock.now), clock);
  await running(before);
  const [claim, head] = [await before.claim(WEB), await headOf(before)];
  expect(head.tip).toMatch(/^[0-9a-f]{16}$/);
  await before.store.close();
  await run(BEFORE);
  const after = new Platform(await open(() => clock.now), clock);
  expect(await after.claim(WEB)).toEqual(claim);
  expect(await headOf(after)).toEqual({ ...head, tip: '' });
  await after.deploy(SOURCE, {}, { service: 'api@lab' });
  expect((await headOf(after)).tip).toMatch(/^[0-9a-f]{16}$/);
  await after.store.close();
}

describe('a database from before ledgers had a tip', () => {
  itUpgrades('is upgraded with its data: claims stay, and the next commit gives it one', keepsClaims);
});
