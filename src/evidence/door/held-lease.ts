import type { Caller } from '../../access/caller.ts';
import { isHolder } from '../../access/lease-holder.ts';
import { aboutCommand, commandOfLease } from '../../contract/command-id.ts';
import type { Digits } from '../../contract/digits.ts';
import type { Source } from '../../contract/evidence.ts';
import { type Problem, problem } from '../../contract/problem.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { intact } from '../../store/broken-row.ts';
import { Conflict } from '../../store/port.ts';
import type { CommandRow, LeaseRow } from '../../store/schema.ts';
import type { Door } from './door.ts';
import { leaseLiveness } from './liveness.ts';
import type { Prefetch } from './prefetch.ts';
import type { ServiceFile } from './service-file.ts';

/** The rows that a call under a lease reads, as far as the lease's id names them; the lease itself is locked. */
export function prefetchForLease(org: string, id: string): Prefetch[] {
  const command = commandOfLease(id);
  const about = aboutCommand(command);
  return [
    { table: 'leases', keys: [{ org, id }], lock: true },
    { table: 'commands', keys: about === null ? [] : [{ org, id: command }] },
    { table: 'services', keys: about === null ? [] : [{ org, service: about.service }] },
    { table: 'revisions', keys: about === null ? [] : [{ org, ...about }] },
  ];
}

/** A lease that its caller holds, with its command and service. */
interface HeldLease {
  readonly lease: LeaseRow;
  readonly command: CommandRow;
  readonly file: ServiceFile;
}

/**
 * The lease that a caller names, if it holds it. The service is opened first: that may record a passed
 * deadline, and so end an offer or supersede the work.
 */
export async function heldLease(
  door: Door,
  caller: Caller,
  id: string,
  fence: Digits,
): Promise<HeldLease | null> {
  const { org, tx } = door;
  const named = intact(await tx.get('leases', { org, id }));
  if (named === undefined || !isHolder(caller, named) || named.fence !== fence) return null;
  const file = await door.file(named.service);
  const lease = intact(await tx.lock('leases', { org, id }));
  const command = intact(await tx.get('commands', { org, id: named.command }));
  if (file === null || command === undefined || lease === undefined || lease.endedAt !== null) return null;
  return { lease, command, file };
}

/**
 * The refusal of a call under a lease that its caller does not hold; one that held it once learns who holds its work
 * now.
 */
export async function leaseLost(door: Door, caller: Caller, id: string, detail: string): Promise<Problem> {
  const { org, tx } = door;
  const named = intact(await tx.get('leases', { org, id }));
  if (named === undefined || !isHolder(caller, named)) return problem('lease_lost', detail);
  const [open] = await tx.select('leases', { org, command: named.command, endedAt: null }, { limit: 1 });
  const held = intact(open);
  if (held === undefined || held.id === id) return problem('lease_lost', detail);
  const { worker, instance, until } = held;
  return problem('lease_lost', detail, { holder: { worker, instance }, until: rfc3339(until) });
}

/** The first fenced call is the acknowledgement: the offer was received. */
export async function acknowledge(
  door: Door,
  file: ServiceFile,
  lease: LeaseRow,
  caller: Caller,
): Promise<LeaseRow> {
  const { org, tx } = door;
  // mutant: acknowledged-until
  const until = door.at + door.settings.leaseTtlMs;
  // The end of a lease may be nearer than that of its offer.
  const sweepAt = Math.min(lease.sweepAt, until);
  const taken: LeaseRow = { ...lease, acknowledgedAt: door.at, until, sweepAt };
  await tx.update(
    'leases',
    { org, id: lease.id },
    { endedAt: null, acknowledgedAt: null },
    { acknowledgedAt: taken.acknowledgedAt, until, sweepAt },
  );
  const offered = { fence: lease.fence, state: 'offered' } as const;
  if ((await tx.update('commands', { org, id: lease.command }, offered, { state: 'leased' })) === 0) {
    throw new Conflict('the offer is no longer open');
  }
  file.liveness = { ...file.liveness, lease: leaseLiveness(taken) };
  await door.admit(file, {
    kind: 'command.acknowledged',
    source: holderOf(lease, caller),
    ...leaseStampOf(lease),
    body: {},
  });
  return taken;
}

/** The source of evidence under a lease: the bearer that was granted it, as the process that took it. */
export function holderOf({ kind, instance }: LeaseRow, caller: Caller): Source {
  return { role: kind === 'build' ? 'worker' : 'agent', name: caller.name, instance };
}

/**
 * The stamp of a lease. Revision and attempt come from the command's id: writes under a lease are about
 * nothing else.
 */
export function leaseStampOf(lease: { command: string; fence: Digits }): {
  revision: number;
  attempt: number;
  command: string;
  fence: Digits;
} {
  const parts = lease.command.split('.');
  const number = (at: number) => Number(parts.at(at)?.slice(1));
  return { revision: number(-4), attempt: number(-3), command: lease.command, fence: lease.fence };
}
