import { expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Builder, claimUntil, ok, sourceForm } from './parties.ts';
import { describeServers, type Server } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const DEPLOYMENTS = '/v1/services/web@lab/deployments';

describeServers('a token that is revoked or expires', (servers, database) => {
  /** One server; on PostgreSQL also another that shares the database, where the token is revoked. */
  const pair = async (): Promise<readonly [Api, Api]> => {
    const one = await servers.start();
    const other: Server = database === 'sqlite' ? one : await servers.start({ beside: one });
    return [one.api, other.api];
  };
  const createToken = async (api: Api, role: string, more: object = {}) => {
    const { id, token } = ok(await api.post('/v1/tokens', { role, ...more }), 201);
    return { id, as: api.as(token) };
  };
  const requestLease = (api: Api, name: string) =>
    api.post('/v1/leases', { kinds: ['build'], worker: name, instance: `${name}-1`, waitMs: 20_000 });
  const untilListed = async (api: Api, name: string) => {
    for (;;) {
      const { items } = ok(await api.get('/v1/workers'));
      if (items.some(({ worker }: { worker: string }) => worker === name)) return;
    }
  };

  it('while it waits for work gets none: the command is offered to a valid token', {
    timeout: 60_000,
  }, async () => {
    const [api, elsewhere] = await pair();
    const revoked = await createToken(api, 'builder', { name: 'revoked' });
    const expiring = await createToken(api, 'builder', { name: 'expiring', expiresInMs: 2_000 });
    const waiting = [requestLease(revoked.as, 'revoked'), requestLease(expiring.as, 'expiring')];
    await untilListed(api, 'revoked');
    await untilListed(api, 'expiring');
    await new Promise((over) => setTimeout(over, 2_000));
    ok(await elsewhere.call('DELETE', `/v1/tokens/${revoked.id}`), 204);
    ok(await elsewhere.call('POST', DEPLOYMENTS, { raw: await sourceForm({}) }), 202);
    for (const answer of await Promise.all(waiting))
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    await claimUntil(api, 'web@lab', ({ state }) => state === 'waiting_for_worker');
    expect(ok(await api.get('/v1/services/web@lab/leases')).items, 'nothing was offered').toEqual([]);
    expect(await new Builder((await createToken(api, 'builder')).as).take()).toMatchObject({ fence: '1' });
  });

  it('writes nothing at any server, though it was valid there a moment ago', {
    timeout: 60_000,
  }, async () => {
    const [api, elsewhere] = await pair();
    for (let times = 0; times < 2; times++) {
      const deployer = await createToken(api, 'deployer');
      const builder = await createToken(api, 'builder');
      ok(await deployer.as.get('/v1/services'));
      ok(await deployer.as.post(DEPLOYMENTS, { image: IMAGE }), 202);
      ok(await requestLeaseNow(builder.as), 204);
      for (const { id } of [deployer, builder]) ok(await elsewhere.call('DELETE', `/v1/tokens/${id}`), 204);
      expect((await deployer.as.post(DEPLOYMENTS, { image: IMAGE })).status).toBe(401);
      expect((await requestLeaseNow(builder.as)).status).toBe(401);
      expect((await builder.as.post('/v1/evidence', { items: [{}] })).status).toBe(401);
      expect((await deployer.as.post('/v1/sessions', { token: deployer.as.token })).status).toBe(401);
    }
  });

  it('can neither renew, report nor submit for what it held', {
    timeout: 60_000,
  }, async () => {
    const [api, elsewhere] = await pair();
    ok(await api.post(DEPLOYMENTS, { image: IMAGE }), 202);
    const agent = await createToken(api, 'agent', { target: 'lab' });
    const about = { agent: 'agent-lab', instance: 'i-1', version: '1', identity: 'c-1' };
    const { epoch } = ok(await agent.as.post('/v1/targets/lab/registrations', about));
    const request = { kinds: ['apply'], target: 'lab', worker: 'agent-lab', instance: 'i-1', waitMs: 20_000 };
    const { lease } = ok(await agent.as.post('/v1/leases', request));
    const { id, fence, command, revision, attempt } = lease;
    const beat = () => agent.as.post(`/v1/leases/${id}/heartbeat`, { fence });
    const reports = (more: object) => agent.as.post('/v1/targets/lab/reports', { epoch, ...more });
    ok(await beat());
    ok(await reports({ seq: '1', complete: true, instances: [], services: [] }));
    ok(await reports({ seq: '2', base: '1' }));
    ok(await beat());
    const before = await api.get('/v1/services/web@lab/evidence');
    ok(await elsewhere.call('DELETE', `/v1/tokens/${agent.id}`), 204);
    const item = {
      id: 'e-1',
      kind: 'runtime.applied',
      service: 'web@lab',
      revision,
      attempt,
      command,
      fence,
    };
    const calls = [
      beat,
      () => reports({ seq: '3', base: '1' }),
      () => reports({ seq: '4', complete: true, instances: [], services: [] }),
      () => reports({ seq: '5', complete: true }),
      () => agent.as.post('/v1/evidence', { items: [{ ...item, body: {} }] }),
      () => agent.as.post(`/v1/leases/${id}/release`, { fence }),
      () => agent.as.post('/v1/leases', request),
      () => agent.as.post('/v1/targets/lab/registrations', { ...about, instance: 'i-2' }),
    ];
    // All calls at once: each was let in by a cached token, and shares its transaction with the others.
    for (const answer of await Promise.all(calls.map((call) => call())))
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await api.get('/v1/services/web@lab/evidence')).body.items).toEqual(before.body.items);
  });

  const requestLeaseNow = (api: Api) =>
    api.post('/v1/leases', { kinds: ['build'], worker: 'w', instance: 'w-1', waitMs: 0 });

  it('while its source is uploaded deploys nothing', { timeout: 60_000 }, async () => {
    const [api, elsewhere] = await pair();
    const deployer = await createToken(api, 'deployer');
    const form = new Response(await sourceForm({}));
    const bytes = new Uint8Array(await form.arrayBuffer());
    const half = Math.floor(bytes.length / 2);
    let resume = () => {};
    const ended = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const body = new ReadableStream({
      async start(sending) {
        sending.enqueue(bytes.subarray(0, half));
        await ended;
        sending.enqueue(bytes.subarray(half));
        sending.close();
      },
    });
    const headers = { 'content-type': form.headers.get('content-type') ?? '' };
    const sent = deployer.as.call('POST', DEPLOYMENTS, { raw: body, headers });
    await new Promise((over) => setTimeout(over, 500));
    ok(await elsewhere.call('DELETE', `/v1/tokens/${deployer.id}`), 204);
    resume();
    expect(await sent).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await api.get('/v1/services/web@lab')).status).toBe(404);
  });
});
