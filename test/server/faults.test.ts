import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../lab.ts';
import { Agent, Builder, claimUntil, ok, sourceForm, submit } from './parties.ts';
import { describeServers, useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeServers('faults of components', (servers) => {
  it('a command that a thousand calls request is offered once, and its result counts once (F17)', {
    timeout: 120_000,
  }, async () => {
    const { api } = await servers.start();
    const token = api.as(await api.tokenFor('builder', { name: 'crowd' }));
    ok(await api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    await claimUntil(api, 'web@lab', ({ state }) => state === 'waiting_for_worker');
    const acquire = (n: number) =>
      token.post('/v1/leases', { kinds: ['build'], worker: `w${n}`, instance: `i${n}`, waitMs: 0 });
    const hundred = (from: number) => Promise.all(Array.from({ length: 100 }, (_, i) => acquire(from + i)));
    const offers = (await hundred(0)).filter(({ status }) => status === 200);
    expect(offers).toHaveLength(1);
    const { lease } = offers[0]?.body ?? {};
    ok(await token.post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence }));
    for (let n = 100; n < 1_000; n += 100)
      for (const { status } of await hundred(n)) expect(status).toBe(204);
    await new Builder(token).builds(lease);
    const again = { digest: `sha256:${'0'.repeat(64)}`, size: 1 };
    const late = await Promise.all(
      Array.from({ length: 20 }, () => submit(token, lease, 'artifact.stored', again)),
    );
    for (const { body } of late)
      expect(body.results).toMatchObject([{ verdict: 'rejected', reason: 'stale_lease' }]);
    const { items } = ok(await api.get('/v1/services/web@lab/evidence?verdict=admitted'));
    expect(items.filter(({ kind }: { kind: string }) => kind === 'artifact.stored')).toHaveLength(1);
    expect(ok(await api.get('/v1/commands')).items).toMatchObject([{ kind: 'apply' }]);
  });

  it('a missing result fails at the deadline of its stage, which the claim names (F25)', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    const agent = new Agent(api.as(await api.tokenFor('agent')));
    const spec = { deadlines: { applyMs: 1_500 } };
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE, spec }), 202);
    await agent.register();
    const lease = await agent.take();
    const beat = () => agent.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence });
    ok(await beat());
    const failed = await claimUntil(api, 'web@lab', ({ state }) => state === 'failed', beat);
    expect(failed).toMatchObject({
      timeout: { stage: 'apply', expected: 'runtime.applied', retrySafe: true, owner: 'platform' },
      next: { action: 'retry' },
    });
    const { results } = ok(await submit(agent.api, lease, 'runtime.applied', {}));
    expect(results, 'and what comes after all is history').toMatchObject([{ reason: 'stale_lease' }]);
    const { items } = ok(await api.get('/v1/services/web@lab/evidence?verdict=admitted'));
    const { body } = items.find(({ kind }: { kind: string }) => kind === 'stage.timed_out');
    expect(body.at, 'formatted as every time is').toBe(new Date(Date.parse(body.at)).toISOString());
  });

  it('unreadable evidence is rejected item by item, kept, and does not stop the items beside it (F28)', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    const builder = new Builder(api.as(await api.tokenFor('builder')));
    ok(await api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    const lease = await builder.take();
    const { command, fence } = lease;
    const about = { service: 'web@lab', revision: 1, attempt: 1, command, fence };
    const poison = [
      null,
      7,
      [],
      {},
      { id: 'p1', kind: 'build.progress', ...about, body: null },
      { id: 'p2', kind: 'build.progress', ...about, body: { step: 'x'.repeat(100_000) } },
      { id: 'p3', kind: 'constructor', ...about, body: { toString: 1 } },
      { id: 'p4', kind: 'build.progress', ...about, fence: '-1', body: { step: 1 } },
      { id: '\u0000\ud800', kind: 'build.progress', ...about, body: { step: 2, message: '\u0000\ud800' } },
      { id: 'p5', kind: 'build.progress', ...about, revision: 1e300, body: { step: 1 } },
    ];
    const good = { id: 'good', kind: 'build.progress', ...about, body: { step: 1 } };
    const sent = [...poison.slice(0, 5), good, ...poison.slice(5)];
    for (let times = 0; times < 2; times++) {
      const { results } = ok(await builder.api.post('/v1/evidence', { items: sent }));
      expect(results).toHaveLength(sent.length);
      expect(results[5]).toMatchObject({ id: 'good', verdict: 'admitted' });
    }
    expect(await builder.builds(lease)).toMatch(/^sha256:/);
    const { items } = ok(await api.get('/v1/services/web@lab/evidence?verdict=rejected'));
    expect(items.length, 'what names the service is kept with it').toBeGreaterThan(0);
    for (const item of items) expect(item.reason).toBe('invalid');
  });
});

