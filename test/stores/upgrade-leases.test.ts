import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { isIntact } from '../../src/store/broken-row.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { describeWithPostgres } from '../lab.ts';
import { ORG, Platform, SOURCE, T0, WEB } from '../verbs/driver.ts';
import { building, running } from '../verbs/life.ts';

/** The schema of before 0022-lease-sweeps, on a database with data. */
const BEFORE = [
  'DROP INDEX leases_to_sweep',
  'ALTER TABLE leases DROP COLUMN sweep_at',
  'CREATE INDEX leases_ending ON leases (org, until) WHERE ended_at IS NULL',
  `DELETE FROM migrations WHERE name = '0022-lease-sweeps'`,
];
const SERVICES = [WEB, 'api@lab', 'idle@lab'];

interface Database {
  open(clock: () => number): Promise<SqliteStore | PostgresStore>;
  run(statements: readonly string[]): Promise<void>;
}

/** One service runs, one is built, and the build of one is offered: leases that have ended, are held, and are open offers. */
async function live(lab: Platform): Promise<void> {
  await running(lab);
  await lab.deploy(SOURCE, {}, { service: 'api@lab' });
  await lab.publish();
  await lab.builder('builder-b').take();
  await lab.deploy(SOURCE, {}, { service: 'idle@lab' });
  await lab.publish();
  await lab.builder('builder-c').offer();
}

const claimsOf = (lab: Platform) => Promise.all(SERVICES.map((service) => lab.claim(service)));
const leasesOf = (lab: Platform) =>
  lab.store.read((tx) => tx.select('leases', { org: ORG }, { order: 'id' }));

async function keepsClaims({ open, run }: Database): Promise<void> {
  const clock = { now: T0 };
  const before = new Platform(await open(() => clock.now), clock);
  await live(before);
  const [claims, leases] = [await claimsOf(before), await leasesOf(before)];
  expect(claims.map(({ state }) => state)).toEqual(['running', 'building', 'waiting_for_worker']);
  await before.store.close();
  await run(BEFORE);
  const after = new Platform(await open(() => clock.now), clock);
  expect(await claimsOf(after)).toEqual(claims);
  const upgraded = await leasesOf(after);
  expect(upgraded).toMatchObject(leases.filter(isIntact).map(({ sweepAt: _, ...row }) => row));
  const held = upgraded.filter(isIntact).filter(({ endedAt }) => endedAt === null);
  expect(held.map(({ sweepAt }) => sweepAt)).toEqual(held.map(({ until }) => until));
  await after.tick(30_000);
  const [, api, idle] = await claimsOf(after);
  expect([api?.state, idle?.state]).toEqual(['waiting_for_worker', 'waiting_for_worker']);
  const ends = (await leasesOf(after)).filter(isIntact).map(({ end }) => end);
  expect(ends.filter((end) => end === 'lapsed' || end === 'not_taken_up')).toHaveLength(2);
  await after.store.close();
}

describe('a database from before leases were found by an instant of their own', () => {
  it('is upgraded with its data: claims stay, and open leases end in time (SQLite)', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'evident-upgrade-'));
    await keepsClaims({
      open: (clock) => SqliteStore.open(dir, { clock }),
      run: async (statements) => {
        const db = new SqliteConnection(join(dir, 'evident.db'));
        for (const statement of statements) db.exec(statement);
        db.close();
      },
    });
    rmSync(dir, { recursive: true, force: true });
  });
});

describeWithPostgres('leases on PostgreSQL', (newUrl) => {
  const query = async (url: string, statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const results = [];
    for (const statement of statements) results.push(await client.query(statement));
    await client.end();
    return results;
  };

  it('are upgraded with their data: claims stay, and open leases end in time', async () => {
    const url = await newUrl();
    await keepsClaims({
      open: (clock) => PostgresStore.open(url, { clock }),
      run: async (statements) => void (await query(url, statements)),
    });
  });

  it('are renewed without a write to any index', async () => {
    const url = await newUrl();
    const clock = { now: T0 };
    const store = await PostgresStore.open(url, { clock: () => clock.now });
    const lab = new Platform(store, clock);
    const build = await building(lab);
    // No more versions than fit on the page: a snapshot of somebody else may keep the old ones there.
    for (let n = 0; n < 10; n++) {
      lab.sleep(500);
      await build.heartbeat();
    }
    // Each connection reports its counts when it closes.
    await store.close();
    const counted = `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'leases'`;
    const [found] = await query(url, [counted]);
    expect(found?.rows).toEqual([{ all: 11, hot: 11 }]);
  });
});
