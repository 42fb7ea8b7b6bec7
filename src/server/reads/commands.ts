import { isBoundTo } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import { leaseId } from '../../contract/command-id.ts';
import type { Host } from '../../evidence/door/host.ts';
import { OPEN_COMMAND } from '../../evidence/door/new-command.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { isIntact, readable, type Stored } from '../../store/broken-row.ts';
import type { CommandRow, LeaseRow } from '../../store/schema.ts';
import { listing } from './listing.ts';

/** Says for each open state what a command waits for. */
const WAITS_FOR = {
  held: 'its turn in the queue',
  recorded: 'publisher',
  published: 'worker',
  offered: 'acknowledgement',
  leased: 'its holder',
} as const;

/** Commands that are not over and that the caller may see. */
export function commandsOf(host: Host, caller: Caller, service: string | undefined) {
  const { org } = caller;
  return host.store.read(async (tx) => {
    const where = { org, state: OPEN_COMMAND, ...(service === undefined ? {} : { service }) };
    const found: { readonly row: Stored<'commands'>; readonly lease: Stored<'leases'> | undefined }[] = [];
    for (const row of await tx.select('commands', where)) {
      if (!isBoundTo(caller, readable(row).service)) continue;
      const held = isIntact(row) && (row.state === 'offered' || row.state === 'leased');
      const lease = held ? await tx.get('leases', { org, id: leaseId(row.id, row.fence) }) : undefined;
      found.push({ row, lease });
    }
    const now = await tx.now();
    return listing(
      found,
      ({ row }) => readable(row).id,
      ({ row, lease }) =>
        isIntact(row) && (lease === undefined || isIntact(lease)) ? commandView(row, lease, now) : null,
    );
  });
}

function commandView(row: CommandRow, lease: LeaseRow | undefined, now: number) {
  return {
    command: row.id,
    kind: row.kind,
    service: row.service,
    revision: row.revision,
    attempt: row.attempt,
    state: row.state,
    waitsFor: waitsFor(row),
    since: rfc3339(lease?.grantedAt ?? Math.min(row.availableAt, now)),
    holder:
      lease === undefined
        ? null
        : { worker: lease.worker, instance: lease.instance, until: rfc3339(lease.until) },
    lapses: row.lapses,
  };
}

function waitsFor({ state, kind }: CommandRow): string {
  const waits = WAITS_FOR[state as keyof typeof WAITS_FOR];
  return waits === 'worker' && kind !== 'build' ? 'agent' : waits;
}
