import { type Digits, ZERO } from '../../contract/digits.ts';
import type { Evidence } from '../../contract/evidence.ts';
import { readable, type Stored } from '../../store/broken-row.ts';
import { gt, type ReadTx } from '../../store/port.ts';
import type { AnyLedgerRow } from '../../store/schema.ts';

export const PAGE = 200;

/** The rows of one service after a position, in order and page by page: a whole ledger is never in memory. */
export async function* ledgerAfter(
  tx: ReadTx,
  org: string,
  service: string,
  after: Digits = ZERO,
): AsyncGenerator<Stored<'ledger'>> {
  for (let from = after; ; ) {
    const options = { order: 'position', limit: PAGE } as const;
    const rows = await tx.select('ledger', { org, service, position: gt(from) }, options);
    yield* rows;
    const { position } = readable(rows.at(-1));
    if (position === undefined || rows.length < PAGE) return;
    from = position;
  }
}

export function isAdmitted(row: AnyLedgerRow): row is Evidence & { verdict: 'admitted' } {
  return row.verdict === 'admitted';
}

/** A row whose verdict cannot be read may have been admitted. */
export const mayCount = (row: Stored<'ledger'>) => readable(row).verdict !== 'rejected';
