import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { rebuild } from '../../src/repair/rebuild.ts';
import { listServices } from '../../src/server/reads/services.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { describeWithPostgres } from '../lab.ts';
import { type Agent, instance } from '../verbs/agent.ts';
import { OBSERVE, ORG, Platform, SOURCE, T0, WEB } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';

/** The schema of before 0023-services-found-apart, on a database with data. */
const BEFORE = [
  'DROP TABLE service_index',
  'CREATE INDEX services_by_state ON services (org, state, service)',
  'CREATE INDEX services_awaiting ON services (org, target) WHERE awaits_report = true',
  'CREATE INDEX services_due ON services (org, due) WHERE due IS NOT NULL',
  `DELETE FROM migrations WHERE name = '0023-services-found-apart'`,
];
const IDLE = 'idle@lab';
const QUEUE_MS = 60_000;

const moveTo = (agent: Agent, lab: Platform) => Object.assign(agent, { lab });

describeWithPostgres('services on PostgreSQL', (newUrl) => {
  const query = async (url: string, statements: readonly string[]) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const results = [];
    for (const statement of statements) results.push(await client.query(statement));
    await client.end();
    return results;
  };
  const clock = { now: T0 };
  const open = async (url: string) =>
    new Platform(await PostgresStore.open(url, { clock: () => clock.now }), clock);
  const byAttention = async ({ host }: Platform) => {
    const filter = {
      after: '',
      order: 'attention',
      state: undefined,
      target: undefined,
      hidden: true,
    } as const;
    const all = { ...filter, binding: { target: '*', service: '*' }, limit: 100 };
    const { found } = await listServices(host, ORG, 'user', all);
    return found.map(({ service, claim: { state } }) => `${service} ${state}`);
  };

  it('are upgraded with their data: they are found by state, by deadline and by what awaits a report', async () => {
    const url = await newUrl();
    const before = await open(url);
    const agent = await running(before);
    await before.deploy(SOURCE, { deadlines: { queueMs: QUEUE_MS } }, { service: IDLE });
    await before.publish();
    const claims = [await before.claim(), await before.claim(IDLE)];
    expect(claims.map(({ state }) => state)).toEqual(['running', 'waiting_for_worker']);
    await before.store.close();
    await query(url, BEFORE);
    const after = await open(url);
    moveTo(agent, after);
    expect([await after.claim(), await after.claim(IDLE)]).toEqual(claims);
    expect(await byAttention(after)).toEqual([`${IDLE} waiting_for_worker`, `${WEB} running`]);
    await after.tick(QUEUE_MS);
    expect(await after.path()).toContain('unknown by clock');
    expect(await byAttention(after)).toEqual([`${IDLE} failed`, `${WEB} unknown`]);
    await agent.watches(10_000);
    expect((await after.path()).at(-1)).toMatch(/^running/);
    await after.store.close();
  });

  it('whose row in the table beside them is lost get it back from a rebuild', async () => {
    const url = await newUrl();
    const lab = await open(url);
    await running(lab);
    await query(url, ['DELETE FROM service_index']);
    expect(await byAttention(lab)).toEqual([]);
    await rebuild(lab.host, { replace: true });
    expect(await byAttention(lab)).toEqual([`${WEB} running`]);
    await lab.store.close();
  });

  it('fall silent, and are heard again, without a write to any index of theirs', async () => {
    const url = await newUrl();
    const others = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    const counts = async () => {
      // Each connection reports its counts when it ends.
      await vi.waitFor(async () => expect((await query(url, [others]))[0]?.rows).toEqual([]), 30_000);
      // Old versions are cleaned up, as the database does by itself: a page has room for one more of each row.
      const counted = `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'services'`;
      return (await query(url, ['VACUUM services', counted]))[1]?.rows[0] as { all: number; hot: number };
    };
    const services = Array.from({ length: 40 }, (_, i) => `s${i}@lab`);
    const template = 'f00d';
    const [instances, entries] = [
      services.map((service) => instance(service, { service, template })),
      services.map((service) => ({ service, template, replicas: 1 })),
    ];
    const first = await open(url);
    for (const service of services) await first.deploy(OBSERVE, {}, { service });
    const agent = await first.agent().register();
    const settle = async () => {
      for (let n = 0; n < 3; n++) {
        await agent.sees(instances, entries);
        await agent.lab.tick(5_000);
      }
    };
    await settle();
    await first.store.close();
    const { all, hot } = await counts();
    const second = await open(url);
    moveTo(agent, second);
    await second.tick(20_000);
    expect(await second.claim('s7@lab')).toMatchObject({ state: 'unknown' });
    await second.store.close();
    const silent = await counts();
    expect(silent.all - all).toBeGreaterThanOrEqual(services.length);
    expect(silent.hot - hot).toBe(silent.all - all);
    const third = await open(url);
    moveTo(agent, third);
    await settle();
    expect(await third.claim('s7@lab')).toMatchObject({ state: 'running' });
    await third.store.close();
    const heard = await counts();
    expect(heard.hot - hot).toBe(heard.all - all);
  });
});
