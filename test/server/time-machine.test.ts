import { expect, it } from 'vitest';
import type { RibbonView, TransitionView } from '../../src/contract/answers/views.ts';
import { stopsOf } from '../../src/contract/presentation/life.ts';
import { Agent, Builder, claimUntil, ok, sourceForm } from './parties.ts';
import { describeServers } from './servers.ts';

describeServers('the time machine', (servers) => {
  it('shows each change at its instant, and not a millisecond before', async () => {
    const { api } = await servers.start();
    const deployer = api.as(await api.tokenFor('deployer', { name: 'ana' }));
    const builder = new Builder(api.as(await api.tokenFor('builder')));
    const agent = new Agent(api.as(await api.tokenFor('agent', { target: 'lab' })));
    const raw = await sourceForm({ port: 8080, replicas: 1, stabilityMs: 200 });
    ok(await deployer.call('POST', '/v1/services/web@lab/deployments', { raw }), 202);
    const artifact = await builder.builds(await builder.take());
    await agent.register();
    const apply = await agent.take();
    await agent.applies(apply);
    await agent.seesRunning(apply, artifact);
    const is = (state: string, meanwhile?: () => Promise<unknown>) =>
      claimUntil(deployer, 'web@lab', (claim) => claim.state === state, meanwhile);
    await is('running', () => agent.heartbeat());
    // Calm reports leave no row, and yet each instance is shown as it was.
    await agent.heartbeat();
    const [{ freshness }, instances] = await Promise.all([
      deployer.get('/v1/services/web@lab/status').then(ok),
      deployer.get('/v1/services/web@lab/instances').then(ok),
    ]);
    expect(instances.items).toMatchObject([{ ready: true, asOf: freshness.asOf }]);
    // No party reports any more: the clock alone causes the next change.
    await is('unknown');
    await agent.seesRunning(apply, artifact);
    await is('running', () => agent.heartbeat());
    const [service] = ok(await deployer.get('/v1/services')).items;
    expect(service.holding, 'a silence that is over begins no new state').toEqual(
      ok(await deployer.get('/v1/services/web@lab/ribbon')).holding,
    );
    expect(Date.parse(service.holding.since)).toBeLessThan(Date.parse(service.claim.since));
    ok(await deployer.call('DELETE', '/v1/services/web@lab'), 202);
    await is('stopping');

    const items: TransitionView[] = ok(await deployer.get('/v1/services/web@lab/transitions')).items;
    const stops = stopsOf(items);
    expect(stops.map(({ to }) => to)).toEqual(
      expect.arrayContaining(['accepted', 'building', 'running', 'unknown']),
    );
    expect(items.map(({ owner }) => owner)).toContain('clock');
    const at = async (ms: number) =>
      ok(await deployer.get(`/v1/services/web@lab/status?at=${new Date(ms).toISOString()}`));
    for (const [i, stop] of stops.entries()) {
      const landed = ok(await deployer.get(`/v1/services/web@lab/status?at=${stop.at}`));
      expect(landed, `after ${i}`).toMatchObject({
        state: stop.to,
        desired: { revision: stop.revision, attempt: stop.attempt },
        since: stop.at,
        now: stop.at,
      });
      const before = stops[i - 1];
      if (before !== undefined) expect((await at(stop.ms - 1)).state, `before ${i}`).toBe(before.to);
    }
    const first = stops[0]?.ms ?? 0;
    const early = await deployer.get(`/v1/services/web@lab/status?at=${new Date(first - 1).toISOString()}`);
    expect(early).toMatchObject({
      status: 404,
      body: { detail: expect.stringMatching(/^Nobody had requested it yet at 2/) },
    });

    const ribbon: RibbonView = ok(await deployer.get('/v1/services/web@lab/ribbon'));
    expect(ribbon.stretches.map(({ state, from }) => [state, from])).toEqual(
      stops.map(({ to, at }) => [to, at]),
    );
    expect(ribbon.ms.unknown).toBeGreaterThan(0);
    expect(ribbon.ticks.map(({ kind, revision }) => [kind, revision])).toEqual([
      ['deploy', 1],
      ['teardown', 2],
    ]);
    const listed = async (query: string, as = deployer) => ok(await as.get(`/v1/ribbons?${query}`)).items;
    const window = `from=${ribbon.from}&to=${ribbon.to}`;
    expect(await listed(`services=none@lab,web@lab&${window}`)).toEqual([ribbon]);
    const [coarse] = await listed(`services=web@lab&points=1&${window}`);
    expect(coarse.stretches).toMatchObject([{ state: 'unknown', to: ribbon.to }]);
    const bound = api.as(await api.tokenFor('viewer', { service: 'other@*' }));
    expect(await listed(`services=web@lab&${window}`, bound)).toEqual([]);
    for (const wrong of [
      'services=we b@lab',
      'services=web@lab&points=0',
      `services=web@lab&from=${ribbon.to}&to=${ribbon.from}`,
    ])
      expect((await deployer.get(`/v1/ribbons?${wrong}`)).status, wrong).toBe(400);
  });
});
