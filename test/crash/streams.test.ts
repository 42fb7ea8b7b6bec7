import { expect, it } from 'vitest';
import { ok } from '../server/parties.ts';
import { describeServers } from '../server/servers.ts';
import { usePreload } from './preload.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describeServers('a server is killed after a commit, before its streams send it (F14)', (servers) => {
  const killHook = usePreload('stream-kill-hook.ts');

  it.each(['/v1/services/web@lab/events', '/v1/events'])(
    'a client that resumes %s receives each transition once, without a gap',
    async (path) => {
      const first = await servers.start({ env: killHook() });
      ok(await first.api.post('/v1/services/web@lab/deployments', { image: IMAGE }), 202);
      const events = await first.api.events('/v1/services/web@lab/events');
      const lastEvent = await events.next();
      expect(lastEvent?.event).toBe('claim');
      // The request may or may not be answered before the kill.
      await first.api.post('/v1/services/web@lab/deployments', { image: IMAGE }).catch(() => {});
      expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
      expect(await events.next().catch(() => null)).toBeNull();

      const { api } = await servers.start({ data: first.data });
      const resumed = await api.events(path, { 'last-event-id': String(lastEvent?.id) });
      const committed = async (): Promise<string[]> =>
        ok(await api.get('/v1/services/web@lab/transitions?limit=200'))
          .items.map(({ position }: { position: string }) => position)
          .filter((position: string) => BigInt(position) > BigInt(String(lastEvent?.id)));
      const unsent = await committed();
      expect(unsent.length).toBeGreaterThan(0);
      const received: (string | null)[] = [];
      while (received.length < unsent.length) {
        const { id, data } = await resumed.until(({ event }) => event === 'transition');
        expect(data.claim.service).toBe('web@lab');
        received.push(id);
      }
      resumed.close();
      expect(received).toEqual(unsent);
    },
  );
});
