import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { COLUMNS, type ColumnKind, sqlName } from '../../src/store/columns.ts';
import { KEYS, type Table } from '../../src/store/schema.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { describeWithPostgres } from '../lab.ts';
import { Api } from './api.ts';
import { Agent, claimUntil, ok } from './parties.ts';
import { type Server, type Servers, useServers } from './servers.ts';

const DIGEST = `sha256:${'9b1f'.repeat(16)}`;
const WEB = 'web@lab';
const OTHER = 'api@lab';

/** A hand that writes past the server into its database. */
interface Hand {
  run(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** What a column of each kind takes and nobody can use. */
type Garbage = Readonly<Partial<Record<ColumnKind, readonly string[]>>>;

const FAR = '9000000000000000000';
/** Text that is no UTF-8: a bit that turned over on the disk. */
const TORN = `CAST(x'22f2652280' AS TEXT)`;
const ON_SQLITE: Garbage = {
  int: [FAR, `'xyz'`],
  bool: [`'xyz'`],
  digits: [`'{bad'`, TORN],
  json: [`'{bad'`, TORN],
  text: [`'{bad'`, `x'00ff'`, TORN],
};
const ON_POSTGRES: Garbage = { int: [FAR], digits: [`'NaN'`], text: [`'{bad'`] };

/** Without these nobody may ask, or nothing is written: they have tests of their own. */
const APART: ReadonlySet<Table> = new Set(['tokens', 'links', 'incarnations', 'heads']);

const ROUTES = [
  '/v1/services?limit=50',
  ...[WEB, OTHER].flatMap((ref) => [`/v1/services/${ref}`, `/v1/services/${ref}/status`]),
  ...['evidence', 'transitions', 'revisions', 'leases', 'instances'].map((of) => `/v1/services/${WEB}/${of}`),
  '/v1/commands',
  '/v1/agents',
  '/v1/agents/lab.agent-1/spans',
  '/v1/workers',
  '/v1/targets',
];

async function twoRunning({ api }: Server) {
  const agent = new Agent(api.as(await api.tokenFor('agent')));
  await agent.register();
  const seen: object[] = [];
  const entries: object[] = [];
  for (const service of [WEB, OTHER]) {
    const image = `registry.example/app@${DIGEST}`;
    ok(await api.post(`/v1/services/${service}/deployments`, { image, spec: { stabilityMs: 0 } }), 202);
    const lease = await agent.take();
    ok(await agent.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence }));
    await agent.applies(lease);
    const { revision, attempt, fence } = lease;
    const stamp = { uid: `u-${service}`, name: service, service, revision, attempt, fence, artifact: image };
    seen.push({ ...stamp, phase: 'running', ready: true, restarts: 0, containers: [] });
    entries.push({ service, route: { answers: true, revision, attempt }, urls: [] });
  }
  const sees = () => agent.sees(seen, entries);
  await sees();
  for (const service of [WEB, OTHER])
    await claimUntil(
      api,
      service,
      ({ state }) => state === 'running',
      () => agent.heartbeat(),
    );
  return { agent, sees };
}

async function damaging(
  hand: Hand,
  table: Table,
  column: string,
  garbage: string,
  then: () => Promise<void>,
) {
  const name = sqlName(table);
  const same = KEYS[table].map((key) => `kept."${sqlName(key)}" = "${name}"."${sqlName(key)}"`).join(' AND ');
  const where = 'service' in COLUMNS[table] ? `WHERE service = '${WEB}'` : '';
  await hand.run(`CREATE TEMP TABLE kept AS SELECT * FROM "${name}" ${where}`);
  try {
    await hand.run(`UPDATE "${name}" SET "${column}" = ${garbage} ${where}`);
    await then();
  } finally {
    await hand.run(`UPDATE "${name}" SET "${column}" = kept."${column}" FROM kept WHERE ${same}`);
    await hand.run('DROP TABLE kept');
  }
}

