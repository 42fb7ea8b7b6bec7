import pg from 'pg';
import { expect, it } from 'vitest';
import { describeWithPostgres } from '../lab.ts';
import type { Api } from './api.ts';
import { claimUntil, ok } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeWithPostgres('a server checks the identity of its database', (newUrl) => {
  let url = '';
  const servers = useServers(async () => {
    url = await newUrl();
    return url;
  });
  const turns = async (api: Api, loop: string) => {
    const numbers = String(ok(await api.get('/metrics')));
    return Number(new RegExp(`loop="${loop}",result="ok"} (\\d+)`).exec(numbers)?.[1] ?? 0);
  };

  it('a head that goes back under a running server is a recovery: the claim, the history and one line of the log show it', async () => {
    const { api, process, ended } = await servers.start();
    ok(await api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    // The witness has read the head before it goes back.
    const from = await turns(api, 'witness');
    while ((await turns(api, 'witness')) < from + 2);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('UPDATE heads SET position = 1');
    await client.end();
    await claimUntil(api, 'web@lab', ({ cause }) => cause?.code === 'store_recovered');
    // History shows the gap at its place (F54).
    const transitions = ok(await api.get('/v1/services/web@lab/transitions'));
    const [gap] = transitions.recoveries;
    expect(transitions.recoveries).toHaveLength(1);
    expect(gap).toMatchObject({ at: expect.any(String), lostSince: expect.any(String), void: { from: '1' } });
    expect(gap.lostSince <= gap.at).toBe(true);
    const { items } = ok(await api.get('/v1/services/web@lab/revisions'));
    expect(items.map(({ recoveries }: { recoveries: unknown }) => recoveries)).toEqual([[gap]]);
    process.kill('SIGTERM');
    const { errors } = await ended;
    const lines = errors.split('\n').filter((line) => line.includes('the store was restored or failed over'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/ends at 1, and had come to/);
  });

  it('a server that restarts alone does not mistake its predecessor for another server', async () => {
    const first = await servers.start();
    first.process.kill('SIGTERM');
    await first.ended;
    const { api, process, ended } = await servers.start({ data: first.data });
    expect(ok(await api.get('/readyz'))).toMatchObject({ ready: true });
    process.kill('SIGTERM');
    expect((await ended).errors).not.toContain('--files');
  });
});
