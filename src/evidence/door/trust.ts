import type { Settings } from '../../projection/facts.ts';
import type { Trust } from '../../store/chained-tx.ts';
import type { LeaseRow, ScopeRow } from '../../store/schema.ts';

/**
 * What is remembered may say "still alive", never "silent" (S1, S2): heartbeats and calm reports extend leases and scopes
 * without the head, so what is remembered of them is older than what is so, and never fresher. As long as it is fresh, so
 * is the row; whatever would conclude silence, a lapse or a blind platform is read again behind the lock.
 */
export function trustAt(now: number, { freshForMs, blindAfterMs }: Settings): Trust {
  const isAlive = (lease: LeaseRow) => lease.endedAt !== null || now < lease.until;
  const isFresh = (scope: ScopeRow) => scope.silenced || now < scope.asOf + freshForMs;
  return {
    row: (table, row) => table !== 'leases' || isAlive(row as LeaseRow),
    // Its holder may extend it at any moment: what is written of its end must be read under its lock.
    lockedRow: (table, row) => {
      if (table !== 'leases') return true;
      const lease = row as LeaseRow;
      return lease.endedAt !== null || (lease.acknowledgedAt === null && isAlive(lease));
    },
    result: (table, rows, readAt) => {
      if (table === 'scopes') return (rows as readonly ScopeRow[]).every(isFresh);
      // Every server beats each second; half of what counts as blind is not missed.
      return table !== 'beats' || now - readAt < blindAfterMs / 2;
    },
  };
}
