import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { ok } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const ROLES = ['viewer', 'deployer', 'operator', 'admin', 'builder', 'agent'] as const;
type Role = (typeof ROLES)[number];

/** The table follows docs/protocol.md and not the code of the routes. */
const VIEWER: Role[] = ['viewer', 'deployer', 'operator', 'admin'];
const DEPLOYER: Role[] = ['deployer', 'operator', 'admin'];
const OPERATOR: Role[] = ['operator', 'admin'];
const TABLE: readonly (readonly [method: string, path: string, who: readonly Role[]])[] = [
  ['GET', '/v1/services', VIEWER],
  ['GET', '/v1/services/{ref}', VIEWER],
  ['GET', '/v1/services/{ref}/status', VIEWER],
  ['GET', '/v1/services/{ref}/revisions', VIEWER],
  ['GET', '/v1/services/{ref}/revisions/{revision}', VIEWER],
  ['GET', '/v1/services/{ref}/revisions/{revision}/attempts/{attempt}', VIEWER],
  ['GET', '/v1/services/{ref}/transitions', VIEWER],
  ['GET', '/v1/services/{ref}/ribbon', VIEWER],
  ['GET', '/v1/ribbons', VIEWER],
  ['GET', '/v1/services/{ref}/instances', VIEWER],
  ['GET', '/v1/services/{ref}/logs', VIEWER],
  ['GET', '/v1/services/{ref}/badge.svg', VIEWER],
  ['GET', '/v1/services/{ref}/badge.json', VIEWER],
  ['GET', '/v1/services/{ref}/events', VIEWER],
  ['GET', '/v1/events', VIEWER],
  ['GET', '/v1/model', VIEWER],
  ['GET', '/v1/sessions', VIEWER],
  ['POST', '/v1/sessions/links', VIEWER],
  ['GET', '/v1/targets', VIEWER],
  ['GET', '/v1/services/{ref}/evidence', OPERATOR],
  ['GET', '/v1/evidence', OPERATOR],
  ['GET', '/v1/services/{ref}/leases', OPERATOR],
  ['GET', '/v1/agents', OPERATOR],
  ['GET', '/v1/agents/{id}/spans', OPERATOR],
  ['GET', '/v1/workers', OPERATOR],
  ['GET', '/v1/commands', OPERATOR],
  ['GET', '/metrics', OPERATOR],
  ['POST', '/v1/targets/{target}/retirements', OPERATOR],
  ['GET', '/v1/targets/{target}/observation', VIEWER],
  ['PUT', '/v1/targets/{target}/observation', ['admin']],
  ['DELETE', '/v1/targets/{target}/observation', ['admin']],
  ['POST', '/v1/services/{ref}/deployments', DEPLOYER],
  ['POST', '/v1/services/{ref}/configuration', DEPLOYER],
  ['POST', '/v1/services/{ref}/rollbacks', DEPLOYER],
  ['POST', '/v1/services/{ref}/retries', DEPLOYER],
  ['POST', '/v1/services/{ref}/cancellations', DEPLOYER],
  ['POST', '/v1/services/{ref}/restarts', DEPLOYER],
  ['POST', '/v1/services/{ref}/scalings', DEPLOYER],
  ['DELETE', '/v1/services/{ref}', DEPLOYER],
  ['POST', '/v1/targets', ['admin']],
  ['DELETE', '/v1/targets/{target}', ['admin']],
  ['POST', '/v1/tokens', ['admin']],
  ['POST', '/v1/webhooks', ['admin']],
  ['GET', '/v1/webhooks', ['admin']],
  ['GET', '/v1/webhooks/{id}', ['admin']],
  ['DELETE', '/v1/webhooks/{id}', ['admin']],
  ['POST', '/v1/webhooks/{id}/secret', ['admin']],
  ['POST', '/v1/webhooks/{id}/test', ['admin']],
  ['GET', '/v1/webhooks/{id}/deliveries', ['admin']],
  ['POST', '/v1/webhooks/{id}/deliveries/{delivery}/redeliver', ['admin']],
  ['GET', '/v1/tokens', ['admin']],
  ['DELETE', '/v1/tokens/{id}', ['admin']],
  ['POST', '/v1/leases', ['builder', 'agent']],
  ['POST', '/v1/leases/{id}/heartbeat', ['builder', 'agent']],
  ['POST', '/v1/leases/heartbeats', ['builder', 'agent']],
  ['POST', '/v1/leases/{id}/release', ['builder', 'agent']],
  ['PUT', '/v1/artifacts/{digest}', ['builder', 'agent']],
  ['GET', '/v1/artifacts/{digest}', ['builder', 'agent']],
  ['POST', '/v1/logs', ['builder', 'agent']],
  ['POST', '/v1/targets/{target}/registrations', ['agent']],
  ['POST', '/v1/targets/{target}/reports', ['agent']],
  // Each field asks its own permission.
  ['GET', '/graphql', ROLES],
  ['POST', '/graphql', ROLES],
  // Evidence from a caller that does not hold the lease gets a verdict instead of a 403.
  ['POST', '/v1/evidence', ROLES],
];
const PUBLIC = [
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'GET /docs',
  'GET /',
  'GET /badges/{org}/{ref}/badge.svg',
  'GET /badges/{org}/{ref}/badge.json',
  'POST /v1/sessions',
  'DELETE /v1/sessions',
];