/** What is wrong with the answers while a row is damaged. */
async function wrongWith(server: Server, table: Table, kind: ColumnKind, past: string): Promise<string[]> {
  // A word that nobody knows is told as it is; everything else is answered as described.
  const api = kind === 'text' ? new Api(server.api.address, server.api.token) : server.api;
  const pasts = [WEB, OTHER].map((ref) => `/v1/services/${ref}/status?at=${past}`);
  const answers = await Promise.all(
    [...ROUTES, ...pasts].map(async (path) => ({ path, ...(await api.get(path)) })),
  );
  const gone = (path: string) => table === 'ledger' && kind === 'text' && path === pasts[0];
  const wrong = answers
    .filter(({ path, status }) => status !== 200 && !(status === 404 && gone(path)))
    .map(({ path, status, body }) => `${path}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  const items = answers[0]?.body.items ?? [];
  if (items.length !== 2) wrong.push(`${items.length} services are listed`);
  for (const { ref, claim } of items) {
    const alone = 'service' in COLUMNS[table] && ref === OTHER;
    if (claim.state !== 'running' && (alone || claim.state !== 'unknown'))
      wrong.push(`${ref} is ${claim.state}, ${claim.cause?.code}`);
  }
  return wrong;
}

function suite(servers: Servers, handOn: (server: Server) => Promise<Hand>, garbage: Garbage): void {
  it('in any column of any table: one service is unknown or one thing is named, and everybody is answered', {
    timeout: 300_000,
  }, async () => {
    const server = await servers.start({ args: ['--fresh-for', '600000'] });
    await twoRunning(server);
    const past = new Date().toISOString();
    const hand = await handOn(server);
    const wrong: string[] = [];
    for (const table of (Object.keys(COLUMNS) as Table[]).filter((name) => !APART.has(name)))
      for (const [column, kind] of Object.entries(COLUMNS[table]) as [string, ColumnKind][]) {
        if ((KEYS[table] as readonly string[]).includes(column)) continue;
        for (const value of garbage[kind] ?? [])
          await damaging(hand, table, sqlName(column), value, async () => {
            const found = await wrongWith(server, table, kind, past).catch((error) => [String(error)]);
            wrong.push(...found.map((one) => `${table}.${column} = ${value}: ${one}`));
          });
      }
    await hand.close();
    expect(wrong).toEqual([]);
  });

  it('names what a list lacks, and a service whose row is damaged is unknown until it is mended', {
    timeout: 60_000,
  }, async () => {
    const server = await servers.start({ args: ['--fresh-for', '600000'] });
    const { api } = server;
    const { agent, sees } = await twoRunning(server);
    const hand = await handOn(server);
    await damaging(hand, 'transitions', 'at', FAR, async () => {
      const { items, unreadable } = ok(await api.get(`/v1/services/${WEB}/transitions`));
      expect(items).toEqual([]);
      expect(unreadable.length).toBeGreaterThan(2);
    });
    await damaging(hand, 'revisions', 'replicas', FAR, async () => {
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
    expect(ok(await api.get('/v1/agents'))).toMatchObject({ items: [{ state: 'alive' }] });
    ok(await api.post(`/v1/services/${WEB}/restarts`), 202);
    await hand.close();
  });

  it('in a head: everything of the org is unknown, nothing is written, and the next start says what to do', {
    timeout: 60_000,
  }, async () => {
    const server = await servers.start({ args: ['--fresh-for', '600000'] });
    const { api } = server;
    await twoRunning(server);
    const hand = await handOn(server);
    for (const column of ['at', 'recovered_at', 'floor'])
      await damaging(hand, 'heads', column, FAR, async () => {
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
    await hand.close();
    const again = servers.spawn(server.data);
    const { code, errors } = await again.ended;
    expect(code).toBe(1);
    expect(errors.trim()).toMatch(
      /^The row of default in the table heads cannot be read.*Restore.*recovered`\.$/,
    );
  });
}

describe('what cannot be read (F56), on SQLite', () => {
  const onSqlite = async ({ data }: Server): Promise<Hand> => {
    const db = new Connection(join(data, 'evident.db'));
    return { run: async (sql) => db.exec(sql), close: async () => db.close() };
  };
  suite(useServers(), onSqlite, ON_SQLITE);
});

describeWithPostgres('what cannot be read (F56), on PostgreSQL', (newUrl) => {
  let url = '';
  const servers = useServers(async () => {
    url = await newUrl();
    return url;
  });
  const onPostgres = async (): Promise<Hand> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return { run: async (sql) => void (await client.query(sql)), close: () => client.end() };
  };
  suite(servers, onPostgres, ON_POSTGRES);
});
