import { BODIES } from '../../contract/evidence.ts';
import { type Kind, ROLES } from '../../contract/vocabulary.ts';
import { isLost } from '../../store/columns.ts';
import type { AnyLedgerRow } from '../../store/schema.ts';

/** The first column of a row of the ledger that cannot be read, or is not what its kind says; null: it is whole. */
export function illegibleIn(row: AnyLedgerRow): string | null {
  const unreadable = unreadableIn(row);
  if (unreadable !== null) return unreadable;
  if (!Number.isFinite(row.receivedAt)) return 'receivedAt';
  if (!ROLES.includes(row.source?.role)) return 'source';
  // What was refused is kept as it came.
  if (row.verdict === 'rejected') return null;
  if (row.verdict !== 'admitted') return 'verdict';
  if (!Object.hasOwn(BODIES, row.kind)) return 'kind';
  return BODIES[row.kind as Kind].safeParse(row.body).success ? null : 'body';
}

/** The first column of any row that cannot be read. */
export function unreadableIn(row: object): string | null {
  const broken = Object.entries(row).find(([, value]) => isLost(value));
  return broken?.[0] ?? null;
}
