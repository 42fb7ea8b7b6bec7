import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import type { Settings } from '../../src/projection/facts.ts';
import type { RowDifference } from '../../src/repair/difference.ts';
import { Incarnation } from '../../src/repair/incarnation.ts';
import { rebuild } from '../../src/repair/rebuild.ts';
import { isIntact, readable } from '../../src/store/broken-row.ts';
import { COLUMNS } from '../../src/store/columns.ts';
import type { Store } from '../../src/store/port.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import type { Table } from '../../src/store/schema.ts';
import { SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { describeWithOwnPostgres, describeWithPostgres } from '../lab.ts';
import { damages, damaging, type Hand, ON_SQLITE } from '../server/damage.ts';
import { type Agent, instance } from '../verbs/agent.ts';
import { Platform } from '../verbs/driver.ts';
import { givesStored, subjects } from '../verbs/laws.ts';
import { running } from '../verbs/life.ts';
import { DIGEST, image, ORG, T0, WEB } from '../verbs/names.ts';

const API = 'api@lab';
/** A valid instant that no server has written. */
const Y2100 = String(Date.UTC(2100, 0));

/** A platform, and direct access to its database. */
interface Bench {
  readonly lab: Platform;
  damage(sql: string): Promise<void>;
}

const opened: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

function platformOn(
  store: Store & { close(): Promise<void> },
  clock: { now: number },
  settings: Partial<Settings> = {},
): Platform {
  opened.push(() => store.close());
  return new Platform(store, clock, settings);
}

function newDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'evident-unreadable-'));
  opened.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function onSqlite(settings: Partial<Settings> = {}): Promise<Bench & { readonly hand: Hand }> {
  const dir = newDirectory();
  const clock = { now: T0 };
  const lab = platformOn(await SqliteStore.open(dir, { clock: () => clock.now }), clock, settings);
  const db = new SqliteConnection(join(dir, 'evident.db'));
  opened.push(() => db.close());
  const hand: Hand = {
    run: async (sql) => db.exec(sql),
    rows: async (sql) => db.all(sql) as (string | number)[][],
    close: async () => {},
  };
  return { lab, damage: hand.run, hand };
}

const isBytes = (value: string) => value.startsWith('x');

async function onPostgres(url: string): Promise<Bench> {
  const clock = { now: T0 };
  const lab = platformOn(await PostgresStore.open(url, { clock: () => clock.now, connections: 4 }), clock);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  opened.push(() => client.end());
  return { lab, damage: async (sql) => void (await client.query(sql)) };
}

/** `web` and `api`, both running. */
async function two(lab: Platform): Promise<Agent> {
  const agent = await running(lab);
  await lab.deploy(image(`api@${DIGEST}`), {}, { service: API });
  await lab.publish();
  await (await agent.take()).applied();
  await agent.sees(both);
  await lab.tick(3_000);
  await agent.heartbeat();
  return agent;
}
const both = [instance('u1'), instance('a1', { service: API })];

const state = async (lab: Platform, service?: string) => (await lab.claim(service)).state;
const rows = (lab: Platform, table: 'alarms' | 'transitions') =>
  lab.store.read((tx) => tx.select(table, { org: ORG, service: WEB }, { order: 'position' }));
const corrupt = { state: 'unknown', cause: { code: 'evidence_corrupt' }, lastKnown: { state: 'running' } };

