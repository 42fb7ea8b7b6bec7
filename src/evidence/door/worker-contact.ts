import { intact, isIntact, type Stored } from '../../store/broken-row.ts';
import type { LeaseRow, LeaseRowEnd, SpanRow, WorkerRow } from '../../store/schema.ts';
import type { OrgTransaction } from './org-transaction.ts';

/**
 * The last contact of a lease's holder, by the lease alone: a heartbeat moves its end, and writes nothing
 * else.
 */
export function lastContactUnder({ grantedAt, acknowledgedAt, until }: LeaseRow, leaseTtlMs: number): number {
  return acknowledgedAt === null ? grantedAt : Math.max(acknowledgedAt, until - leaseTtlMs);
}

/** The closed span of a worker. */
export function spanOf({ org, worker, instance, spanFrom, seenAt }: WorkerRow): SpanRow {
  return {
    org,
    subject: `worker/${worker}/${instance}`,
    from: spanFrom,
    until: seenAt,
    firstSeq: null,
    lastSeq: null,
    epoch: null,
    receivedAt: seenAt,
    completeAt: null,
    unavailable: null,
  };
}

/** Ends that the holder itself calls. */
export const BY_HOLDER: ReadonlySet<LeaseRowEnd> = new Set(['completed', 'failed', 'released', 'cancelled']);

/**
 * The worker's row was written when the lease was granted: it is written again only after this part of the
 * freshness.
 */
const COARSELY = 3;

/**
 * Copies the last contact of a lease that ends into the worker's row: while it was open, the lease itself
 * proved that contact. Rejected: a write with every heartbeat, or with the end of short work: a worker that
 * does short work requests more at once, and ends and requests would wait for each other at the row.
 */
export async function recordHolderContact(
  ledger: OrgTransaction,
  lease: Stored<'leases'>,
  end: LeaseRowEnd,
): Promise<void> {
  const { org, tx, settings } = ledger;
  if (!isIntact(lease)) return;
  const lastContact = lastContactUnder(lease, settings.leaseTtlMs);
  const at = BY_HOLDER.has(end) ? ledger.at : lastContact;
  // mutant: lease-end-is-contact
  if (at - lease.grantedAt < settings.freshForMs / COARSELY) return;
  const { worker, instance } = lease;
  const row = intact(await tx.lock('workers', { org, worker, instance }));
  if (row === undefined || at <= row.seenAt) return;
  const seenAt = Math.max(row.seenAt, lastContact);
  // The holder had contact for as long as the lease was open; a call after its end means that it was away in
  // between.
  const wasAway = at >= Math.max(lease.until, seenAt + settings.freshForMs);
  if (wasAway) await tx.insert('spans', spanOf({ ...row, seenAt }));
  await tx.update('workers', row, {}, { seenAt: at, ...(wasAway ? { spanFrom: at } : {}) });
}