const filled = (path: string) =>
  path
    .replace('{ref}', 'web@lab')
    .replace('{revision}', '1')
    .replace('{attempt}', '1')
    .replace('{id}', 'x')
    .replace('{org}', 'default')
    .replace('{delivery}', 'msg_x_1')
    .replace('{digest}', `sha256:${'0'.repeat(64)}`)
    .replace('{target}', 'lab');

describe('permissions of each route', () => {
  const servers = useServers(null, true);
  let api: Api;
  const tokens = {} as Record<Role, string>;
  const strangers = {} as Record<Role, string>;
  beforeAll(async () => {
    ({ api } = await servers.start());
    for (const role of ROLES) {
      tokens[role] = await api.tokenFor(role);
      strangers[role] = await api.tokenFor(role, { org: 'umbrella' });
    }
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
  }, 60_000);

  /** Streams do not end; only their status is compared. */
  const statusOf = async (method: string, path: string, token: string | null) => {
    const stop = new AbortController();
    const response = await fetch(`${api.address}${path}`, {
      method,
      signal: stop.signal,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(method === 'POST' ? { body: '{"nonsense":true}' } : {}),
    });
    const isStream = response.headers.get('content-type')?.includes('event-stream') ?? false;
    const body = isStream ? '' : await response.text();
    stop.abort();
    return { status: response.status, body };
  };

  it('the table and the server have the same routes', async () => {
    const described = ok(await api.get('/openapi.json', { token: null })) as {
      paths: Record<string, object>;
    };
    const routes = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((m) => `${m.toUpperCase()} ${path}`),
    );
    expect(routes.toSorted()).toEqual(
      [...TABLE.map(([method, path]) => `${method} ${path}`), ...PUBLIC].toSorted(),
    );
  });

  it('docs/api.md lists the roles of each route', async () => {
    const described = ok(await api.get('/openapi.json', { token: null })) as {
      paths: Record<string, Record<string, { 'x-access': string }>>;
    };
    const rows = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { 'x-access': who }]) => `| \`${method.toUpperCase()} ${path}\` | ${who} |`,
      ),
    );
    const page = readFileSync('docs/api.md', 'utf8');
    expect(page.slice(page.indexOf('| call | who |')).trim().split('\n').slice(2)).toEqual(rows);
  });

  it.each(TABLE)('%s %s', { timeout: 60_000 }, async (method, path, who) => {
    const at = filled(path);
    expect((await statusOf(method, at, null)).status).toBe(401);
    for (const role of ROLES) {
      const { status } = await statusOf(method, at, tokens[role]);
      if (who.includes(role)) expect([401, 403], `${role}: ${status}`).not.toContain(status);
      else expect(status, role).toBe(403);
    }
  });

  it('another org gets for a service the same bytes as for one that does not exist (F109)', async () => {
    for (const [method, path, who] of TABLE) {
      if (!path.includes('{ref}') || method !== 'GET') continue;
      const role = who.at(-1) as Role;
      const theirs = await statusOf(method, filled(path), strangers[role]);
      const none = await statusOf(method, filled(path).replace('web@lab', 'none@lab'), strangers[role]);
      const less = (body: string) => body.replace(/"correlation":"[^"]*"/, '');
      expect([theirs.status, less(theirs.body)], path).toEqual([404, less(none.body)]);
    }
    expect(ok(await api.as(strangers.viewer).get('/v1/services')).items).toEqual([]);
    expect(
      ok(await api.as(strangers.admin).post('/v1/tokens', { role: 'viewer', org: 'default' }), 403),
    ).toMatchObject({ code: 'forbidden' });
  });

  it('a token bound to another service gets for each read the same bytes as for none (F109)', async () => {
    const bound = await api.tokenFor('operator', { service: 'other@*' });
    for (const [method, path] of TABLE) {
      if (!path.includes('{ref}') || method !== 'GET') continue;
      const found = await statusOf(method, filled(path), bound);
      const none = await statusOf(method, filled(path).replace('web@lab', 'none@lab'), bound);
      const less = (body: string) => body.replace(/"correlation":"[^"]*"/, '');
      expect([found.status, less(found.body)], path).toEqual([404, less(none.body)]);
    }
  });

  it('a person’s evidence is rejected as not_owner, and kept', async () => {
    const item = {
      id: 'p1',
      kind: 'runtime.removed',
      service: 'web@lab',
      revision: 1,
      attempt: 1,
      command: 'web@lab.r1.a1.apply.1',
      fence: '1',
      body: {},
    };
    const { results } = ok(await api.post('/v1/evidence', { items: [item] }));
    expect(results).toMatchObject([{ id: 'p1', verdict: 'rejected', reason: 'not_owner' }]);
  });

  it('a token bound to one target neither reports nor acquires leases for another (F111)', async () => {
    const bound = api.as(await api.tokenFor('agent', { target: 'edge' }));
    expect(
      (
        await bound.post('/v1/targets/lab/registrations', {
          agent: 'a',
          instance: 'i',
          version: '1',
          identity: 'u',
        })
      ).status,
    ).toBe(403);
    expect(
      (await bound.post('/v1/leases', { kinds: ['apply'], target: 'lab', worker: 'a', instance: 'i' }))
        .status,
    ).toBe(403);
    expect(
      (await bound.post('/v1/leases', { kinds: ['build'], target: 'edge', worker: 'a', instance: 'i' }))
        .status,
    ).toBe(403);
  });

  it('a person bound to some services reads no others, neither in lists nor in streams', async () => {
    ok(await api.post('/v1/services/api@lab/deployments', { image: IMAGE }), 202);
    const bound = api.as(await api.tokenFor('deployer', { service: 'api@*' }));
    expect(ok(await bound.get('/v1/services')).items).toMatchObject([{ ref: 'api@lab' }]);
    expect((await bound.get('/v1/services/web@lab/status')).status).toBe(404);
    expect((await bound.get('/v1/services/web@lab')).status).toBe(404);
    expect((await bound.get('/v1/services/web@lab/events')).status).toBe(404);
    const events = await bound.events('/v1/events');
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    ok(await api.post('/v1/services/api@lab/deployments', { image: IMAGE }), 202);
    expect((await events.until(({ event }) => event === 'transition')).data.service).toBe('api@lab');
    events.close();
  });

  it('an idempotency key belongs to one token, not to its name', async () => {
    const headers = { 'idempotency-key': 'same' };
    const [one, two] = [
      await api.tokenFor('deployer', { name: 'ci' }),
      await api.tokenFor('deployer', { name: 'ci' }),
    ];
    ok(await api.as(one).post('/v1/services/k1@lab/deployments', { image: IMAGE }, { headers }), 202);
    ok(await api.as(two).post('/v1/services/k2@lab/deployments', { image: IMAGE }, { headers }), 202);
    const other = await api.as(one).post('/v1/services/k3@lab/deployments', { image: IMAGE }, { headers });
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  });

  it('an operator reads the correlation id of the request behind a claim, and finds it by that id', async () => {
    const body = { image: IMAGE };
    const deployed = await api.post('/v1/services/traced@lab/deployments', body, {
      headers: { 'x-correlation-id': 'release-42' },
    });
    ok(deployed, 202);
    expect(deployed.headers.get('x-correlation-id')).toBe('release-42');
    const path = '/v1/services/traced@lab/status';
    expect(ok(await api.get(path)).operator.correlation).toBe('release-42');
    const restarted = await api.post('/v1/services/traced@lab/restarts');
    ok(restarted, 202);
    const now = ok(await api.get(path));
    expect(now.operator.correlation).toBe(restarted.headers.get('x-correlation-id'));
    expect(ok(await api.get(path)).operator.correlation).toBe(now.operator.correlation);
    expect(ok(await api.get(path, { token: tokens.viewer })).operator).toBeUndefined();
  });

  it('a browser signs in by a token or once by a link, and signs out', async () => {
    const signed = await api.call('POST', '/v1/sessions', { token: null, body: { token: tokens.viewer } });
    expect(signed).toMatchObject({ status: 201, body: { role: 'viewer' } });
    const cookie = String(signed.headers.get('set-cookie')).split(';')[0] ?? '';
    expect((await api.get('/v1/services', { token: null, headers: { cookie } })).status).toBe(200);
    const foreign = await api.call('POST', '/v1/services/web@lab/retries', {
      token: null,
      body: {},
      headers: { cookie, origin: 'http://evil.example' },
    });
    expect(foreign.status).toBe(403);
    const out = await api.call('DELETE', '/v1/sessions', { token: null, headers: { cookie } });
    expect(out.status).toBe(204);
    expect((await api.get('/v1/services', { token: null, headers: { cookie } })).status).toBe(401);
    expect((await api.get('/v1/services', { token: tokens.viewer })).status).toBe(200);
    const redeem = (link: string) => api.call('POST', '/v1/sessions', { token: null, body: { link } });
    expect(await redeem('nonsense')).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('does not know') },
    });
    const { link } = ok(await api.call('POST', '/v1/sessions/links', { token: tokens.viewer }), 201) as {
      link: string;
    };
    expect(await redeem(link)).toMatchObject({ status: 201, body: { role: 'viewer' } });
    expect(await redeem(link)).toMatchObject({
      status: 401,
      body: { detail: expect.stringMatching(/already used.*evident open/) },
    });
  });
});
