import { expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { describeServers } from '../server/servers.ts';
import { useBeside } from './beside.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeServers('a server that is killed after a commit, before its streams tell of it (F14)', (servers) => {
  const doom = useBeside('telling-doom.ts');

  it.each(['/v1/services/web@lab/events', '/v1/events'])('%s goes on without a gap', async (path) => {
    const first = await servers.start({ env: doom() });
    ok(await first.api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
    const events = await first.api.events('/v1/services/web@lab/events');
    const seen = await events.next();
    expect(seen?.event).toBe('claim');
    // Whether it is answered is another matter.
    await first.api.post('/v1/services/web@lab/deployments', { image: IMAGE }).catch(() => {});
    expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(await events.next().catch(() => null)).toBeNull();

    const { api } = await servers.start({ data: first.data });
    const resumed = await api.events(path, { 'last-event-id': String(seen?.id) });
    const committed = async (): Promise<string[]> =>
      ok(await api.get('/v1/services/web@lab/transitions?limit=200'))
        .items.map(({ position }: { position: string }) => position)
        .filter((position: string) => BigInt(position) > BigInt(String(seen?.id)));
    const untold = await committed();
    expect(untold.length).toBeGreaterThan(0);
    const told: (string | null)[] = [];
    while (told.length < untold.length) {
      const { id, data } = await resumed.until(({ event }) => event === 'transition');
      expect(data.claim.service).toBe('web@lab');
      told.push(id);
    }
    resumed.close();
    expect(told).toEqual(untold);
  });
});
