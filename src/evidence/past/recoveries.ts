import { DIGITS, type Digits } from '../../contract/digits.ts';
import type { Evidence } from '../../contract/evidence.ts';
import type { Interval } from '../../projection/intervals.ts';
import { intact, isIntact, type Stored } from '../../store/broken-row.ts';
import { gt, gte, type ReadTx } from '../../store/port.ts';
import type { RecoveryRow } from '../../store/schema.ts';
import { intactLedgerRow } from '../door/row-integrity.ts';
import { isAdmitted } from './ledger-pages.ts';

/** A restore or failover in the history: records between `lostSince` and `at` are lost (F54). */
export interface Gap extends RecoveryRow {
  /** The newest recorded instant before it; null if the ledger does not hold it any more. */
  readonly lostSince: number | null;
}

/** The recoveries since an instant, in order. */
export async function gapsSince(tx: ReadTx, org: string, at: number): Promise<Gap[]> {
  return gapsOf(tx, await tx.select('recoveries', { org, at: gte(at) }, { order: 'at' }));
}

/** The recoveries above a position, in order. */
export async function gapsAfter(tx: ReadTx, org: string, position: Digits): Promise<Gap[]> {
  return gapsOf(tx, await tx.select('recoveries', { org, to: gt(position) }, { order: 'to' }));
}

/**
 * The interval that the next restore has lost, if an instant lies in it. Remaining records of that interval
 * are shown as they were.
 */
export async function lostAt(tx: ReadTx, org: string, at: number): Promise<Interval | null> {
  const [found] = await tx.select('recoveries', { org, at: gt(at) }, { order: 'at', limit: 1 });
  const next = intact(found);
  const lost = next === undefined ? null : await lostBy(tx, next);
  return lost !== null && lost.from < at ? lost : null;
}

async function gapsOf(tx: ReadTx, rows: readonly Stored<'recoveries'>[]): Promise<Gap[]> {
  const found: Gap[] = [];
  for (const row of rows.filter(isIntact))
    found.push({ ...row, lostSince: (await lostBy(tx, row))?.from ?? null });
  return found;
}

/** The platform's own evidence is named by its position (src/evidence/door/door.ts). */
async function lostBy(tx: ReadTx, { org, evidence }: RecoveryRow): Promise<Interval | null> {
  const position = evidence.replace(/^e/, '');
  const row = DIGITS.test(position) ? intactLedgerRow(await tx.get('ledger', { org, position })) : undefined;
  if (row === undefined || row.id !== evidence || !isAdmitted(row)) return null;
  return (row as Evidence<'operator.acted'>).body.lost ?? null;
}
