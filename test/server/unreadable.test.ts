import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { COLUMNS } from '../../src/store/columns.ts';
import type { Table } from '../../src/store/schema.ts';
import { SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { describeWithPostgres } from '../lab.ts';
import { type Answered, Api } from './api.ts';
import {
  type Damage,
  damages,
  damaging,
  FAR,
  FEW_ON_SQLITE,
  type Garbage,
  type Hand,
  ON_POSTGRES,
} from './damage.ts';
import { Agent, claimUntil, ok } from './parties.ts';
import { type Server, type Servers, useServers } from './servers.ts';

const DIGEST = `sha256:${'9b1f'.repeat(16)}`;
const WEB = 'web@lab';
const OTHER = 'api@lab';
/** No agent is registered for its target, so its command waits. */
const LATE = 'late@far';

/** Tables without which nothing can be written: they have tests of their own. */
const APART: ReadonlySet<Table> = new Set(['links', 'incarnations', 'heads']);
const TABLES = (Object.keys(COLUMNS) as Table[]).filter((name) => !APART.has(name));

const OF_WEB = `WHERE service = '${WEB}'`;

const ROUTES = [
  '/v1/services?limit=50',
  ...[WEB, OTHER].flatMap((ref) => [`/v1/services/${ref}`, `/v1/services/${ref}/status`]),
  ...['evidence', 'transitions', 'revisions', 'leases', 'instances'].map((of) => `/v1/services/${WEB}/${of}`),
  '/v1/commands',
  '/v1/agents',
  '/v1/agents/lab.agent-1/spans',
  '/v1/workers',
  '/v1/targets',
  '/v1/tokens',
  '/v1/evidence',
];

async function twoRunning({ api }: Server) {
  const token = await api.tokenFor('agent');
  await new Agent(api.as(token), 'lab', 'agent-0').register();
  const agent = new Agent(api.as(token));
  await agent.register();
  const instances: object[] = [];
  const entries: object[] = [];
  for (const service of [WEB, OTHER]) {
    const image = `registry.example/app@${DIGEST}`;
    ok(await api.post(`/v1/services/${service}/deployments`, { image, spec: { stabilityMs: 0 } }), 202);
    const lease = await agent.take();
    ok(await agent.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence }));
    await agent.applies(lease);
    const { revision, attempt, fence } = lease;
    const stamp = { uid: `u-${service}`, name: service, service, revision, attempt, fence, artifact: image };
    instances.push({ ...stamp, phase: 'running', ready: true, restarts: 0, containers: [] });
    entries.push({ service, route: { answers: true, revision, attempt }, urls: [] });
  }
  const lab = { agent, sees: () => lab.agent.sees(instances, entries) };
  await lab.sees();
  for (const service of [WEB, OTHER])
    await claimUntil(
      api,
      service,
      ({ state }) => state === 'running',
      () => agent.heartbeat(),
    );
  return lab;
}

/** Creates an item in every list that the damage of a row could empty. */
async function furnish({ api }: Server) {
  const image = `registry.example/app@${DIGEST}`;
  const headers = { 'idempotency-key': 'k1' };
  ok(await api.post(`/v1/services/${LATE}/deployments`, { image }, { headers }), 202);
  ok(await api.post('/v1/targets', { target: 'declared' }), 201);
  await api.tokenFor('viewer', { name: SPARE });
  const builder = api.as(await api.tokenFor('builder'));
  ok(await builder.post('/v1/leases', { kinds: ['build'], worker: 'b', instance: 'b-1', waitMs: 0 }), 204);
}

/** The token whose row is damaged; no call here uses it. */
const SPARE = 'spare';

function whereOf(table: Table): string {
  if (table === 'tokens') return `WHERE name = '${SPARE}'`;
  return 'service' in COLUMNS[table] && table !== 'workers' && table !== 'keys' ? OF_WEB : '';
}