/** Runs the suite with `garbage`, a value that the column accepts and no reader can use. */
function unreadable(newBench: () => Promise<Bench>, garbage: string): void {
  const facts = `UPDATE services SET proven = '${garbage}' WHERE service = '${WEB}'`;

  it('broken facts: one service is unknown, until its next report folds them again from the ledger', async () => {
    const { lab, damage } = await newBench();
    const agent = await two(lab);
    await damage(facts);
    expect(await lab.claim()).toMatchObject(corrupt);
    expect(await state(lab, API)).toBe('running');
    await agent.heartbeat();
    await lab.tick(1_000);
    expect(await state(lab, API)).toBe('running');
    await agent.sees(both);
    expect(await state(lab)).toBe('running');
    expect(await rows(lab, 'alarms')).toMatchObject([{ code: 'facts_unreadable' }]);
    for (const subject of await subjects(lab)) givesStored(subject, subject.rows);
    expect((await agent.heartbeat()).resync, 'observed since').toBe(false);
  });

  it('broken facts and broken evidence: the service stays unknown, one alarm is raised, and nothing is replaced', async () => {
    const { lab, damage } = await newBench();
    const agent = await two(lab);
    await damage(facts);
    await damage(
      `UPDATE ledger SET body = '${garbage}' WHERE service = '${WEB}' AND kind = 'runtime.applied'`,
    );
    for (let n = 0; n < 3; n++) {
      await agent.sees([instance('u1', { restarts: n }), instance('a1', { service: API, ready: n > 0 })]);
      expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'evidence_corrupt' } });
      expect(await state(lab, API), 'until it was stable again').toBe('degraded');
      await lab.tick(1_000);
    }
    await agent.watches(6_000);
    expect(await state(lab, API), 'its neighbour goes on').toBe('running');
    expect(await rows(lab, 'alarms')).toMatchObject([{ code: 'evidence_unreadable' }]);
    if (garbage.startsWith('{'))
      expect((await lab.claimAt(lab.now)).cause?.code, 'nor is the past shown without it').toBe(
        'evidence_corrupt',
      );
    expect((await rows(lab, 'transitions')).at(-1)).toMatchObject({ from: 'running', to: 'unknown' });
    const stored = await lab.store.read((tx) => tx.get('services', { org: ORG, service: WEB }));
    expect(readable(stored).proven).not.toMatchObject({ revisions: [] });
    await expect(lab.deploy(image(`web@${DIGEST}`))).rejects.toMatchObject({ code: 'state_unknown' });
    await lab.restart(API);
    expect(await state(lab, API)).toBe('accepted');
  });

  it.each([
    ['source', garbage],
    ['body', garbage],
    ['kind', 'runtime.purple'],
  ])(
    '%s of evidence is broken: a rebuild leaves its service as it is, and rebuilds the others',
    async (column, value) => {
      const { lab, damage } = await newBench();
      await two(lab);
      await damage(
        `UPDATE ledger SET ${column} = '${value}' WHERE service = '${API}' AND kind = 'runtime.applied'`,
      );
      await damage(`UPDATE services SET outcome = 'failed'`);
      const found: RowDifference[] = [];
      const result = await rebuild(lab.host, { replace: true, onDifference: (d) => found.push(d) });
      expect(found).toMatchObject([
        { table: 'ledger', service: API, column, damage: 'unreadable' },
        { table: 'services', service: WEB, column: 'outcome', damage: null },
      ]);
      expect(result).toMatchObject({ services: 2, damage: 1, replaced: 1, left: 1 });
      const services = await lab.store.read((tx) =>
        tx.select('services', { org: ORG }, { order: 'service' }),
      );
      expect(services.filter(isIntact).map(({ outcome }) => outcome)).toEqual(['failed', 'succeeded']);
    },
  );

  it('broken facts and evidence of a service that is already unknown: one alarm is raised all the same', async () => {
    const { lab, damage } = await newBench();
    const agent = await two(lab);
    await lab.tick(60_000);
    await lab.sweep();
    expect((await rows(lab, 'transitions')).at(-1)).toMatchObject({ to: 'unknown' });
    await damage(facts);
    await damage(`UPDATE ledger SET kind = 'nobody.knows' WHERE service = '${WEB}'`);
    for (let n = 0; n < 3; n++) await agent.sees([instance('u1', { restarts: n }), ...both.slice(1)]);
    expect(await rows(lab, 'alarms')).toMatchObject([{ code: 'evidence_unreadable' }]);
    expect((await lab.claimAt(lab.now)).cause?.code).toBe('evidence_corrupt');
  });

  it('broken evidence alone: the claim rests on the facts and stands, and no alarm is raised', async () => {
    const { lab, damage } = await newBench();
    const agent = await two(lab);
    await damage(
      `UPDATE ledger SET body = '${garbage}' WHERE service = '${WEB}' AND kind = 'runtime.applied'`,
    );
    await agent.sees([instance('u1', { ready: false }), ...both.slice(1)]);
    expect(await state(lab)).toBe('degraded');
    expect(await rows(lab, 'alarms')).toEqual([]);
  });

  it('broken numbers in its row: one service is unknown, and the next report restores them from the ledger', async () => {
    const { lab, damage } = await newBench();
    const agent = await two(lab);
    const read = () => lab.store.read((tx) => tx.get('services', { org: ORG, service: WEB }));
    const before = await read();
    for (const column of ['created_at', 'newest', 'active', 'attempt', 'since', 'settled_to', 'rejected']) {
      await damage(`UPDATE services SET ${column} = 9000000000000000000 WHERE service = '${WEB}'`);
      expect((await lab.claim()).cause?.code, column).toBe('evidence_corrupt');
      expect(await state(lab, API), column).toBe('running');
      await agent.sees(both);
      expect(await state(lab), column).toBe('running');
    }
    const { createdAt, newest, active, attempt, since, position, rejected } = readable(before);
    expect(await read()).toMatchObject({ createdAt, newest, active, attempt, since, position, rejected });
    for (const subject of await subjects(lab)) givesStored(subject, subject.rows);
  });

  it.each([
    ['deadlines', 'null'],
    ['deadlines', '{}'],
    ['origin', 'null'],
    ['origin', '5'],
    ['origin', '{}'],
    ['accepts', '[null]'],
    ['spec', '5'],
    ['git', '"x"'],
  ])(
    'an intent whose %s is %s: one service is unknown, its neighbour is not affected, and a new intent mends it',
    async (column, shape) => {
      const { lab, damage } = await newBench();
      const agent = await two(lab);
      await damage(`UPDATE revisions SET ${column} = '${shape}' WHERE service = '${WEB}'`);
      expect(await lab.claim()).toMatchObject(corrupt);
      await agent.sees([instance('u1', { ready: false }), instance('a1', { service: API })]);
      await lab.tick(1_000);
      expect([await state(lab), await state(lab, API)]).toEqual(['unknown', 'running']);
      const found: RowDifference[] = [];
      const checked = await rebuild(lab.host, { replace: false, onDifference: (d) => found.push(d) });
      expect(found).toMatchObject([{ table: 'revisions', row: '1', column, damage: 'unreadable' }]);
      expect(checked).toMatchObject({ services: 2 });
      expect((await lab.deploy(image(`web@${DIGEST}`))).revision).toBe(2);
      expect([await state(lab), await state(lab, API)]).toEqual(['accepted', 'running']);
    },
  );

  it.each(['null', '5', '[]', '{}'])(
    'evidence whose body is %s: the service’s past is unknown, its neighbour’s is not',
    async (shape) => {
      const { lab, damage } = await newBench();
      await two(lab);
      await damage(
        `UPDATE ledger SET body = '${shape}' WHERE service = '${WEB}' AND kind = 'runtime.observed'`,
      );
      expect([await state(lab), await state(lab, API)]).toEqual(['running', 'running']);
      expect((await lab.claimAt(lab.now)).cause?.code).toBe('evidence_corrupt');
      expect((await lab.claimAt(lab.now, API)).state).toBe('running');
    },
  );

  it.each([true, false])(
    'a missing head: nothing is written, errors name it, and a recovery creates it again (declared: %s)',
    async (isDeclared) => {
      const { lab, damage } = await newBench();
      const agent = await two(lab);
      const head = () => lab.store.read((tx) => tx.get('heads', { org: ORG }));
      const before = await head();
      const data = newDirectory();
      // A directory with a witness finds the missing head without a declaration.
      if (!isDeclared) await Incarnation.open(lab.host, data);
      await damage('DELETE FROM heads');
      expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'evidence_corrupt' } });
      await expect(lab.restart(API)).rejects.toThrow(/heads is missing.*evident recovered/);
      await expect(agent.sees(both)).rejects.toThrow(/heads is missing/);
      const found: RowDifference[] = [];
      const options = { replace: true, onDifference: (d: RowDifference) => found.push(d) };
      expect(await rebuild(lab.host, options)).toMatchObject({
        services: 2,
        damage: 1,
        left: 1,
        replaced: 0,
      });
      expect(found).toMatchObject([{ table: 'heads', row: ORG, damage: 'missing' }]);
      const declared = { reason: 'the head was gone', actor: 'ana' };
      await Incarnation.open(lab.host, data, isDeclared ? { declared } : {});
      const [jump] = await lab.store.read((tx) => tx.select('recoveries', { org: ORG }));
      expect(readable(jump).from).toBe(readable(before).position);
      expect(await state(lab, API)).toBe('unknown');
      await lab.tick(1_000);
      const again = await lab.agent('agent-lab', 'agent-lab-2').register();
      await again.sees(both);
      await lab.tick(3_000);
      await again.heartbeat();
      expect([await state(lab), await state(lab, API)]).toEqual(['running', 'running']);
      expect(await rebuild(lab.host, { replace: false })).toMatchObject({ differences: 0 });
    },
  );

  it('a broken command is not offered, and the others are', async () => {
    const { lab, damage } = await newBench();
    await lab.deploy(image(`web@${DIGEST}`));
    await lab.deploy(image(`api@${DIGEST}`), {}, { service: API });
    await lab.publish();
    await damage(`UPDATE commands SET lapses = 9000000000000000000 WHERE service = '${WEB}'`);
    const agent = lab.agent();
    await agent.register();
    expect((await agent.take()).offer.service).toBe(API);
  });

  it.each([
    ['scopes', 'as_of', '9000000000000000000'],
    ['agents', 'registered_at', '9000000000000000000'],
    ['scopes', 'as_of', Y2100],
    ['scopes', 'received_at', Y2100],
    ['scopes', 'complete_at', Y2100],
  ])(
    'broken liveness: %s.%s = %s keeps no claim alive, the claim cites the damage, and the next full report mends it',
    async (table, column, value) => {
      const { lab, damage } = await newBench();
      const agent = await two(lab);
      await damage(`UPDATE ${table} SET ${column} = ${value}`);
      await lab.tick(60_000);
      expect(await lab.claim()).toMatchObject(corrupt);
      const again = table === 'agents' ? await lab.agent('agent-lab', 'agent-lab-2').register() : agent;
      await again.sees(both);
      await lab.tick(3_000);
      await again.heartbeat();
      expect([await state(lab), await state(lab, API)]).toEqual(['running', 'running']);
      // The damaged value does not come back.
      await lab.tick(60_000);
      expect((await lab.claim()).cause?.code).toBe('stale_runtime');
    },
  );

  it('a broken worker changes no claim', async () => {
    const { lab, damage } = await newBench();
    await lab.deploy(image(`web@${DIGEST}`));
    await lab.publish();
    await lab.builder().acquire();
    await damage(`UPDATE workers SET kinds = '${garbage}'`);
    expect(await state(lab)).toBe('waiting_for_worker');
  });

  it('a stored state outside of the vocabulary does not change the claim', async () => {
    const { lab, damage } = await newBench();
    const agent = await two(lab);
    await damage(`UPDATE services SET state = 'flying' WHERE service = '${WEB}'`);
    expect(await state(lab)).toBe('running');
    await agent.sees([instance('u1', { ready: false }), instance('a1', { service: API })]);
    expect([await state(lab), await state(lab, API)]).toEqual(['degraded', 'running']);
  });
}

