import pg from 'pg';
import { expect, it } from 'vitest';
import { describeWithOwnPostgres } from '../lab.ts';
import type { StreamEvent } from './api.ts';
import { ok, running } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeWithOwnPostgres('a server whose PostgreSQL hangs', (postgres) => {
  let url = '';
  const servers = useServers(async () => {
    url = await postgres.newUrl();
    return url;
  });
  const timed = async <T>(call: Promise<T>) => {
    const from = performance.now();
    const answer = await call;
    return { answer, ms: performance.now() - from };
  };

  it('reports it at once, answers every call in time, and recovers when it answers again', async () => {
    const { api } = await servers.start();
    const builder = api.as(await api.tokenFor('builder'));
    ok(await api.get('/metrics'));
    ok(await api.get('/readyz'));
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const headers = { 'idempotency-key': 'once' };
    const work = { kinds: ['build'], worker: 'w', instance: 'w-1', waitMs: 1_000 };
    ok(await builder.post('/v1/leases', { ...work, waitMs: 0 }), 204);
    postgres.cluster().freeze();
    try {
      // Tokens are cached for a second: these calls are let in, and then wait for the store.
      const deploying = timed(api.post('/v1/services/web@lab/deployments', { image: IMAGE }, { headers }));
      const reading = timed(api.get('/v1/services/web@lab/status'));
      const waiting = timed(builder.post('/v1/leases', work));
      for (;;) {
        const ready = await timed(api.get('/readyz'));
        expect(ready.ms).toBeLessThan(5_000);
        if (ready.answer.status === 200) continue;
        expect(ready.answer).toMatchObject({ status: 503, body: { detail: 'The store does not answer.' } });
        break;
      }
      const metrics = await timed(api.get('/metrics'));
      expect(String(ok(metrics.answer))).toMatch(/^evident_store_answers 0$/m);
      expect(metrics.ms).toBeLessThan(8_000);
      const lease = await waiting;
      expect(lease.answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
      expect(lease.ms, 'waitMs and a little').toBeLessThan(7_000);
      for (const { answer, ms } of [await deploying, await reading]) {
        expect(answer).toMatchObject({
          status: 503,
          body: { code: expect.stringMatching(/^(unavailable|outcome_unknown)$/) },
        });
        expect(ms).toBeLessThan(17_000);
      }
    } finally {
      postgres.cluster().thaw();
    }
    for (;;) if ((await api.get('/readyz')).status === 200) break;
    expect(String(ok(await api.get('/metrics')))).toMatch(/^evident_store_answers 1$/m);
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }, { headers }), 202);
    expect(ok(await api.get('/v1/services/web@lab/revisions')).items).toHaveLength(2);
  });

  it.each(['frozen', 'halted'] as const)(
    'streams under a store that is %s send unknown when freshness ends, stay live, and continue in order (S2)',
    async (how) => {
      const cluster = postgres.cluster();
      const { api } = await servers.start();
      const { agent } = await running(api);
      const viewer = api.as(await api.tokenFor('viewer'));
      const events = await viewer.events('/v1/services/web@lab/events');
      const detailed = await api.events('/v1/services/web@lab/events');
      const received: StreamEvent[] = [];
      const until = async (is: (next: StreamEvent) => boolean) => {
        for (;;) {
          const next = await events.next();
          if (next === null) throw new Error('the stream has ended');
          received.push(next);
          if (is(next)) return next;
        }
      };
      expect((await until(() => true)).data).toMatchObject({ state: 'running' });
      await agent.heartbeat();
      // The server may have received a later heartbeat than the one that the stream's first claim rests on.
      const { freshness } = ok(await api.get('/v1/services/web@lab/status'));
      if (how === 'frozen') cluster.freeze();
      else await cluster.halt();
      const isUnknown = ({ event, data }: StreamEvent) => event === 'claim' && data.state === 'unknown';
      const unknown = await until(isUnknown);
      expect(unknown).toMatchObject({ id: null, data: { lastKnown: { state: 'running' }, serving: null } });
      expect(Date.parse(unknown.data.now) - Date.parse(freshness.validUntil)).toBeLessThan(1_000);
      expect((await detailed.until(isUnknown)).data.operator).toMatchObject({ rejected: expect.any(Number) });
      detailed.close();
      const isFresh = ({ event }: StreamEvent) => event === 'fresh';
      for (let n = 0; n < 2; n++) await until(isFresh);
      const instants = received.filter(isFresh).map(({ data }) => Date.parse(data.now));
      for (const [i, now] of instants.slice(1).entries()) {
        expect(now - (instants[i] ?? 0)).toBeGreaterThan(0);
        expect(now - (instants[i] ?? 0)).toBeLessThanOrEqual(5_000);
      }
      if (how === 'frozen') cluster.thaw();
      else await cluster.go();
      const back = received.length;
      for (;;) if ((await api.get('/readyz')).status === 200) break;
      await agent.register();
      await agent.sees([]);
      await until(({ event, data }) => event === 'transition' && data.to !== 'unknown');
      expect(received.slice(back).filter(isFresh).length, 'late events are not sent afterwards').toBeLessThan(
        5,
      );
      const sent = received.filter(({ event }) => event === 'transition').map(({ id }) => id);
      const { items } = ok(await api.get('/v1/services/web@lab/transitions?limit=200'));
      const positions = items.map(({ position }: { position: string }) => position);
      expect(sent).toEqual(positions.slice(positions.indexOf(sent[0]), positions.indexOf(sent.at(-1)) + 1));
      events.close();
    },
  );

  it('stops on SIGTERM all the same', async () => {
    const { api, process, ended } = await servers.start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    postgres.cluster().freeze();
    try {
      process.kill('SIGTERM');
      expect(await ended).toMatchObject({ code: 0, signal: null });
    } finally {
      postgres.cluster().thaw();
    }
  });

  it('refuses with a sentence within seconds while another program holds the head, for one call and for a hundred', async () => {
    const { api } = await servers.start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const stranger = new pg.Client({ connectionString: url });
    await stranger.connect();
    try {
      await stranger.query('BEGIN; SELECT * FROM heads FOR UPDATE');
      const deploy = (n: number) => timed(api.post(`/v1/services/s${n}@lab/deployments`, { image: IMAGE }));
      for (const { answer, ms } of await Promise.all(Array.from({ length: 100 }, (_, n) => deploy(n)))) {
        expect(answer).toMatchObject({
          status: 503,
          body: {
            code: 'unavailable',
            detail: expect.stringMatching(/^Another program holds .*nothing was done/),
          },
        });
        expect(ms).toBeLessThan(17_000);
      }
      ok(await api.get('/readyz'));
      ok(await api.get('/v1/services/web@lab/status'));
    } finally {
      await stranger.end();
    }
    ok(await api.post('/v1/services/s0@lab/deployments', { image: IMAGE }), 202);
  });
});
