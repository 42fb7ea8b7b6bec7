import type { Kind } from '../../contract/vocabulary.ts';
import { keyOf, readable, type Stored } from '../../store/broken-row.ts';
import type { CommandState, LeaseRowEnd } from '../../store/schema.ts';
import { requeueBackOffMs } from './back-off.ts';
import type { OrgTransaction } from './org-transaction.ts';
import { BY_HOLDER, recordHolderContact } from './worker-contact.ts';

/** The kinds of evidence that end the lease they are submitted under, and the state that the command then has. */
export const ENDS: { readonly [K in Kind]?: { readonly end: LeaseRowEnd; readonly state: CommandState } } = {
  // mutant: artifact-ends-lease
  'artifact.stored': { end: 'completed', state: 'done' },
  'runtime.applied': { end: 'completed', state: 'done' },
  'runtime.removed': { end: 'completed', state: 'done' },
  'build.failed': { end: 'failed', state: 'failed' },
  'runtime.apply_failed': { end: 'failed', state: 'failed' },
  'cancel.acknowledged': { end: 'cancelled', state: 'cancelled' },
  'command.released': { end: 'released', state: 'published' },
};

/**
 * Ends a lease, in every way in which one ends, and moves its command on, the command only under this lease's fence.
 * With null the caller has closed the command itself. False: another write ended the lease first, and the caller must
 * not go on (F37).
 */
export async function endLease(
  ledger: OrgTransaction,
  lease: Stored<'leases'>,
  end: LeaseRowEnd,
  next: CommandState | null,
): Promise<boolean> {
  const { org, tx } = ledger;
  const { id, command, fence } = readable(lease);
  if (id === undefined) return false;
  // A holder extends its lease without the door, so its last contact goes into the worker's row with this
  // write. If the end is the holder's own call, no later contact follows; if the command is closed, the lease
  // is an offer.
  const isLast = BY_HOLDER.has(end) || next === null;
  const last = isLast ? lease : await tx.lock('leases', { org, id });
  const set = { endedAt: ledger.at, end, growing: false };
  if ((await tx.update('leases', { org, id }, { endedAt: null }, set)) === 0) return false;
  if (next !== null && command !== undefined && fence !== undefined) {
    const pause =
      next === 'published' ? { availableAt: ledger.at + requeueBackOffMs(ledger, { id, fence }, end) } : {};
    const state = { state: next, ...pause };
    await tx.update('commands', { org, id: command }, { fence }, state);
  }
  await recordHolderContact(ledger, last ?? lease, end);
  return true;
}

/**
 * Ends the open offers of a command that the caller has closed. They are selected behind the command's lock:
 * it may have been offered since it was read as open (F38).
 */
export async function withdrawOffers(ledger: OrgTransaction, command: string): Promise<void> {
  for (const offer of await openLeasesOf(ledger, command)) await endLease(ledger, offer, 'withdrawn', null);
}

/**
 * Ends open offers of superseded work. A lease that is held stops growing, and its holder learns of it with
 * its next heartbeat.
 */
export async function supersedeLeases(ledger: OrgTransaction, command: string): Promise<void> {
  for (const lease of await openLeasesOf(ledger, command)) {
    // mutant: superseded-lease-stops
    if (readable(lease).acknowledgedAt === null) await endLease(ledger, lease, 'superseded', null);
    else await stopGrowing(ledger, lease);
  }
}

/** Stops the growth of a cancelled command's lease: its holder learns of it with its next heartbeat. */
export async function stopLeases(ledger: OrgTransaction, command: string): Promise<void> {
  for (const lease of await openLeasesOf(ledger, command)) await stopGrowing(ledger, lease);
}

const openLeasesOf = ({ org, tx }: OrgTransaction, command: string) =>
  tx.select('leases', { org, command, endedAt: null });

async function stopGrowing({ tx }: OrgTransaction, lease: Stored<'leases'>): Promise<void> {
  const key = keyOf('leases', lease);
  if (key !== undefined) await tx.update('leases', key, { endedAt: null }, { growing: false });
}
