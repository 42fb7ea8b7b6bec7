import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Agent, claimUntil, ok, sourceForm } from './parties.ts';
import { describeServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeServers('administration of tokens and targets', (servers, database) => {
  it('a token that is requested twice with one key is one token, and its secret is stored nowhere (S7)', {
    timeout: 60_000,
  }, async () => {
    const { api, data } = await servers.start();
    const request = { role: 'viewer', name: 'dashboard' };
    const headers = { 'idempotency-key': 'k-7' };
    const [one, two] = await Promise.all([
      api.post('/v1/tokens', request, { headers }),
      api.post('/v1/tokens', request, { headers }),
    ]);
    expect(ok(two, 201)).toEqual(ok(one, 201));
    const replayed = [one, two].map((answer) => answer.headers.get('idempotency-replayed'));
    expect(replayed.toSorted(), 'which of them came first is not said').toEqual(['true', null].toSorted());
    const { id, token } = one.body;
    ok(await api.as(token).get('/v1/services'));
    const items = ok(await api.get('/v1/tokens')).items as { id: string; name: string }[];
    expect(items.filter(({ name }) => name === 'dashboard')).toHaveLength(1);
    expect(JSON.stringify(items)).not.toContain(token);

    const other = await api.post('/v1/tokens', { ...request, role: 'admin' }, { headers });
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
    const elsewhere = await api.post('/v1/targets', { target: 'lab' }, { headers });
    expect(elsewhere).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });

    // The same key of another administrator is another key, with another secret.
    const second = api.as(await api.tokenFor('admin', { name: 'second' }));
    const theirs = ok(await second.post('/v1/tokens', request, { headers }), 201);
    expect([theirs.id === id, theirs.token === token]).toEqual([false, false]);

    // Without a key each request creates another token.
    const [first, next] = [
      ok(await api.post('/v1/tokens', request), 201),
      ok(await api.post('/v1/tokens', request), 201),
    ];
    expect(first.token).not.toBe(next.token);

    ok(await api.call('DELETE', `/v1/tokens/${id}`), 204);
    const ended = ok(await api.post('/v1/tokens', request, { headers }), 201);
    expect(ended, 'the token created before, as it is now').toMatchObject({
      id,
      revokedAt: expect.any(String),
    });
    expect((await api.as(token).get('/v1/services')).status).toBe(401);
    if (database === 'sqlite')
      for (const file of ['evident.db', 'evident.db-wal'])
        expect(readFileSync(join(data, file)).includes(token), file).toBe(false);
  });

  it('targets are declared and removed; a target in use is not removed', async () => {
    // Fresh for long, however slow the machine is; the second server finds the same agent silent.
    const first = await servers.start({ args: ['--fresh-for', '600000'] });
    const { api } = first;
    const targets = async (of = api) => ok(await of.get('/v1/targets')).items;
    const headers = { 'idempotency-key': 't1' };
    const lab = { target: 'lab', runtime: 'container', agent: null, services: 0, notOnRecord: [] };
    const created = await api.post('/v1/targets', { target: 'lab', runtime: 'container' }, { headers });
    expect(ok(created, 201)).toEqual(lab);
    const again = await api.post('/v1/targets', { target: 'lab', runtime: 'container' }, { headers });
    expect(ok(again, 201)).toEqual(lab);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await targets()).toEqual([lab]);
    expect((await api.post('/v1/targets', { target: 'LAB' })).status).toBe(400);
    expect((await api.post('/v1/targets', { target: 'x', runtime: 'magic' })).status).toBe(400);

    // A deployment runs on the declared runtime of its target, unless its spec names another.
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE, spec: { stabilityMs: 0 } }), 202);
    const agent = new Agent(api.as(await api.tokenFor('agent', { target: 'lab' })));
    await agent.register();
    const apply = await agent.take();
    expect(apply.input.spec.runtime).toBe('container');
    await agent.applies(apply);
    ok(await api.post('/v1/targets', { target: 'cluster', runtime: 'kubernetes' }), 201);
    const source = await api.call('POST', '/v1/services/web@cluster/deployments', {
      raw: await sourceForm({}),
    });
    expect(source).toMatchObject({ status: 422, body: { code: 'image_required' } });

    const remove = (of = api) => of.call('DELETE', '/v1/targets/lab');
    await agent.seesRunning(apply, `sha256:${'9b1f'.repeat(16)}`);
    const of = (list: readonly { target: string }[]) => list.find(({ target }) => target === 'lab');
    const viewer = api.as(await api.tokenFor('viewer'));
    expect(of(await targets())).toMatchObject({ agent: { agent: 'agent-lab', state: 'alive' } });
    expect(of(await targets(viewer)), 'who speaks for it is for operators').toMatchObject({
      agent: { state: 'alive' },
    });
    expect(JSON.stringify(await targets(viewer))).not.toMatch(/agent-lab|"instance"/);
    expect(await remove()).toMatchObject({
      status: 409,
      body: { code: 'target_in_use', holder: { agent: 'agent-lab' }, until: expect.any(String) },
    });
    first.process.kill('SIGKILL');
    await first.ended;
    const args = ['--fresh-for', '1000', '--report-every', '200'];
    const { api: later } = await servers.start({ data: first.data, args });
    await claimUntil(later, 'web@lab', ({ state }) => state === 'unknown');
    expect(await remove(later), 'its agent is gone, what it runs is not').toMatchObject({
      status: 409,
      body: { code: 'target_in_use', holder: { service: 'web@lab' } },
    });
    const back = agent.at(later);
    await back.heartbeat();
    ok(await later.call('DELETE', '/v1/services/web@lab'), 202);
    await back.removes(await back.take());
    await back.sees([]);
    await claimUntil(later, 'web@lab', ({ outcome }) => outcome === 'succeeded');
    let gone = await remove(later);
    while (gone.status === 409) gone = await remove(later);
    expect(gone.status).toBe(204);
    expect((await targets(later)).map(({ target }: { target: string }) => target)).toEqual(['cluster']);
    expect(await remove(later)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await back.sees([]);
    expect((await targets(later))[1], 'its agent reports again').toMatchObject({
      target: 'lab',
      services: 1,
    });
  });

  it('an operator bound to some services or a target lists only their commands, agents and targets', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    for (const service of ['web@lab', 'api@edge', 'api@lab'])
      ok(await api.post(`/v1/services/${service}/deployments`, { image: IMAGE }), 202);
    for (const target of ['lab', 'edge', 'other'])
      await new Agent(api.as(await api.tokenFor('agent')), target, `${target}-1`).register();
    const listsOf = async (binding: object) => {
      const bound = api.as(await api.tokenFor('operator', binding));
      const [targets, commands, agents, services] = await Promise.all(
        ['targets', 'commands', 'agents', 'services'].map(
          async (list) => ok(await bound.get(`/v1/${list}`)).items,
        ),
      );
      return {
        targets: targets.map((t: { target: string; services: number }) => `${t.target} ${t.services}`),
        commands: commands.map(({ service }: { service: string }) => service).toSorted(),
        agents: agents.map(({ target }: { target: string }) => target),
        services: services.map(({ ref }: { ref: string }) => ref),
      };
    };
    expect(await listsOf({ service: 'api@*' })).toEqual({
      targets: ['edge 1', 'lab 1'],
      commands: ['api@edge', 'api@lab'],
      agents: ['edge', 'lab'],
      services: ['api@edge', 'api@lab'],
    });
    expect(await listsOf({ target: 'lab' })).toEqual({
      targets: ['lab 2'],
      commands: ['api@lab', 'web@lab'],
      agents: ['lab'],
      services: ['api@lab', 'web@lab'],
    });
  });

  it('a viewer bound to some services receives freshness of their targets only', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    for (const service of ['web@lab', 'api@edge'])
      ok(await api.post(`/v1/services/${service}/deployments`, { image: IMAGE }), 202);
    for (const target of ['lab', 'edge', 'other']) {
      const agent = new Agent(api.as(await api.tokenFor('agent')), target, `${target}-1`);
      await agent.register();
      await agent.sees([]);
    }
    const targetsSentTo = async (binding: object) => {
      const events = await api.as(await api.tokenFor('viewer', binding)).events('/v1/events');
      const fresh = [];
      for (let n = 0; n < 2; n++) fresh.push(await events.until(({ event }) => event === 'fresh'));
      events.close();
      const [first, second] = fresh.map(({ data }) => Object.keys(data.targets).toSorted());
      expect(second, 'at connect and later').toEqual(first);
      return first;
    };
    const found = await Promise.all([
      targetsSentTo({ service: 'api@*' }),
      targetsSentTo({ target: 'lab' }),
      targetsSentTo({}),
    ]);
    expect(found).toEqual([['edge'], ['lab'], ['edge', 'lab', 'other']]);
  });

  it('an admin token cannot be bound, so that it creates no token beyond its binding', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    for (const binding of [{ service: 'bb@*' }, { target: 'lab' }])
      expect(await api.post('/v1/tokens', { role: 'admin', ...binding })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', errors: [expect.stringContaining('admin')] },
      });
    ok(await api.post('/v1/tokens', { role: 'admin', service: '*', target: '*' }), 201);
    ok(await api.post('/v1/tokens', { role: 'operator', service: 'bb@*' }), 201);
  });

  it('shows the skew of an agent’s clock, and judges freshness by the server’s (F63)', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    const agent = new Agent(api.as(await api.tokenFor('agent')));
    await agent.register();
    await agent.sees([]);
    const skew = async () => ok(await api.get('/v1/agents')).items[0].skewMs;
    expect(await skew(), 'it does not tell').toBeNull();
    const report = (at: string) => {
      const body = { epoch: agent.epoch, seq: String(++agent.seq), base: agent.base, at };
      return agent.api.post('/v1/targets/lab/reports', body);
    };
    ok(await report(new Date(Date.now() + 300_000).toISOString()));
    expect(await skew()).toBeGreaterThan(290_000);
    expect(await skew()).toBeLessThanOrEqual(300_000);
    const [item] = ok(await api.get('/v1/agents')).items;
    expect(Math.abs(Date.parse(item.asOf) - Date.now()), 'freshness goes by our clock').toBeLessThan(60_000);
    ok(await report('half past nine'));
    expect(await skew()).toBeNull();
  });

  it('a scope that an agent before could read, and this one may not, is shown', {
    timeout: 60_000,
  }, async () => {
    const { api } = await servers.start();
    const token = api.as(await api.tokenFor('agent'));
    const before = new Agent(token, 'lab', 'lab-1');
    await before.register();
    const seen = { seq: '1', scope: 'ns/shop', instances: [], services: [] };
    ok(await token.post('/v1/targets/lab/reports', { ...seen, epoch: before.epoch, complete: true }));
    const agent = new Agent(token, 'lab', 'lab-2');
    await agent.register();
    const refused = { ...seen, epoch: agent.epoch, complete: false, unavailable: 'forbidden' };
    ok(await token.post('/v1/targets/lab/reports', refused));
    const items: readonly { state: string }[] = ok(await api.get('/v1/agents')).items;
    expect(items.find(({ state }) => state !== 'fenced')).toMatchObject({ forbidden: ['ns/shop'] });
  });

  it('a scope that could never be read has no instant of observation', { timeout: 60_000 }, async () => {
    const { api } = await servers.start();
    const agent = new Agent(api.as(await api.tokenFor('agent')));
    await agent.register();
    const body = { epoch: agent.epoch, seq: '1', complete: false, scope: 'pods', unavailable: 'forbidden' };
    ok(await agent.api.post('/v1/targets/lab/reports', { ...body, instances: [], services: [] }));
    const [item] = ok(await api.get('/v1/agents')).items;
    expect(item).toMatchObject({
      asOf: null,
      watchAgeMs: null,
      forbidden: ['pods'],
      scopes: [{ scope: 'pods', asOf: null, unavailable: 'forbidden' }],
    });
    const [span] = ok(await api.get(`/v1/agents/${item.id}/spans`)).items;
    expect(span.until).toBe(span.from);
    ok(await api.post('/v1/services/here@lab/deployments', { observe: true }), 202);
    // Outside of the token's binding a target does not exist, in the list and by itself (F111).
    for (const [to, items, status] of [
      [{ target: 'lab' }, 1, 200],
      [{ service: 'here@lab' }, 1, 200],
      [{ target: 'elsewhere' }, 0, 404],
      [{ service: 'web@lab' }, 0, 404],
    ] as const) {
      const bound = api.as(await api.tokenFor('operator', to));
      expect(ok(await bound.get('/v1/agents')).items).toHaveLength(items);
      expect((await bound.get(`/v1/agents/${item.id}/spans`)).status).toBe(status);
    }
  });
});
