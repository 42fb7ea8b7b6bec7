import { expect, it } from 'vitest';
import { describeWithOwnPostgres } from '../lab.ts';
import { Builder, claimUntil, ok, sourceForm } from './parties.ts';
import { describeServers, useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeServers('a server process', (servers, database) => {
  it('stops in order: streams end, and the next start shows the same service', {
    timeout: 60_000,
  }, async () => {
    const first = await servers.start();
    ok(await first.api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const events = await first.api.events('/v1/services/web@lab/events');
    expect(await events.next()).toMatchObject({ event: 'claim' });
    first.process.kill('SIGTERM');
    for (let received = await events.next(); received !== null; received = await events.next())
      expect(received.event).not.toBe('reset');
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
    const { api } = await servers.start({ data: first.data });
    expect(api.token).toBe(first.api.token);
    await claimUntil(api, 'web@lab', ({ state }) => state === 'waiting_for_worker');
  });

  it('stops in order: calls that were let in are answered, waits end, and an unanswered call has done nothing', {
    timeout: 60_000,
  }, async () => {
    const first = await servers.start();
    const builder = new Builder(first.api.as(await first.api.tokenFor('builder', { service: 'none@none' })));
    const { worker, instance } = { worker: 'w', instance: 'w-1' };
    const waiting = builder.api.post('/v1/leases', { kinds: ['build'], worker, instance, waitMs: 30_000 });
    const received: (number | string)[] = [];
    const unanswered: string[] = [];
    let started = 0;
    const writer = async () => {
      for (;;) {
        const name = `w${started++}@lab`;
        const answer = await first.api
          .post(`/v1/services/${name}/deployments`, { image: IMAGE })
          .catch(() => null);
        if (answer === null) return void unanswered.push(name);
        received.push(answer.status === 202 ? 202 : answer.body.code);
        if (answer.status !== 202) return;
      }
    };
    const writers = Array.from({ length: 12 }, writer);
    while (received.length < 30) await new Promise((over) => setTimeout(over, 10));
    const stoppedAt = performance.now();
    first.process.kill('SIGTERM');
    expect((await waiting).status).toBe(204);
    await Promise.all(writers);
    expect(await first.ended).toMatchObject({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).toBeLessThan(8_000);
    expect(new Set(received)).toEqual(
      new Set(received.includes('unavailable') ? [202, 'unavailable'] : [202]),
    );
    const { api } = await servers.start({ data: first.data });
    for (const name of unanswered)
      expect((await api.get(`/v1/services/${name}`)).status, `${name} was not answered`).toBe(404);
    const done = received.filter((status) => status === 202).length;
    expect(ok(await api.get('/v1/services?limit=200')).items.length).toBe(Math.min(done, 200));
  });

  it('is killed while a build is held, comes back, and the holder completes the build (F01)', {
    timeout: 60_000,
  }, async () => {
    const first = await servers.start({ args: ['--lease-ttl', '60000'] });
    const token = await first.api.tokenFor('builder');
    ok(await first.api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    const lease = await new Builder(first.api.as(token)).take();
    ok(await first.api.as(token).post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence }));
    first.process.kill('SIGKILL');
    await first.ended;
    const { api } = await servers.start({ data: first.data, args: ['--lease-ttl', '60000'] });
    await new Builder(api.as(token)).builds(lease);
    await claimUntil(api, 'web@lab', ({ state }) => state === 'artifact_ready');
  });

  if (database === 'sqlite')
    it('is found by the command line, which creates, lists and revokes tokens', {
      timeout: 60_000,
    }, async () => {
      const { data, api } = await servers.start();
      const env = { EVIDENT_DATA: data };
      const created = servers.run(
        ['tokens', 'create', '--role', 'viewer', '--expires', '1h', '-o', 'json'],
        env,
      );
      expect([created.code, created.err]).toEqual([0, '']);
      const { id, token, expiresAt } = JSON.parse(created.out);
      expect(expiresAt).not.toBeNull();
      expect((await api.as(token).get('/v1/services')).status).toBe(200);
      expect(servers.run(['tokens', 'revoke', id], env)).toMatchObject({
        code: 0,
        out: `${id} is revoked.\n`,
      });
      expect((await api.as(token).get('/v1/services')).status).toBe(401);
      const refused = servers.run(['tokens', 'create', '--role', 'king', '-o', 'json'], env);
      expect(refused.code).toBe(2);
      expect(JSON.parse(refused.err)).toMatchObject({ code: 'invalid_request', status: 400 });
      expect(servers.run(['tokens', 'create', '--role', 'viewer', '--expires', 'soon'], env)).toMatchObject({
        code: 2,
      });
      const settings = JSON.parse(servers.run(['config', 'show', '-o', 'json'], env).out);
      expect(settings).toContainEqual(
        expect.objectContaining({ name: 'data', value: data, origin: 'variable' }),
      );
    });

  if (database === 'sqlite')
    it('ends with a sentence where its directory cannot be written', { timeout: 60_000 }, async () => {
      const { code, errors } = await servers.spawn('/proc/nowhere').ended;
      expect([code, errors]).toEqual([1, expect.stringContaining('cannot be made or written')]);
    });

  if (database === 'sqlite')
    it('refuses a directory that another server owns, and says so (F52)', { timeout: 60_000 }, async () => {
      const { data } = await servers.start();
      const { code, errors } = await servers.spawn(data).ended;
      expect(code).toBe(1);
      expect(JSON.parse(errors), 'with -o json every error is a problem object').toMatchObject({
        type: 'urn:evident:problem:refused',
        detail: expect.stringMatching(/in use|another|owns/i),
        code: 'refused',
      });
    });

  if (database === 'postgres')
    it('shares its database with another: the other shows and offers what one records', {
      timeout: 60_000,
    }, async () => {
      const one = await servers.start();
      const two = await servers.start({ beside: one });
      expect(two.api.token).not.toBe(one.api.token);
      const builder = new Builder(two.api.as(await two.api.tokenFor('builder')));
      const events = await two.api.events('/v1/events');
      const waiting = builder.take(20_000);
      ok(await one.api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
      const lease = await waiting;
      expect(lease).toMatchObject({ service: 'web@lab', fence: '1' });
      // Each server has a data directory of its own and shares the directory of files.
      expect((await builder.api.get(`/v1/artifacts/${lease.input.source}`)).status).toBe(200);
      const received = await events.until(({ event }) => event === 'transition');
      expect(received.data).toMatchObject({ service: 'web@lab', to: 'accepted' });
      events.close();
    });

  if (database === 'postgres')
    it('does not start while one with other times runs, since their claims would differ (S13)', {
      timeout: 60_000,
    }, async () => {
      const one = await servers.start();
      const data = await servers.newData(one.data);
      const refused = await servers.spawn(data, ['--fresh-for', '77000']).ended;
      expect(refused).toMatchObject({ code: 1, signal: null });
      expect(refused.errors).toMatch(
        /running with other times: --fresh-for is 77000 ms here and \d+ ms there/,
      );
      one.process.kill('SIGKILL');
      await one.ended;
      const other = ['--fresh-for', '77000'];
      const first = servers.spawn(data, other);
      // The first still waits for the beats of the old server to end; the second then compares with the first.
      const second = await servers.start({ beside: one, args: other });
      expect((await second.api.get('/readyz')).status).toBe(200);
      expect(await first.ready).toMatch(/^http/);
    });
});

describeWithOwnPostgres('a server whose PostgreSQL is stopped', (postgres) => {
  const servers = useServers(() => postgres.newUrl());

  it('answers 503, writes nothing, and recovers when it is back', { timeout: 120_000 }, async () => {
    const { api } = await servers.start();
    const operator = api.as(await api.tokenFor('operator'));
    ok(await operator.get('/metrics'));
    const stranger = api.as(await api.tokenFor('viewer'));
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    await postgres.cluster().halt();
    const refused = await api.post('/v1/services/other@lab/deployments', { image: IMAGE });
    expect(refused).toMatchObject({
      status: 503,
      body: { code: expect.stringMatching(/^(unavailable|outcome_unknown)$/) },
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    // /metrics shows the outage to an operator whose token is cached, and to nobody else.
    for (;;) {
      const numbers = String(ok(await operator.get('/metrics')));
      if (/^evident_store_answers 0$/m.test(numbers)) break;
    }
    expect((await stranger.get('/metrics')).status).toBe(503);
    expect((await operator.get('/v1/services')).status).toBe(503);
    await postgres.cluster().go();
    await untilItAnswers(api);
    ok(await api.post('/v1/services/other@lab/deployments', { image: IMAGE }), 202);
  });
});

/** Polls until the store answers again. */
async function untilItAnswers(api: { get(path: string): Promise<{ status: number }> }): Promise<void> {
  for (;;) if ((await api.get('/v1/services/web@lab/status')).status === 200) return;
}
