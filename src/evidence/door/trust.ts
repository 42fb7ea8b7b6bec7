import type { Settings } from '../../projection/facts.ts';
import type { Trust } from '../../store/chained-tx.ts';
import type { Read } from '../../store/port.ts';
import type { LeaseRow, ScopeRow, Table } from '../../store/schema.ts';

/** Rows that may be read by their keys without the lock. Whoever writes one of `workers` names the instant it has read. */
const BY_KEYS: ReadonlySet<Table> = new Set([
  'services',
  'revisions',
  'attempts',
  'commands',
  'leases',
  'agents',
  'registrations',
  'tokens',
  'artifacts',
  'workers',
]);

/** Rows that may be read by a predicate: what they say may only be older than what is so. */
const BY_PREDICATE: ReadonlySet<Table> = new Set(['scopes', 'blinds', 'beats']);

/**
 * What is remembered may say "still alive", never "silent" (S1, S2): heartbeats and calm reports extend leases and scopes
 * without the head, so what is remembered of them is older than what is so, and never fresher. As long as it is fresh, so
 * is the row; whatever would conclude silence, a lapse or a blind platform is read again behind the lock.
 */
export function trustAt(now: number, { freshForMs, blindAfterMs }: Settings): Trust {
  const isAlive = (lease: LeaseRow) => lease.endedAt !== null || now < lease.until;
  const isFresh = (scope: ScopeRow) => scope.silenced || now < scope.asOf + freshForMs;
  return {
    reads: (read) => {
      if (!('where' in read)) return BY_KEYS.has(read.table);
      return BY_PREDICATE.has(read.table) || isForRequests(read);
    },
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

/**
 * The two reads of requests for work: whatever a request is offered on them, its write names as the row was read, and is
 * refused if it is another by then.
 */
function isForRequests(read: Exclude<Read, 'now' | { readonly keys: unknown }>): boolean {
  const where = read.where as Readonly<Record<string, unknown>>;
  if (read.table === 'commands') return where.state === 'published';
  return read.table === 'leases' && where.instance !== undefined && where.endedAt === null;
}