describe('replayed and forged calls', () => {
  const servers = useServers();

  it('captured evidence and reports that are sent again change nothing: the first verdict again, or out_of_order (F112)', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    const agent = new Agent(api.as(await api.tokenFor('agent')));
    await agent.register();
    ok(
      await api.post('/v1/services/web@lab/deployments', {
        image: IMAGE,
        spec: { port: null, stabilityMs: 0 },
      }),
      202,
    );
    const { service, revision, attempt, command, fence } = await agent.take();
    const applied = {
      id: 'captured',
      kind: 'runtime.applied',
      ...{ service, revision, attempt, command, fence, body: {} },
    };
    const first = ok(await agent.api.post('/v1/evidence', { items: [applied] }));
    expect(first.results).toMatchObject([{ verdict: 'admitted' }]);
    const one = { uid: 'u1', name: 'web-1', service, revision, attempt, fence, artifact: IMAGE };
    const up = { ...one, phase: 'running', ready: true, restarts: 0, containers: [] };
    await agent.sees([up]);
    await claimUntil(
      api,
      service,
      ({ state }) => state === 'running',
      () => agent.sees([up]),
    );
    const captured = { epoch: agent.epoch, seq: '1', complete: true, scope: '*', watchAgeMs: 0 };
    await agent.sees([{ ...up, phase: 'exited', ready: false, reason: 'exited' }]);
    const before = await claimUntil(api, service, ({ state }) => state !== 'running');
    const other = api.as(await api.tokenFor('agent', { name: 'a thief' }));
    for (const [bearer, expected] of [
      [agent.api, { ...first.results[0], duplicate: true }],
      [other, { verdict: 'rejected', reason: 'not_owner' }],
    ] as const) {
      const again = ok(await bearer.post('/v1/evidence', { items: [applied] }));
      expect(again.results).toMatchObject([expected]);
      const report = { ...captured, instances: [up], services: [] };
      const answer = ok(await bearer.post('/v1/targets/lab/reports', report));
      expect(answer).toMatchObject({ seq: String(agent.seq), resync: false });
    }
    const { state, cause, since } = ok(await api.get(`/v1/services/${service}/status`));
    expect({ state, cause, since }).toEqual({
      state: before.state,
      cause: before.cause,
      since: before.since,
    });
  });

  it('forged tokens are refused, and a short secret in the admin-token file is replaced (F110)', {
    timeout: 60_000,
  }, async () => {
    const data = await servers.newData();
    writeFileSync(join(data, 'admin-token'), 'admin\n');
    const { api } = await servers.start({ data });
    const kept = readFileSync(join(data, 'admin-token'), 'utf8').trim();
    expect(kept, 'a short one is replaced').toMatch(/^evd_[\w-]{43}$/);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none', typ: 'JWT' })}.${part({ role: 'admin', org: 'default' })}.`;
    const forged = [unsigned, 'admin', 'evd_', `evd_${'A'.repeat(43)}`, `${kept}x`, kept.slice(0, -1), '*'];
    for (const token of forged) {
      const { status, body } = await api.get('/v1/services', { token });
      // A caller that fails often is throttled, which lets it in no more than a 401.
      expect([401, 429], token).toContain(status);
      expect(['unauthenticated', 'too_many']).toContain(body.code);
    }
    const claimed = { headers: { 'x-role': 'admin', 'x-evident-org': 'default' }, token: null };
    expect((await api.get('/v1/services', claimed)).status).toBe(401);
    ok(await api.get('/v1/services'));
  });
});

describeWithPostgres('servers whose database sessions are terminated', (newUrl) => {
  let url = '';
  const servers = useServers(async () => {
    url = await newUrl();
    return url;
  });

  /** Terminates sessions of this database repeatedly until it is stopped; returns how many there were. */
  async function ending(which: string): Promise<() => Promise<number>> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    let going = true;
    let ended = 0;
    const loop = (async () => {
      while (going) {
        const { rowCount } = await client.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND ${which}`,
        );
        ended += rowCount ?? 0;
        await new Promise((done) => setTimeout(done, 50));
      }
    })();
    return async () => {
      going = false;
      await loop;
      await client.end();
      return ended;
    };
  }

  it('without NOTIFY and LISTEN, as behind a pooler, work is offered within a second or two (F50, F51)', {
    timeout: 60_000,
  }, async () => {
    const one = await servers.start();
    const two = await servers.start({ beside: one });
    const builder = new Builder(two.api.as(await two.api.tokenFor('builder')));
    const stop = await ending("application_name = 'evident hints'");
    const events = await two.api.events('/v1/events');
    const waiting = builder.take(20_000);
    const requestedAt = performance.now();
    ok(await one.api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    expect(await waiting).toMatchObject({ service: 'web@lab', fence: '1' });
    expect(performance.now() - requestedAt, 'polling is the truth').toBeLessThan(10_000);
    const received = await events.until(({ event }) => event === 'transition');
    expect(received.data).toMatchObject({ service: 'web@lab', to: 'accepted' });
    events.close();
    expect(await stop(), 'they were taken away').toBeGreaterThan(0);
  });

  it('a session that ends in a transaction leaves all of it or nothing, and the same key finds out which (F57)', {
    timeout: 120_000,
  }, async () => {
    const { api } = await servers.start();
    const stop = await ending("application_name <> 'evident hints'");
    let unsure = 0;
    for (let n = 0; n < 15; n++) {
      const headers = { 'idempotency-key': `key-${n}` };
      for (;;) {
        const { status, body } = await api.post(
          `/v1/services/s${n}@lab/deployments`,
          { image: IMAGE },
          { headers },
        );
        if (status === 202) break;
        expect([status, body.code]).toEqual([503, expect.stringMatching(/^(unavailable|outcome_unknown)$/)]);
        unsure += 1;
      }
    }
    const ended = await stop();
    expect(ended).toBeGreaterThan(0);
    let listed = await api.get('/v1/services?limit=200');
    while (listed.status === 503) listed = await api.get('/v1/services?limit=200');
    expect(ok(listed).items).toHaveLength(15);
    for (let n = 0; n < 15; n++) {
      const { items } = ok(await api.get(`/v1/services/s${n}@lab/revisions`));
      expect(items, `after ${unsure} answers that were not sure`).toMatchObject([
        { revision: 1, attempts: [{ attempt: 1 }] },
      ]);
    }
  });
});
