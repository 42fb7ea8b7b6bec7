import { type Caller, isBoundTo } from '../../evidence/caller.ts';
import type { Host } from '../../evidence/host.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import type { LoopState } from '../loops/loops.ts';

/** Who asks for work, and what each holds. Loops of this server are among them; other servers show by their beat. */
export function workersOf(host: Host, caller: Caller, loops: readonly LoopState[]) {
  const { org } = caller;
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const { freshForMs, blindAfterMs } = host.settings;
    const items = [];
    for (const row of await tx.select('workers', { org }, { order: ['worker', 'instance'] })) {
      const held = await tx.select(
        'leases',
        { org, instance: row.instance, endedAt: null },
        { order: 'grantedAt' },
      );
      const busy = held.some(({ until }) => now < until);
      items.push({
        worker: row.worker,
        instance: row.instance,
        kinds: row.kinds,
        state: busy ? 'busy' : now < row.seenAt + freshForMs ? 'online' : 'offline',
        lastSeen: rfc3339(row.seenAt),
        holds: held
          .filter(({ service }) => isBoundTo(caller, service))
          .map(({ id, command, fence, until }) => ({
            lease: id,
            command,
            fence,
            until: rfc3339(until),
          })),
      });
    }
    for (const { server, at } of await tx.select('beats', {}, { order: 'server' }))
      items.push(platform(server, ['server'], now < at + blindAfterMs, at));
    for (const { name, lastTurnAt, failing } of loops)
      items.push(platform(name, [name], !failing, lastTurnAt));
    return items;
  });
}

const platform = (worker: string, kinds: readonly string[], online: boolean, at: number | null) => ({
  worker,
  instance: 'platform',
  kinds,
  state: online ? 'online' : 'offline',
  lastSeen: rfc3339OrNull(at),
  holds: [],
});
