import { isBoundTo, isUnbound, seesWorker } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import type { Host } from '../../evidence/door/host.ts';
import { lastContactUnder } from '../../evidence/door/worker-contact.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { isIntact, NAMELESS, readable } from '../../store/broken-row.ts';
import { gte } from '../../store/port.ts';
import type { LeaseRow, WorkerRow } from '../../store/schema.ts';
import type { LoopState } from '../loops/loops.ts';
import { listing } from './listing.ts';
import { servicesInBinding } from './targets.ts';

/** Lists workers and what each holds. Loops of this server are among them; other servers are listed by their beats. */
export function workersOf(host: Host, caller: Caller, loops: readonly LoopState[]) {
  const { org } = caller;
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const { freshForMs, leaseTtlMs, blindAfterMs } = host.settings;
    const rows = await tx.select('workers', { org }, { order: ['worker', 'instance'] });
    const open = { org, endedAt: null, sweepAt: gte(0) };
    const leases = await tx.select('leases', open, { order: 'until' });
    const agents = await tx.select('agents', { org });
    const services = isUnbound(caller) ? [] : await servicesInBinding(tx, caller);
    const reportedAt = new Map<string | undefined, number>();
    for (const agent of agents) reportedAt.set(readable(agent).instance, readable(agent).seenAt ?? 0);
    const holding = new Map<string, LeaseRow[]>();
    for (const lease of leases.filter(isIntact))
      holding.set(lease.instance, [...(holding.get(lease.instance) ?? []), lease]);
    const view = (row: WorkerRow) => {
      const held = holding.get(row.instance) ?? [];
      const contacts = held.map((lease) => lastContactUnder(lease, leaseTtlMs));
      const seenAt = Math.max(row.seenAt, reportedAt.get(row.instance) ?? 0, ...contacts);
      return {
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
      };
    };
    const { items, ...rest } = listing(
      rows.filter((row) => seesWorker(caller, readable(row), services)),
      (row) => `${readable(row).worker ?? NAMELESS}.${readable(row).instance ?? NAMELESS}`,
      (row) => (isIntact(row) ? view(row) : null),
    );
    const own: ReturnType<typeof platform>[] = [];
    for (const beat of await tx.select('beats', {}, { order: 'server' })) {
      const { server, at } = readable(beat);
      if (server !== undefined)
        own.push(platform(server, ['server'], at !== undefined && now < at + blindAfterMs, at ?? null));
    }
    for (const { name, lastTurnAt, failing } of loops) own.push(platform(name, [name], !failing, lastTurnAt));
    return { items: [...items, ...own], ...rest };
  });
}

/** Stands for the instance of loops and servers, which have none. */
export const PLATFORM = 'platform';

const platform = (worker: string, kinds: readonly string[], online: boolean, at: number | null) => ({
  worker,
  instance: PLATFORM,
  kinds,
  state: online ? 'online' : 'offline',
  lastSeen: rfc3339OrNull(at),
  holds: [],
});
