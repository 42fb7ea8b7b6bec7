import { NOTHING_PROVEN, type Proven } from '../../projection/facts.ts';
import { fold } from '../../projection/fold.ts';
import { isIntact, NAMELESS, pick, readable } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';
import { isAdmitted, ledgerAfter, mayCount } from '../past/ledger-pages.ts';
import { brokenColumn } from './row-integrity.ts';

/** The stored facts of a service; null if they cannot be read: then only the ledger has them (F56). */
export function readFacts(stored: unknown): Proven | null {
  const facts = stored as Partial<Proven> | null;
  const isComplete =
    typeof facts === 'object' &&
    facts !== null &&
    typeof facts.from === 'number' &&
    Array.isArray(facts.revisions) &&
    facts.revisions.every((r) => typeof r?.revision === 'number' && Array.isArray(r.attempt?.commands)) &&
    (facts.leftOut === undefined || Array.isArray(facts.leftOut)) &&
    Array.isArray(facts.observed?.parts) &&
    Array.isArray(facts.observed.silences);
  return isComplete ? (facts as Proven) : null;
}

type Refolded =
  | { readonly ok: true; readonly proven: Proven }
  /**
   * The first row that cannot be read. Folding the others would claim more than they prove without it (S1).
   */
  | { readonly ok: false; readonly row: string };

/** The facts of one service, folded again from its ledger, starting at the newest readable checkpoint. */
export async function refold(tx: ReadTx, org: string, service: string): Promise<Refolded> {
  const newest = { order: 'position', descending: true } as const;
  const checkpoints = await tx.select('checkpoints', { org, service }, newest);
  const base = checkpoints
    .flatMap((checkpoint) => pick(checkpoint, 'proven', 'position') ?? [])
    .find((checkpoint) => readFacts(checkpoint.proven) !== null);
  let proven = readFacts(base?.proven) ?? NOTHING_PROVEN;
  for await (const row of ledgerAfter(tx, org, service, base?.position)) {
    if (mayCount(row) && brokenColumn(row) !== null) return { ok: false, row: readable(row).id ?? NAMELESS };
    if (isIntact(row) && isAdmitted(row)) proven = fold(proven, row);
  }
  return { ok: true, proven };
}
