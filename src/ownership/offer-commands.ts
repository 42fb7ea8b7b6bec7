import { isHolder } from '../access/lease-holder.ts';
import { leaseId } from '../contract/command-id.ts';
import { addDigits } from '../contract/digits.ts';
import { leaseStampOf } from '../evidence/door/held-lease.ts';
import type { Settings } from '../projection/facts.ts';
import type { Tx, Update } from '../store/port.ts';
import type { CommandRow, LeaseRow } from '../store/schema.ts';
import type { Offer } from './offer.ts';
import type { PendingRequest } from './pending-request.ts';

/** The open offers that this request's instance already has, as many as it takes. */
export function openOffers(
  { caller, request }: PendingRequest,
  open: readonly LeaseRow[],
  now: number,
  { leaseTtlMs }: Settings,
): readonly Offer[] {
  const mine = open.filter(
    (l) =>
      l.instance === request.instance &&
      now < l.until &&
      isHolder(caller, l) &&
      (request.target === undefined || request.target === l.target) &&
      request.kinds.includes(l.kind),
  );
  return mine.slice(0, request.max ?? 1).map((lease) => offerOf(lease, leaseTtlMs));
}

/**
 * Offers each request its commands, by a conditional write on the command's state and fence. A command that another
 * transaction offered first is left out. `also` is written in the same round trip.
 */
export async function offerCommands(
  tx: Tx,
  settings: Settings,
  at: { readonly org: string; readonly now: number; readonly open: LeaseRow[] },
  wanted: readonly { readonly one: PendingRequest; readonly command: CommandRow }[],
  also: readonly Update[],
): Promise<void> {
  const { org, now } = at;
  const offered = wanted.map(({ one, command }) => {
    // mutant: fence-grows
    const fence = addDigits(command.fence, 1);
    const lease: LeaseRow = {
      org,
      id: leaseId(command.id, fence),
      command: command.id,
      kind: command.kind,
      service: command.service,
      target: command.target,
      fence,
      caller: one.caller.name,
      worker: one.request.worker,
      instance: one.request.instance,
      epoch: one.epoch,
      grantedAt: now,
      acknowledgedAt: null,
      until: now + settings.offerMs,
      sweepAt: now + settings.offerMs,
      silenced: false,
      growing: true,
      endedAt: null,
      end: null,
      lastSeq: null,
    };
    const update: Update = {
      table: 'commands',
      key: { org, id: command.id },
      // mutant: acquire-guards
      expect: { state: 'published', fence: command.fence },
      set: { state: 'offered', fence },
    };
    return { lease, update };
  });
  // All servers write in the same order, so that two that offer the same commands do not deadlock.
  offered.sort((a, b) => (a.lease.command < b.lease.command ? -1 : 1));
  const matched = await tx.updateAll([...offered.map(({ update }) => update), ...also]);
  for (const [i, { lease }] of offered.entries()) {
    if (matched[i] === 0) continue;
    // A fence is issued once, by the transaction that moved its command on.
    await tx.append('leases', lease);
    at.open.push(lease);
  }
}

function offerOf(lease: LeaseRow, ttlMs: number): Offer {
  const { id, command, kind, service, fence } = lease;
  const { revision, attempt } = leaseStampOf(lease);
  return { id, command, kind, service, revision, attempt, fence, ttlMs };
}
