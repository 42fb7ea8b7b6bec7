import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Builder, ok, sourceForm } from './parties.ts';
import { useServers } from './servers.ts';

/** Reads page by page along the links, which must all belong to this list. */
async function throughPages(api: Api, path: string): Promise<{ pages: number; items: unknown[] }> {
  const items: unknown[] = [];
  let pages = 0;
  for (let next: string | null = path; next !== null; pages++) {
    const answer = await api.get(next);
    const page = ok(answer);
    items.push(...page.items);
    const link: string | null = answer.headers.get('link');
    next = /^<([^>]+)>; rel="next"$/.exec(link ?? '')?.[1] ?? null;
    expect(page.cursor === null, 'a cursor and a link, or neither').toBe(next === null);
  }
  return { pages, items };
}

describe('every list is paged when a limit is requested', () => {
  const servers = useServers(null, true);
  let api: Api;
  let builder: Builder;
  beforeAll(async () => {
    ({ api } = await servers.start());
    builder = new Builder(api.as(await api.tokenFor('builder')));
    for (const name of ['one', 'two', 'three']) {
      const target = `of-${name}`;
      ok(await api.post('/v1/targets', { target }), 201);
      const registration = { agent: name, version: '1', identity: name };
      const agent = api.as(await api.tokenFor('agent', { target }));
      for (const instance of [`${name}-1`, `${name}-2`])
        ok(await agent.post(`/v1/targets/${target}/registrations`, { ...registration, instance }));
      const raw = await sourceForm({});
      ok(await api.call('POST', `/v1/services/${name}@${target}/deployments`, { raw }), 202);
      const work = { kinds: ['build'], worker: name, instance: name, waitMs: 5_000 };
      expect(ok(await builder.api.post('/v1/leases', work)).lease.service).toBe(`${name}@${target}`);
    }
  }, 60_000);

  it.each(['agents', 'commands', 'targets', 'tokens', 'workers'])('%s come in pages', async (list) => {
    const whole = ok(await api.get(`/v1/${list}`));
    expect(whole.cursor).toBeNull();
    expect(whole.items.length).toBeGreaterThanOrEqual(3);
    const { pages, items } = await throughPages(api, `/v1/${list}?limit=2`);
    expect(pages).toBe(Math.ceil(whole.items.length / 2));
    const names = (all: object[]) => all.map((item) => Object.values(item).slice(0, 3));
    expect(names(items as object[])).toEqual(names(whole.items));
    const foreign = Buffer.from('["other","x"]').toString('base64url');
    expect((await api.get(`/v1/${list}?cursor=${foreign}`)).status).toBe(400);
    expect((await api.get(`/v1/${list}?limit=0`)).status).toBe(400);
    expect(ok(await api.get(`/v1/${list}?limit=100000`)).items.length).toBe(whole.items.length);
  });

  it('a token that is deleted between two pages hides no item of the next', async () => {
    const mine = [];
    for (const name of ['a', 'b', 'c', 'd'])
      mine.push(ok(await api.post('/v1/tokens', { role: 'viewer', name }), 201).id);
    const all = ok(await api.get('/v1/tokens')).items.map(({ id }: { id: string }) => id);
    const first = await api.get(`/v1/tokens?limit=${all.length - 2}`);
    ok(await api.call('DELETE', `/v1/tokens/${mine[1]}`), 204);
    const next = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(ok(await api.get(next)).items.map(({ id }: { id: string }) => id)).toEqual(all.slice(-2));
  });

  it('leases are listed by revision, attempt and fence, whatever the size of a page', async () => {
    const at = '/v1/services/long@lab';
    const fences = [];
    for (let revision = 1; revision <= 12; revision++) {
      ok(await api.call('POST', `${at}/deployments`, { raw: await sourceForm({}) }), 202);
      for (const _again of revision === 11 ? [1, 2, 3] : [1]) {
        const lease = await builder.take();
        fences.push(lease.id);
        const { fence } = lease;
        ok(await builder.api.post(`/v1/leases/${lease.id}/heartbeat`, { fence }));
        ok(await builder.api.post(`/v1/leases/${lease.id}/release`, { fence, reason: 'again' }), 204);
      }
    }
    const whole = ok(await api.get(`${at}/leases`));
    expect(whole.items.map(({ lease }: { lease: string }) => lease)).toEqual(fences);
    for (const limit of [1, 3, 11, 12, 14]) {
      const { pages, items } = await throughPages(api, `${at}/leases?limit=${limit}`);
      expect(items, `by ${limit}`).toEqual(whole.items);
      expect(pages).toBe(Math.ceil(fences.length / limit));
    }
  });
});
