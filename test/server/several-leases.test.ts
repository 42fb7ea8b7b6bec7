import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Agent, type Lease, ok } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describe('an agent works off several commands with few requests', () => {
  const servers = useServers(null, true);
  let api: Api;
  let agent: Agent;
  const wants = { kinds: ['apply'], target: 'lab', worker: 'agent-lab', instance: 'agent-1' };
  const applied = ({ id, service, revision, attempt, command, fence }: Lease) => {
    const item = { id: `${id}.applied`, kind: 'runtime.applied', service, revision, attempt, command, fence };
    return { ...item, body: {} };
  };
  const several = async (max: number): Promise<readonly Lease[]> =>
    ok(await agent.api.post('/v1/leases', { ...wants, max, waitMs: 5_000 })).leases;
  const published = async () => {
    const { items } = ok(await api.get('/v1/commands'));
    return (items as { state: string }[]).filter(({ state }) => state === 'published').length;
  };

  beforeAll(async () => {
    ({ api } = await servers.start());
    agent = new Agent(api.as(await api.tokenFor('agent', { target: 'lab' })));
    await agent.register();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
      ok(await api.post(`/v1/services/${name}@lab/deployments`, { image: IMAGE }), 202);
    while ((await published()) < 6);
  }, 60_000);

  it('leases, heartbeats, and the next ones in the answer to the evidence', async () => {
    const leases = await several(3);
    expect(leases.map(({ service }) => service)).toEqual(['a@lab', 'b@lab', 'c@lab']);
    for (const lease of leases) expect(lease).toMatchObject({ input: { artifact: IMAGE }, fence: '1' });
    const beats = [...leases.map(({ id, fence }) => ({ id, fence })), { id: 'lease-of-nobody', fence: '1' }];
    const answered = ok(await agent.api.post('/v1/leases/heartbeats', { beats })).beats;
    expect(answered.map(({ id }: Lease) => id)).toEqual(beats.map(({ id }) => id));
    expect(answered.slice(0, 3)).toMatchObject(leases.map(() => ({ cancelRequested: false })));
    expect(answered[3]).toMatchObject({ code: 'lease_lost' });
    const sent = { items: leases.map(applied), next: { ...wants, max: 2 } };
    const { results, leases: next } = ok(await agent.api.post('/v1/evidence', sent));
    expect(results).toMatchObject(leases.map(() => ({ verdict: 'admitted' })));
    expect(next.map(({ service }: Lease) => service)).toEqual(['d@lab', 'e@lab']);
    const again = ok(await agent.api.post('/v1/evidence', sent));
    expect(again.results, 'its answer was lost').toMatchObject(leases.map(() => ({ duplicate: true })));
    expect(again.leases).toEqual(next);
    const { results: last } = ok(await agent.api.post('/v1/evidence', { items: next.map(applied) }));
    expect(last).toMatchObject([{ verdict: 'admitted' }, { verdict: 'admitted' }]);
  });

  it('one is offered alone where no `max` is named, and none is none', async () => {
    const { lease, leases } = ok(await agent.api.post('/v1/leases', wants));
    expect([lease.service, leases]).toEqual(['f@lab', undefined]);
    const sent = { items: [applied(lease)], next: { ...wants, max: 2 } };
    expect(ok(await agent.api.post('/v1/evidence', sent)).leases).toEqual([]);
    expect((await agent.api.post('/v1/leases', { ...wants, max: 2 })).status).toBe(204);
  });

  it('the counts have limits', async () => {
    for (const max of [0, -1, 1.5, '2'])
      expect((await agent.api.post('/v1/leases', { ...wants, max })).status, `${max}`).toBe(400);
    expect((await agent.api.post('/v1/leases', { ...wants, max: 1e9 })).status, 'clamped').toBe(204);
    const beats = Array.from({ length: 101 }, () => ({ id: 'x', fence: '1' }));
    expect((await agent.api.post('/v1/leases/heartbeats', { beats })).status).toBe(400);
  });

  it('who may not work is refused before anything is submitted', async () => {
    const items = [{ id: 'forged', kind: 'runtime.applied', service: 'a@lab', revision: 1, attempt: 1 }];
    const deployer = api.as(await api.tokenFor('deployer'));
    const edge = api.as(await api.tokenFor('agent', { target: 'edge' }));
    for (const caller of [deployer, edge])
      expect(await caller.post('/v1/evidence', { items, next: wants })).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      });
    const { items: rejected } = ok(await api.get('/v1/evidence?verdict=rejected'));
    expect(rejected).toEqual([]);
  });

  it('a fenced agent gets its verdicts, and no work', async () => {
    ok(await api.post('/v1/services/g@lab/deployments', { image: IMAGE }), 202);
    while ((await published()) < 1);
    const newer = new Agent(agent.api, 'lab', 'agent-2');
    await newer.register();
    const asked = await agent.api.post('/v1/leases', { ...wants, max: 1 });
    expect(asked).toMatchObject({ status: 409, body: { code: 'stale_epoch' } });
    const items = [
      { id: 'late', kind: 'runtime.applied', service: 'a@lab', revision: 1, attempt: 1, body: {} },
    ];
    const { results, leases } = ok(await agent.api.post('/v1/evidence', { items, next: wants }));
    expect([results.length, leases]).toEqual([1, []]);
  });
});
