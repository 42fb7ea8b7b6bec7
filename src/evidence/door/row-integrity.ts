import { BODIES } from '../../contract/evidence.ts';
import { type Kind, ROLES } from '../../contract/vocabulary.ts';
import { isIntact, type Stored } from '../../store/broken-row.ts';
import type { AnyLedgerRow } from '../../store/schema.ts';

/** The row of the ledger if every column can be read and its body fits its kind. */
export function intactLedgerRow(row: Stored<'ledger'> | undefined): AnyLedgerRow | undefined {
  return row !== undefined && isIntact(row) && brokenColumn(row) === null ? row : undefined;
}

/** The first column of a ledger row that cannot be read or does not fit its kind; null: it is intact. */
export function brokenColumn(row: Stored<'ledger'>): string | null {
  if (!isIntact(row)) return row.unreadable[0] ?? null;
  if (!Number.isFinite(row.receivedAt)) return 'receivedAt';
  if (!ROLES.includes(row.source?.role)) return 'source';
  // A rejected row is stored as it came.
  if (row.verdict === 'rejected') return null;
  if (row.verdict !== 'admitted') return 'verdict';
  if (!Object.hasOwn(BODIES, row.kind)) return 'kind';
  return BODIES[row.kind as Kind].safeParse(row.body).success ? null : 'body';
}
