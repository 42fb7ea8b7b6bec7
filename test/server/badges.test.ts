import { expect, it } from 'vitest';
import type { Api } from './api.ts';
import { claimUntil, ok, running } from './parties.ts';
import { describeServers } from './servers.ts';

const LONG = { timeout: 60_000 };

const read = async (api: Api, path: string, token: string | null, headers: Record<string, string> = {}) =>
  fetch(`${api.address}${path}`, {
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
  });

describeServers('badges', (servers) => {
  it('say what the claim says, and never more: grey and hatched once nobody knows (S2)', LONG, async () => {
    const { api } = await servers.start();
    const { agent } = await running(api);
    const viewer = await api.tokenFor('viewer');
    const path = '/v1/services/web@lab/badge';
    await agent.heartbeat();
    const good = await read(api, `${path}.svg`, viewer);
    expect(good.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    const kept = Number(/max-age=(\d+)/.exec(good.headers.get('cache-control') ?? '')?.[1]);
    expect(kept).toBeLessThanOrEqual(10);
    expect(await good.text()).toContain('<title>web@lab: running r1</title>');
    await claimUntil(api, 'web@lab', ({ state }) => state === 'unknown');
    const unknown = await (await read(api, `${path}.svg`, viewer)).text();
    expect(unknown).toMatch(/<title>web@lab: unknown for \d+ s<\/title>.*fill="url\(#h\)"/);
    const shield = await read(api, `${path}.json`, viewer);
    expect(await shield.json()).toMatchObject({ schemaVersion: 1, label: 'web@lab', color: 'lightgrey' });
    expect(shield.headers.get('cache-control'), 'what has expired is not kept').toBe(
      'max-age=0, must-revalidate',
    );
  });

  it('are public where the spec says so, and else as absent as what never was (F109)', LONG, async () => {
    const { api } = await servers.start();
    const { agent } = await running(api);
    const open = '/badges/default/web@lab/badge.svg';
    const [hidden, none] = [await read(api, open, null), await read(api, open.replace('web', 'no'), null)];
    expect([hidden.status, none.status]).toEqual([404, 404]);
    const bodyOf = async (answer: Response) => ({ ...((await answer.json()) as object), correlation: '' });
    expect(await bodyOf(hidden)).toEqual(await bodyOf(none));
    ok(await api.post('/v1/services/web@lab/configuration', { spec: { badge: 'public' } }), 202);
    await agent.heartbeat();
    const shown = await read(api, open, null);
    expect([shown.status, (await shown.text()).startsWith('<svg')]).toEqual([200, true]);
    expect((await read(api, open.replace('default', 'other'), null)).status).toBe(404);
    const tag = (await read(api, open, null)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"/);
  });
});
