import { leaseId } from '../../contract/command-id.ts';
import { pick, type Stored } from '../../store/broken-row.ts';
import { lte } from '../../store/port.ts';
import type { OrgTransaction } from './org-transaction.ts';
import type { ServiceFile } from './service-file.ts';

/**
 * Marks a scope as silent before its silence is recorded: a report on its way must then reopen it behind the
 * head, and cannot slip past the record. False: a report was faster than the mark.
 */
export async function markSilent(
  { tx, at, settings: { freshForMs } }: OrgTransaction,
  scopes: readonly Stored<'scopes'>[],
): Promise<boolean> {
  let marked = true;
  const stale = lte(at - freshForMs);
  for (const row of scopes) {
    const scope = pick(row, 'org', 'target', 'scope', 'silenced', 'asOf');
    if (scope === undefined || scope.silenced || at < scope.asOf + freshForMs) continue;
    if ((await tx.update('scopes', scope, { asOf: stale }, { silenced: true })) === 0) marked = false;
  }
  return marked;
}

/** Marks a lease that has reached its end, in the same way. False: a heartbeat was faster. */
export async function markLapsed(
  { tx, org, at }: OrgTransaction,
  { liveness }: ServiceFile,
): Promise<boolean> {
  const { lease } = liveness;
  if (lease === null || !lease.acknowledged || lease.ended || at < lease.until) return true;
  const key = { org, id: leaseId(lease.command, lease.fence) };
  return (await tx.update('leases', key, { until: lease.until }, { silenced: true })) === 1;
}