describe('rows that cannot be read, on SQLite (F56)', () => {
  unreadable(() => onSqlite(), '{"from":1,"revi');

  it('whichever column is damaged, a rebuild names it and continues with the other services', {
    timeout: 120_000,
  }, async () => {
    const { lab, hand } = await onSqlite();
    await two(lab);
    const tables = (Object.keys(COLUMNS) as Table[]).filter((table) => table !== 'heads');
    const wrong: string[] = [];
    for (const damage of damages(tables, ON_SQLITE)) {
      const where = 'service' in COLUMNS[damage.table] ? `WHERE service = '${WEB}'` : '';
      await damaging(hand, damage, where, async () => {
        const found: RowDifference[] = [];
        const about = `${damage.table}.${damage.column} = ${damage.value}`;
        await rebuild(lab.host, { replace: false, onDifference: (d) => found.push(d) }).catch(
          (error: Error) => wrong.push(`${about}: ${error.stack}`),
        );
        if (found.some(({ service }) => service === API) && where !== '')
          wrong.push(`${about}: ${API} differs`);
        if (damage.table === 'revisions' && !damage.isKey && isBytes(damage.value) && found.length === 0)
          wrong.push(`${about}: is not reported`);
        await lab.claimAt(lab.now, API).catch((error: Error) => wrong.push(`${about}: ${error.stack}`));
      });
    }
    expect(wrong).toEqual([]);
    expect(await rebuild(lab.host, { replace: false })).toMatchObject({ differences: 0 });
  });

  it.each(['services.command', 'scopes.scope'])(
    '%s is bytes: the other services are reported, deployed and shown',
    async (place) => {
      const { lab, damage } = await onSqlite();
      const agent = await two(lab);
      const [table, column] = place.split('.');
      await damage(
        `UPDATE ${table} SET ${column} = x'ff00' ${table === 'services' ? `WHERE service = '${WEB}'` : ''}`,
      );
      await agent.sees(both);
      await lab.tick(3_000);
      await agent.heartbeat();
      expect([await state(lab), await state(lab, API)]).toEqual(['running', 'running']);
      expect((await lab.claimAt(lab.now, API)).state).toBe('running');
      await lab.deploy(image(`api@${DIGEST}`), {}, { service: API });
    },
  );

  it('a broken intent: one service is unknown', async () => {
    const { lab, damage } = await onSqlite();
    const agent = await two(lab);
    await damage(`UPDATE revisions SET deadlines = '{' WHERE service = '${WEB}'`);
    expect(await lab.claim()).toMatchObject(corrupt);
    await agent.sees([instance('u1', { ready: false }), instance('a1', { service: API })]);
    await lab.tick(1_000);
    expect([await state(lab), await state(lab, API)]).toEqual(['unknown', 'running']);
    await expect(lab.restart()).rejects.toMatchObject({ code: 'state_unknown' });
    expect((await lab.deploy(image(`web@${DIGEST}`))).revision, 'a new intent can be read').toBe(2);
    expect(await state(lab)).toBe('accepted');
  });

  it.each(['spec', 'origin'])(
    '%s of an intent is broken: a rebuild leaves the service as it is',
    async (column) => {
      const { lab, damage } = await onSqlite();
      await two(lab);
      const web = () => lab.store.read((tx) => tx.get('services', { org: ORG, service: WEB }));
      const before = await web();
      await damage(`UPDATE revisions SET ${column} = '{' WHERE service = '${WEB}'`);
      const found: RowDifference[] = [];
      const result = await rebuild(lab.host, { replace: true, onDifference: (d) => found.push(d) });
      expect(found).toMatchObject([{ table: 'revisions', row: '1', column, damage: 'unreadable' }]);
      expect(result).toMatchObject({ services: 2, replaced: 0, left: 1 });
      expect(await web()).toEqual(before);
    },
  );

  it('a broken checkpoint and broken facts: a rebuild replaces them', async () => {
    const { lab, damage } = await onSqlite({ checkpointEvery: 3 });
    await two(lab);
    await damage(`UPDATE checkpoints SET proven = '{'`);
    await damage(`UPDATE services SET proven = '{'`);
    expect(await rebuild(lab.host, { replace: true })).toMatchObject({ replaced: 2, damage: 0, left: 0 });
    expect(await rebuild(lab.host, { replace: false })).toMatchObject({ differences: 0 });
  });

  it('broken bytes in the database file: one service is unknown', async () => {
    const dir = newDirectory();
    const clock = { now: T0 };
    const first = await SqliteStore.open(dir, { clock: () => clock.now });
    const agent = await two(new Platform(first, clock));
    await first.close();
    const file = join(dir, 'evident.db');
    const db = new SqliteConnection(file);
    db.all('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    expect(breakFacts(file)).toBeGreaterThan(0);
    const lab = platformOn(await SqliteStore.open(dir, { clock: () => clock.now }), clock);
    expect(await lab.claim()).toMatchObject(corrupt);
    expect(await state(lab, API)).toBe('running');
    expect(agent.epoch).toBe('1');
  });
});

describeWithPostgres('rows that cannot be read, on PostgreSQL (F56)', (newUrl) => {
  unreadable(async () => onPostgres(await newUrl()), '[1]');
});

describeWithOwnPostgres('broken bytes in the files of PostgreSQL (F56)', ({ cluster, newUrl }) => {
  it('one service is unknown, and its neighbour runs', async () => {
    const url = await newUrl();
    const { lab, damage } = await onPostgres(url);
    // Stored as plain bytes of any length: damage in compressed ones is found by the database itself.
    await damage('ALTER TABLE services ALTER COLUMN proven SET STORAGE EXTERNAL');
    await two(lab);
    await damage('CHECKPOINT');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const found = await client.query<{ path: string }>(
      `SELECT pg_relation_filepath(oid) AS path FROM pg_class WHERE relname = 'services'
       UNION SELECT pg_relation_filepath(reltoastrelid) FROM pg_class WHERE relname = 'services'`,
    );
    await client.end();
    for (const close of opened.splice(0).reverse()) await close();
    await cluster().halt();
    const broken = found.rows.map(({ path }) => breakFacts(join(cluster().data, path)));
    expect(Math.max(...broken)).toBeGreaterThan(0);
    await cluster().go();
    const again = await onPostgres(url);
    again.lab.now = lab.now;
    expect(await again.lab.claim()).toMatchObject(corrupt);
    expect(await state(again.lab, API)).toBe('running');
  }, 60_000);
});

/** Breaks every copy of the facts of `web` that the file holds; returns how many there were. */
function breakFacts(file: string): number {
  const bytes = readFileSync(file);
  let broken = 0;
  for (let at = bytes.indexOf('{"from":'); at >= 0; at = bytes.indexOf('{"from":', at + 1)) {
    const next = bytes.indexOf('{"from":', at + 1);
    const own = bytes.subarray(at, Math.min(at + 1_500, next < 0 ? bytes.length : next));
    if (!own.includes(`"${WEB}.r1`)) continue;
    bytes[at] = 'x'.charCodeAt(0);
    broken++;
  }
  writeFileSync(file, bytes);
  return broken;
}
