import { expect, it } from 'vitest';
import { Agent, Builder, claimUntil, ok, sourceForm, submit } from './parties.ts';
import { describeServers } from './servers.ts';

describeServers('a deployment, call by call', (servers) => {
  it('goes from a source to running, and then to stopped', { timeout: 60_000 }, async () => {
    const { api } = await servers.start();
    const deployer = api.as(await api.tokenFor('deployer', { name: 'ana' }));
    const builder = new Builder(api.as(await api.tokenFor('builder')));
    const agent = new Agent(api.as(await api.tokenFor('agent', { target: 'lab' })));

    // 1. Intent
    const form = await sourceForm({
      port: 8080,
      replicas: 1,
      stabilityMs: 300,
      git: { sha: '3f9c2e1', branch: 'main' },
    });
    const request = await deployer.call('POST', '/v1/services/web@lab/deployments', {
      raw: form,
      headers: { 'idempotency-key': 'k1' },
    });
    expect(ok(request, 202)).toMatchObject({
      service: 'web@lab',
      revision: 1,
      attempt: 1,
      claim: { state: 'accepted' },
    });
    expect(request.headers.get('location')).toBe('/v1/services/web@lab/revisions/1');
    const again = await deployer.call('POST', '/v1/services/web@lab/deployments', {
      raw: await sourceForm({
        port: 8080,
        replicas: 1,
        stabilityMs: 300,
        git: { sha: '3f9c2e1', branch: 'main' },
      }),
      headers: { 'idempotency-key': 'k1' },
    });
    expect(ok(again, 202)).toMatchObject({ revision: 1, attempt: 1 });
    expect(again.headers.get('idempotency-replayed')).toBe('true');

    // 2. The claim, without the operator's part for a deployer
    const waiting = await claimUntil(deployer, 'web@lab', (claim) => claim.state === 'waiting_for_worker');
    expect(waiting).toMatchObject({
      cause: { code: 'no_worker_online', params: { kind: 'build' } },
      next: { owner: 'platform' },
    });
    expect(waiting).not.toHaveProperty('operator');
    expect(ok(await api.get('/v1/services/web@lab/status'))).toHaveProperty('operator.stage', 'queue');

    // 3. Ownership
    const build = await builder.take();
    expect(build).toMatchObject({
      kind: 'build',
      service: 'web@lab',
      revision: 1,
      attempt: 1,
      fence: '1',
      ttlMs: 20000,
    });
    expect(build.input.source).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect((await builder.api.get(`/v1/artifacts/${build.input.source}`)).status).toBe(200);
    expect((await claimUntil(deployer, 'web@lab', () => true)).cause.code).toBe('offered');

    // 4. Evidence
    const artifact = await builder.builds(build);
    const late = ok(await submit(builder.api, build, 'build.progress', { step: 1, message: 'late' }))
      .results[0];
    expect(late).toMatchObject({ verdict: 'rejected', reason: 'stale_lease' });
    const refused = ok(await api.get('/v1/services/web@lab/evidence?verdict=rejected')).items;
    expect(refused).toMatchObject([{ kind: 'build.progress', verdict: 'rejected', reason: 'stale_lease' }]);

    // 5. The agent
    expect(await agent.register()).toMatchObject({ epoch: '1', reportEveryMs: 500, freshForMs: 5000 });
    const apply = await agent.take();
    const spec = { replicas: 1, port: 8080, command: ['run'], stabilityMs: 300, concurrency: 'newest' };
    expect(apply, 'with what the builder found').toMatchObject({ kind: 'apply', input: { artifact, spec } });
    await agent.applies(apply);
    await agent.seesRunning(apply, artifact);
    const running = await claimUntil(
      deployer,
      'web@lab',
      (claim) => claim.state === 'running',
      () => agent.heartbeat(),
    );
    expect(running).toMatchObject({
      outcome: 'succeeded',
      serving: { revision: 1, attempt: 1 },
      proof: { stoppedAt: null },
    });
    expect(ok(await deployer.get('/v1/services/web@lab'))).toMatchObject({
      ref: 'web@lab',
      urls: ['http://web.localhost:7718/'],
      spec: { port: 8080, replicas: 1, deadlines: { buildMs: expect.any(Number) }, env: {} },
    });
    expect(ok(await deployer.get('/v1/services?state=running')).items).toMatchObject([
      {
        failingLine: null,
        holding: null,
        servingCopies: null,
        wanted: {
          ...{ revision: 1, kind: 'deploy', actor: 'ana', managedBy: null },
          git: { sha: '3f9c2e1', branch: 'main' },
          createdAt: expect.stringMatching(/^20/),
          copies: { ready: 1, wanted: 1 },
        },
      },
    ]);
    expect(ok(await deployer.get('/v1/services?state=failed')).items).toHaveLength(0);

    // 6. Actions
    expect(ok(await deployer.post('/v1/services/web@lab/retries'), 409)).toMatchObject({
      code: 'retry_not_possible',
    });
    expect(ok(await deployer.post('/v1/services/web@lab/cancellations'), 409)).toMatchObject({
      code: 'nothing_to_cancel',
    });
    expect(ok(await deployer.post('/v1/services/web@lab/scalings', { replicas: 2 }), 202)).toMatchObject({
      revision: 2,
    });
    const scale = await agent.take();
    expect(scale.input).toMatchObject({ artifact, spec: { ...spec, replicas: 2 } });
    await agent.applies(scale);
    await agent.seesRunning(scale, artifact, 2);
    await claimUntil(
      deployer,
      'web@lab',
      (claim) => claim.state === 'running',
      () => agent.heartbeat(),
    );
    expect(ok(await deployer.post('/v1/services/web@lab/rollbacks', { to: 1 }), 202)).toMatchObject({
      revision: 3,
    });
    expect(ok(await deployer.call('DELETE', '/v1/services/web@lab'), 202)).toMatchObject({ revision: 4 });
    const remove = await agent.take();
    expect(remove.kind).toBe('remove');
    await agent.removes(remove);
    await agent.sees([]);
    await claimUntil(
      deployer,
      'web@lab',
      (claim) => claim.state === 'stopped',
      () => agent.heartbeat(),
    );

    // 7. Reading
    const { items } = ok(await deployer.get('/v1/services/web@lab/revisions?limit=20'));
    expect(items.map((item: { kind: string }) => item.kind)).toEqual([
      'teardown',
      'rollback',
      'scale',
      'deploy',
    ]);
    expect(items[3]).toMatchObject({
      actor: 'ana',
      git: { sha: '3f9c2e1' },
      artifact,
      attempts: [{ attempt: 1, outcome: 'succeeded' }],
    });
    expect(items[3].attempts[0].stages.map((stage: { stage: string }) => stage.stage)).toContain('queue');
    const first = ok(await deployer.get('/v1/services/web@lab/transitions?limit=2'));
    expect(first.items).toMatchObject([
      { from: null, to: 'accepted', owner: 'api' },
      { from: 'accepted', to: 'waiting_for_worker', owner: 'publisher' },
    ]);
    const rest = ok(await deployer.get(`/v1/services/web@lab/transitions?limit=200&cursor=${first.cursor}`));
    expect(rest.items[0].from).toBe('waiting_for_worker');
    expect(rest.cursor).toBeNull();
    const then = ok(await deployer.get(`/v1/services/web@lab/status?at=${first.items[1].at}`));
    expect(then.state).toBe('waiting_for_worker');
    expect((await deployer.get('/v1/services/web@lab/status?at=2020-01-01T00:00:00Z')).status).toBe(404);
  });
});
