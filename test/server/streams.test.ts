import { expect, it } from 'vitest';
import type { StreamEvent } from './api.ts';
import { Agent, Builder, claimUntil, ok, running, sourceForm, submit } from './parties.ts';
import { describeServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const isTransition = (received: StreamEvent) => received.event === 'transition';

describeServers('streams', (servers) => {
  it('send the claim, then every transition, and resume without gap or repetition across a SIGKILL', {
    timeout: 60_000,
  }, async () => {
    const first = await servers.start();
    const { api } = first;
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const events = await api.events('/v1/services/web@lab/events');
    expect(events.response.headers.get('content-type')).toContain('text/event-stream');
    const claim = await events.next();
    expect(claim).toMatchObject({
      event: 'claim',
      data: { service: 'web@lab', operator: expect.anything() },
    });
    expect(claim?.id).toMatch(/^\d+$/);
    await claimUntil(api, 'web@lab', ({ state }) => state === 'waiting_for_worker');
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const revisionForViewer: StreamEvent[] = [await events.until(isTransition)];
    first.process.kill('SIGKILL');
    await first.ended;

    const { api: again } = await servers.start({ data: first.data });
    ok(await again.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const resumed = await again.events('/v1/services/web@lab/events', {
      'last-event-id': String(revisionForViewer[0]?.id),
    });
    for (
      let received = await resumed.next();
      received?.event === 'transition';
      received = await resumed.next()
    )
      revisionForViewer.push(received);
    const { items } = ok(await again.get('/v1/services/web@lab/transitions?limit=200'));
    const positions = revisionForViewer.map(({ id }) => id);
    const at = items.findIndex((item: { position: string }) => item.position === positions[0]);
    expect(positions).toEqual(
      items.slice(at, at + positions.length).map((item: { position: string }) => item.position),
    );
    for (const { data } of revisionForViewer) expect(data.claim.service).toBe('web@lab');
    resumed.close();
  });

  it('refuse a malformed position, and reset for one that was never issued (F85)', {
    timeout: 30_000,
  }, async () => {
    const { api } = await servers.start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const malformed = await api.get('/v1/services/web@lab/events', { headers: { 'last-event-id': 'abc' } });
    expect(malformed).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    for (const none of ['007', '-1', '1.5', '9'.repeat(41)])
      expect((await api.get('/v1/events', { headers: { 'last-event-id': none } })).status, none).toBe(400);
    for (const far of ['9'.repeat(31), '9'.repeat(40)]) {
      const above = await api.events('/v1/services/web@lab/events', { 'last-event-id': far });
      expect(await above.next(), far).toMatchObject({ event: 'reset' });
      above.close();
    }
    const forged = await api.events('/v1/services/web@lab/events', { 'last-event-id': '999999' });
    expect(await forged.next()).toMatchObject({ event: 'reset', data: { service: 'web@lab' } });
    expect(await forged.next()).toMatchObject({ event: 'claim', data: { service: 'web@lab' } });
    forged.close();
    expect(await api.get('/v1/services/nobody@lab/events')).toMatchObject({ status: 404 });
  });

  it('send every claim of an org again after a reset, and the position with the last (F85)', {
    timeout: 30_000,
  }, async () => {
    const { api } = await servers.start();
    for (const ref of ['api@lab', 'web@lab'])
      ok(await api.post(`/v1/services/${ref}/deployments`, { image: IMAGE }), 202);
    const all = await api.events('/v1/events', { 'last-event-id': '999999' });
    const reset = await all.next();
    expect(reset).toMatchObject({ event: 'reset', id: null });
    expect(await all.next()).toMatchObject({ event: 'claim', id: null, data: { service: 'api@lab' } });
    const position = reset?.data.position;
    expect(await all.next()).toMatchObject({ event: 'claim', id: position, data: { service: 'web@lab' } });
    all.close();
  });

  it('send unknown without a request when an agent falls silent, within freshness and a second (S2)', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start({ args: ['--fresh-for', '2000'] });
    await running(api);
    const events = await api.events('/v1/services/web@lab/events');
    expect(await events.next()).toMatchObject({ event: 'claim', data: { state: 'running' } });
    // Either event may come first, so each is waited for on a stream of its own.
    const calm = await api.events('/v1/services/web@lab/events');
    const fresh = await calm.until(({ event }) => event === 'fresh');
    calm.close();
    expect(fresh).toMatchObject({
      id: null,
      data: { now: expect.any(String), targets: { lab: { asOf: expect.any(String) } } },
    });
    const silent = await events.until(
      ({ event, data }) =>
        (event === 'claim' || event === 'transition') && (data.claim ?? data).state === 'unknown',
    );
    const claim = silent.data.claim ?? silent.data;
    expect(claim).toMatchObject({
      state: 'unknown',
      cause: { code: 'stale_runtime' },
      lastKnown: { state: 'running' },
      serving: null,
    });
    expect(Date.parse(claim.now) - Date.parse(claim.lastKnown.at)).toBeLessThan(60_000);
    expect(ok(await api.get('/v1/services/web@lab/status')).state).toBe('unknown');
    events.close();
  });

  it('send fresh at each step of a build, and the steps are recorded for operators', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    const builder = new Builder(api.as(await api.tokenFor('builder')));
    ok(await api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    const lease = await builder.take();
    ok(await builder.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: lease.fence }));
    const events = await api.events('/v1/services/web@lab/events');
    expect(await events.next()).toMatchObject({ event: 'claim', data: { state: 'building' } });
    const from = performance.now();
    for (let step = 1; step <= 5; step++) {
      ok(await submit(builder.api, lease, 'build.progress', { step, total: 5, message: `part ${step}` }));
      await events.until(({ event }) => event === 'fresh');
      const { message } = ok(await api.get('/v1/services/web@lab/status'));
      expect(message.body).toContain(`step ${step} of 5`);
    }
    // Without a change, `fresh` comes every 3 s.
    expect(performance.now() - from).toBeLessThan(7_500);
    events.close();

    await builder.builds(lease, 'twelve bytes');
    const revision = ok(await api.get('/v1/services/web@lab/revisions/1'));
    expect(revision).toMatchObject({ artifactSize: 12 });
    expect(revision.attempts[0].build.slice(0, 2)).toEqual([
      { step: 1, total: 5, message: 'part 1' },
      { step: 2, total: 5, message: 'part 2' },
    ]);
    const viewer = api.as(await api.tokenFor('viewer'));
    const revisionForViewer = ok(await viewer.get('/v1/services/web@lab/revisions/1'));
    expect(revisionForViewer).toMatchObject({ artifactSize: 12 });
    expect(JSON.stringify(revisionForViewer)).not.toContain('part 1');
  });

  it('stay alive though the last other stream closes at the same time', { timeout: 60_000 }, async () => {
    const { api } = await servers.start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    let last = await api.events('/v1/services/web@lab/events');
    for (let n = 0; n < 10; n++) {
      const next = api.events('/v1/services/web@lab/events');
      last.close();
      last = await next;
    }
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const received = await last.until(({ event, data }) => event === 'transition' && data.revision === 2);
    expect(received.data.claim.state).toBe(received.data.to);
    last.close();
  });

  it('are limited per org, and deploying needs none of them (F88)', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start({ args: ['--max-streams', '2'] });
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const open = [await api.events('/v1/events'), await api.events('/v1/services/web@lab/events')];
    const third = await api.get('/v1/events');
    expect(third).toMatchObject({ status: 429, body: { code: 'too_many' } });
    expect(third.headers.get('retry-after')).toBe('5');
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const other = api.as(await api.tokenFor('viewer', { org: 'umbrella' }));
    (await other.events('/v1/events')).close();
    for (const events of open) events.close();
  });

  it('of an org send the time of the server at once, before any change', async () => {
    const { api } = await servers.start();
    const events = await api.events('/v1/events');
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    expect(await events.next()).toMatchObject({
      event: 'fresh',
      data: { now: expect.any(String), targets: {} },
    });
    events.close();
  });

  it('end with the token that opened them (F86)', { timeout: 30_000 }, async () => {
    const { api } = await servers.start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const created = ok(await api.post('/v1/tokens', { role: 'viewer' }), 201);
    const events = await api.as(created.token).events('/v1/events');
    ok(await api.call('DELETE', `/v1/tokens/${created.id}`), 204);
    for (let received = await events.next(); received !== null; received = await events.next())
      expect(['fresh', 'transition']).toContain(received.event);
  });

  it('follow a deployment until its outcome', { timeout: 60_000 }, async () => {
    const { api } = await servers.start();
    const agent = new Agent(api.as(await api.tokenFor('agent')));
    await agent.register();
    const body = JSON.stringify({ image: IMAGE, spec: { port: 8080, stabilityMs: 100 } });
    const progress = await api.events(
      '/v1/services/web@lab/deployments',
      { 'content-type': 'application/json' },
      { method: 'POST', body },
    );
    expect(progress.response.status).toBe(200);
    expect(progress.response.headers.get('location')).toBe('/v1/services/web@lab/revisions/1');
    const apply = await agent.take();
    await agent.applies(apply);
    await agent.seesRunning(apply, IMAGE);
    await claimUntil(
      api,
      'web@lab',
      (claim) => claim.state === 'running',
      () => agent.heartbeat(),
    );
    const settled = await progress.until(({ event }) => event === 'settled');
    expect(settled.data).toMatchObject({
      state: 'running',
      settled: { revision: 1, attempt: 1, outcome: 'succeeded' },
    });
    expect(await progress.next()).toBeNull();
  });
});

describeServers('a builder that waits for a command', (servers) => {
  it('is offered one as soon as it is published, and again when another holder’s lease lapses', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start({ args: ['--lease-ttl', '2000'] });
    const builder = new Builder(api.as(await api.tokenFor('builder')), 'first');
    const other = new Builder(api.as(await api.tokenFor('builder')), 'second');
    const waiting = builder.take(20_000);
    ok(await api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    const lease = await waiting;
    expect(lease).toMatchObject({ service: 'web@lab', fence: '1' });
    // The builder acknowledges and sends nothing more: the lease lapses and the next holder gets a higher fence
    // (F30).
    ok(await builder.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: '1' }));
    const next = await other.take(20_000);
    expect(next).toMatchObject({ service: 'web@lab', fence: '2' });
    expect(await builder.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence: '1' })).toMatchObject({
      status: 409,
      body: { code: 'lease_lost' },
    });
  });
});
