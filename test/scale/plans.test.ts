import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidencePage, rejectedPage } from '../../src/server/reads/records.ts';
import { gt } from '../../src/store/port.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { describeWithPostgres } from '../lab.ts';
import { instance } from '../verbs/agent.ts';
import { DIGEST, ORG, Platform, SOURCE, T0 } from '../verbs/driver.ts';
import { visible } from '../verbs/visible.ts';
import { fill } from './fill.ts';

const ROWS = 4_000;
const OPERATOR = {
  org: ORG,
  role: 'operator',
  name: 'o',
  instance: '',
  target: '*',
  service: '*',
} as const;
/**
 * Tables with a handful of rows whatever the age of the installation: one per org, per server, per outage, per
 * recovery.
 */
const SMALL = [
  'heads',
  'beats',
  'blinds',
  'workers',
  'counters',
  'recoveries',
  'retention',
  'settings',
  'migrations',
];

/** One life of a deployment, so that every statement of every verb runs at least once. */
async function live(lab: Platform<SqliteStore | PostgresStore>): Promise<void> {
  await lab.sweep();
  await lab.holds(DIGEST);
  await lab.deploy(SOURCE, {}, { key: 'k', fingerprint: 'f' });
  await lab.publish();
  const build = await lab.builder().take();
  await build.heartbeat();
  await build.taker.submit(build.item('build.progress', { step: 1, total: 2 }, { seq: '1' }));
  await build.stored(DIGEST);
  await lab.publish();
  const agent = await lab.agent().register();
  await agent.sees([]);
  await (await agent.take()).applied();
  await agent.sees([instance('u1')]);
  await lab.tick(3_000);
  await agent.heartbeat();
  await agent.changes({ instances: [instance('u1', { restarts: 1 })] });
  // Twice the stability window, because it exited once.
  await lab.tick(6_000);
  await agent.sees([instance('u1', { restarts: 1 })]);
  expect((await lab.claim()).state).toBe('running');
  await lab.claimAt(lab.now - 2_000);
  await lab.asOperator();
  await evidencePage(lab.host, visible(lab), '0', 20, 'rejected');
  await rejectedPage(lab.host, OPERATOR, '0', 20);
  // The reading of one state, of which the list by attention is made.
  await lab.host.store.read((tx) =>
    tx.select('services', { org: ORG, state: 'failed', service: gt('') }, { order: 'service', limit: 100 }),
  );
  await lab.history();
  await lab.scale(2);
  await lab.restart();
  await lab.cancel().catch(() => {});
  await lab.rollback().catch(() => {});
  await lab.publish();
  await lab.agent('agent-two', 'agent-two-1').register();
  await lab.tick(40_000);
  await lab.teardown('gone').catch(() => {});
  await lab.tick(2_000);
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Every distinct statement that a driver receives while `work` runs. */
async function watch(
  spy: (see: (statements: Statement) => void) => () => void,
  work: () => Promise<void>,
): Promise<Statement[]> {
  const statements = new Map<string, Statement>();
  const stop = spy((one) => statements.set(one.text, one));
  try {
    await work();
  } finally {
    stop();
  }
  return [...statements.values()].filter(({ text }) => /^(select|update|delete|insert|with)/i.test(text));
}

describe('plans on SQLite', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'evident-plans-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('no frequent statement scans a table (F55)', { timeout: 120_000 }, async () => {
    const clock = { now: T0 };
    const store = await SqliteStore.open(dir, { clock: () => clock.now });
    await fill(store, ORG, ROWS, T0 - 1);
    const { prototype } = Database as unknown as { prototype: { prepare(text: string): unknown } };
    const { prepare } = prototype;
    const spy = (see: (statements: Statement) => void) => {
      prototype.prepare = function (text: string) {
        see({ text, values: [] });
        return prepare.call(this, text);
      };
      return () => {
        prototype.prepare = prepare;
      };
    };
    const statements = await watch(spy, () => live(new Platform(store, clock)));
    await store.close();
    const db = new SqliteConnection(join(dir, 'evident.db'));
    const scans = statements.flatMap(({ text }) => {
      const plan = db.all(`EXPLAIN QUERY PLAN ${text}`).map((row) => String(row[3]));
      // A search by the org alone scans the whole org.
      const walks = plan.filter(
        (line) =>
          (/^SCAN /.test(line) || / \(org=\?\)$/.test(line)) &&
          // The list of keys that is passed to a statement.
          !/^SCAN k VIRTUAL TABLE/.test(line) &&
          !SMALL.some((t) => new RegExp(`^(SCAN|SEARCH) ${t}\\b`).test(line)),
      );
      return walks.length > 0 ? [`${walks.join('; ')}: ${text}`] : [];
    });
    db.close();
    expect(statements.length).toBeGreaterThan(60);
    expect(scans).toEqual([]);
  });
});

describeWithPostgres('plans on PostgreSQL', (newUrl) => {
  it('no frequent statement scans a table (F55)', { timeout: 120_000 }, async () => {
    const url = await newUrl();
    const clock = { now: T0 };
    const store = await PostgresStore.open(url, { clock: () => clock.now });
    await fill(store, ORG, ROWS, T0 - 1);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('ANALYZE');
    const { prototype } = pg.Client;
    const { query } = prototype;
    const spy = (see: (statements: Statement) => void) => {
      prototype.query = function (this: pg.Client, ...args: unknown[]) {
        const [batch] = args as [{ statements?: readonly Statement[] }];
        for (const { text, values } of batch.statements ?? []) see({ text, values });
        return (query as (...all: unknown[]) => unknown).apply(this, args);
      } as typeof query;
      return () => {
        prototype.query = query;
      };
    };
    const statements = await watch(spy, () => live(new Platform(store, clock)));
    const scans: string[] = [];
    // As in the store: one plan for all values.
    await client.query('SET plan_cache_mode = force_generic_plan');
    for (const { text, values } of statements) {
      const placeholders = values.length === 0 ? '' : `(${values.map(() => 'NULL')})`;
      await client.query(`PREPARE explained AS ${text}`);
      const { rows } = await client.query({
        text: `EXPLAIN EXECUTE explained${placeholders}`,
        rowMode: 'array',
      });
      await client.query('DEALLOCATE explained');
      // As on SQLite: a search by the org alone scans the whole org.
      const walks = rows
        .map(([line]) => String(line))
        .filter((line) => /Seq Scan on|Index Cond: \(org = [^)]*\)$/.test(line))
        .filter((line) => !SMALL.some((t) => line.includes(`Seq Scan on ${t}`)));
      if (walks.length > 0) scans.push(`${walks.join('; ')}: ${text}`);
    }
    await client.end();
    await store.close();
    expect(statements.length).toBeGreaterThan(60);
    expect(scans).toEqual([]);
  });
});
