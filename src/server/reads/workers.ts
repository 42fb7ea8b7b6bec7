import { type Caller, isBoundTo } from '../../evidence/door/caller.ts';
import type { Host } from '../../evidence/door/host.ts';
import { lastContactUnder } from '../../evidence/door/worker-seen.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { isLost, isReadable, readableOrNull } from '../../store/columns.ts';
import { gt } from '../../store/port.ts';
import type { LeaseRow } from '../../store/schema.ts';
import type { LoopState } from '../loops/loops.ts';
import { legible } from './row-integrity.ts';

/** Lists workers and what each holds. Loops of this server are among them; other servers are listed by their beats. */
export function workersOf(host: Host, caller: Caller, loops: readonly LoopState[]) {
  const { org } = caller;
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const { freshForMs, leaseTtlMs, blindAfterMs } = host.settings;
    const rows = await tx.select('workers', { org }, { order: ['worker', 'instance'] });
    const leases = await tx.select('leases', { org, endedAt: null, until: gt(0) }, { order: 'until' });
    const agents = await tx.select('agents', { org });
    const reportedAt = new Map(agents.map(({ instance, seenAt }) => [instance, readableOrNull(seenAt) ?? 0]));
    const holding = new Map<string, LeaseRow[]>();
    for (const lease of leases.filter(isReadable))
      holding.set(lease.instance, [...(holding.get(lease.instance) ?? []), lease]);
    const { items, ...rest } = legible(
      rows.map((row) => {
        const held = holding.get(row.instance) ?? [];
        const heard = held.map((lease) => lastContactUnder(lease, leaseTtlMs));
        return { row, held, seenAt: Math.max(row.seenAt, reportedAt.get(row.instance) ?? 0, ...heard) };
      }),
      ({ row }) => `${row.worker}.${row.instance}`,
      ({ row, held, seenAt }) => ({
        worker: row.worker,
        instance: row.instance,
        kinds: row.kinds,
        state: held.some(({ until }) => now < until)
          ? 'busy'
          : now < seenAt + freshForMs
            ? 'online'
            : 'offline',
        lastSeen: rfc3339OrNull(seenAt),
        holds: held
          .filter(({ service }) => isBoundTo(caller, service))
          .map(({ id, command, fence, until }) => ({
            lease: id,
            command,
            fence,
            until: rfc3339(until),
          })),
      }),
      ({ row }) => isReadable(row),
    );
    const own: ReturnType<typeof platform>[] = [];
    for (const { server, at } of await tx.select('beats', {}, { order: 'server' }))
      if (!isLost(server))
        own.push(platform(server, ['server'], now < at + blindAfterMs, readableOrNull(at)));
    for (const { name, lastTurnAt, failing } of loops) own.push(platform(name, [name], !failing, lastTurnAt));
    return { items: [...items, ...own], ...rest };
  });
}

/** The instance of loops and servers, which have none. */
export const PLATFORM = 'platform';

const platform = (worker: string, kinds: readonly string[], online: boolean, at: number | null) => ({
  worker,
  instance: PLATFORM,
  kinds,
  state: online ? 'online' : 'offline',
  lastSeen: rfc3339OrNull(at),
  holds: [],
});