/** Lists the wrong answers while a row is damaged. */
async function wrongAnswers(server: Server, damage: Damage, past: string): Promise<string[]> {
  const { table, kind, isKey } = damage;
  // An unknown word in a text column is shown unchanged; every other answer must match the description.
  const api = kind === 'text' ? new Api(server.api.address, server.api.token) : server.api;
  const pasts = [WEB, OTHER].map((ref) => `/v1/services/${ref}/status?at=${past}`);
  const answers = await Promise.all(
    [...ROUTES, ...pasts].map(async (path) => ({ path, ...(await api.get(path)) })),
  );
  const isLost = isKey && whereOf(table) !== '';
  const gone = (path: string) =>
    (table === 'ledger' && kind === 'text' && path === pasts[0]) ||
    (isLost && path.includes(WEB)) ||
    (table === 'registrations' && isKey && path.includes('spans'));
  const wrong = answers
    .filter(({ path, status }) => status !== 200 && !(status === 404 && gone(path)))
    .map(({ path, status, body }) => `${path}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  const items: Answered['body'][] = answers[0]?.body.items ?? [];
  const lacks = [OTHER, LATE, ...(isLost && table === 'services' ? [] : [WEB])].filter(
    (name) => !items.some(({ ref }) => ref === name),
  );
  if (!lacksOrg(damage) && lacks.length > 0) wrong.push(`${lacks} not listed`);
  const isNameless = table === 'services' && damage.column === 'service' && damage.value !== `'{bad'`;
  if (isNameless && !answers[0]?.body.unreadable) wrong.push('a service is missing, and nobody says so');
  for (const { ref, claim } of items.filter((item) => item.ref !== LATE)) {
    const alone = whereOf(table) !== '' && ref === OTHER;
    if (claim.state !== 'running' && (alone || claim.state !== 'unknown'))
      wrong.push(`${ref} is ${claim.state}, ${claim.cause?.code}`);
  }
  return wrong;
}

/** A service row in an unknown org is not one of this org. */
const lacksOrg = ({ table, column }: Damage) => table === 'services' && column === 'org';

/** Lists the failures of reports while a row is damaged: the neighbouring service must not be affected. */
async function failedReports(
  { api }: Server,
  damage: Damage,
  lab: { agent: Agent; sees: () => Promise<unknown> },
): Promise<string[]> {
  // An unknown word is no damage here; under another name the row is another service, which nothing observes.
  if (damage.kind === 'text' && damage.value === `'{bad'`) return [];
  const isAgents = damage.table === 'agents' || damage.table === 'scopes' || damage.table === 'registrations';
  let failed = await lab.sees().then(
    () => null,
    (error: Error) => error.message,
  );
  if (failed !== null && isAgents && !/"status":500/.test(failed)) {
    lab.agent = new Agent(lab.agent.api, 'lab', `agent-${++registered}`);
    await lab.agent.register();
    failed = await lab.sees().then(
      () => null,
      (error: Error) => error.message,
    );
  }
  if (failed !== null) return [`report: ${failed.slice(0, 200)}`];
  const { state, cause } = ok(await api.get(`/v1/services/${OTHER}/status`));
  return state === 'running' ? [] : [`after a report ${OTHER} is ${state}, ${cause?.code}`];
}
let registered = 1;

/** Checks that the claim recovers when the row is restored, at the latest with the next report. */
async function expectRecovery({ api }: Server, lab: { sees: () => Promise<unknown> }, damage: Damage) {
  const states = async () => {
    const { items } = ok(await api.get('/v1/services?target=lab'));
    return items.map(({ claim }: Answered['body']) => claim.state);
  };
  if ((await states()).some((state: string) => state !== 'running')) await lab.sees();
  expect(await states(), JSON.stringify(damage)).toEqual(['running', 'running']);
}

function suite(servers: Servers, handOn: (server: Server) => Promise<Hand>, garbage: Garbage): void {
  it('in any column of any table: one service is unknown or one item is named, and every call is answered', {
    timeout: 900_000,
  }, async () => {
    const server = await servers.start({ args: ['--fresh-for', '600000'] });
    const lab = await twoRunning(server);
    await furnish(server);
    const past = new Date().toISOString();
    const hand = await handOn(server);
    const wrong: string[] = [];
    for (const damage of damages(TABLES, garbage)) {
      await damaging(hand, damage, whereOf(damage.table), async () => {
        const asList = (error: unknown) => [String(error)];
        const found = await wrongAnswers(server, damage, past).catch(asList);
        found.push(...(await failedReports(server, damage, lab).catch(asList)));
        wrong.push(...found.map((one) => `${damage.table}.${damage.column} = ${damage.value}: ${one}`));
      });
      await expectRecovery(server, lab, damage);
    }
    await hand.close();
    expect(wrong).toEqual([]);
  });

  it('lists name what they lack, and a service whose row is damaged is unknown until it is mended', {
    timeout: 60_000,
  }, async () => {
    const server = await servers.start({ args: ['--fresh-for', '600000'] });
    const { api } = server;
    const { agent, sees } = await twoRunning(server);
    const hand = await handOn(server);
    await damaging(hand, { table: 'transitions', column: 'at', value: FAR }, OF_WEB, async () => {
      const { items, unreadable } = ok(await api.get(`/v1/services/${WEB}/transitions`));
      expect(items).toEqual([]);
      expect(unreadable.length).toBeGreaterThan(2);
    });
    await damaging(hand, { table: 'revisions', column: 'replicas', value: FAR }, OF_WEB, async () => {
      expect(ok(await api.get(`/v1/services/${WEB}/revisions`))).toMatchObject({
        items: [],
        unreadable: ['1'],
      });
      expect(ok(await api.get(`/v1/services/${WEB}/status`))).toMatchObject({
        state: 'unknown',
        cause: { code: 'evidence_corrupt' },
      });
      expect((await api.get(`/v1/services/${WEB}/revisions/1`)).body.detail).toMatch(/cannot be read/);
    });
    await hand.run(
      `UPDATE services SET created_at = ${FAR}, since = ${FAR}, newest = ${FAR} WHERE service = '${WEB}'`,
    );
    await hand.run(`UPDATE scopes SET as_of = ${FAR}`);
    await hand.run(`UPDATE agents SET registered_at = ${FAR}`);
    expect(ok(await api.get(`/v1/services/${WEB}`))).toMatchObject({
      createdAt: null,
      claim: { state: 'unknown', cause: { code: 'evidence_corrupt' } },
    });
    expect(await agent.heartbeat(), 'the scope begins anew').toMatchObject({ resync: true });
    await sees();
    expect(ok(await api.get(`/v1/services/${WEB}/status`))).toMatchObject({ state: 'running' });
    expect(ok(await api.get(`/v1/services/${WEB}`)).createdAt).not.toBeNull();
    expect(ok(await api.get('/v1/agents'))).toMatchObject({
      items: [{ state: 'alive' }, { state: 'fenced' }],
    });
    ok(await api.post(`/v1/services/${WEB}/restarts`), 202);
    await hand.close();
  });

  it('in a head: every claim of the org is unknown, nothing is written, and the next start says what to do', {
    timeout: 60_000,
  }, async () => {
    const server = await servers.start({ args: ['--fresh-for', '600000'] });
    const { api } = server;
    await twoRunning(server);
    const hand = await handOn(server);
    for (const column of ['at', 'recoveredAt', 'floor'])
      await damaging(hand, { table: 'heads', column, value: FAR }, '', async () => {
        const { items } = ok(await api.get('/v1/services'));
        for (const { claim } of items)
          expect(claim).toMatchObject({ state: 'unknown', cause: { code: 'evidence_corrupt' } });
        const restart = await api.post(`/v1/services/${WEB}/restarts`);
        expect(restart).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      });
    expect(ok(await api.get(`/v1/services/${WEB}/status`)).state).toBe('running');
    server.process.kill('SIGKILL');
    await server.ended;
    await hand.run(`UPDATE heads SET at = ${FAR}`);
    const again = servers.spawn(server.data);
    const { code, errors } = await again.ended;
    expect(code).toBe(1);
    expect(JSON.parse(errors).detail).toMatch(
      /^The row of default in the table heads cannot be read.*Restore.*recovered`\.$/,
    );
    await hand.run('DELETE FROM heads');
    await hand.close();
    await rm(join(server.data, 'witness.json'));
    const without = await servers.spawn(server.data).ended;
    expect(without.code).toBe(1);
    expect(JSON.parse(without.errors).detail).toMatch(
      /^The row of default in the table heads is missing.*Restore.*recovered`.*anew\.$/,
    );
  });
}

describe('a row that cannot be read (F56), on SQLite', () => {
  const onSqlite = async ({ data }: Server): Promise<Hand> => {
    const db = new SqliteConnection(join(data, 'evident.db'));
    return {
      run: async (sql) => db.exec(sql),
      rows: async (sql) => db.all(sql) as (string | number)[][],
      close: async () => db.close(),
    };
  };
  suite(useServers(), onSqlite, FEW_ON_SQLITE);
});

describeWithPostgres('a row that cannot be read (F56), on PostgreSQL', (newUrl) => {
  let url = '';
  const servers = useServers(async () => {
    url = await newUrl();
    return url;
  });
  const onPostgres = async (): Promise<Hand> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return {
      run: async (sql) => void (await client.query(sql)),
      rows: async (sql) => (await client.query({ text: sql, rowMode: 'array' })).rows,
      close: () => client.end(),
    };
  };
  suite(servers, onPostgres, ON_POSTGRES);
});
