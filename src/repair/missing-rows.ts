import { addDigits, compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import type { Owner } from '../contract/vocabulary.ts';
import type { Host } from '../evidence/door/host.ts';
import { brokenColumn, intactLedgerRow } from '../evidence/door/row-integrity.ts';
import type { LedgerEntry } from '../evidence/ledger-entry.ts';
import { PAGE } from '../evidence/past/ledger-pages.ts';
import { readFrom } from '../evidence/read.ts';
import { pick, readable } from '../store/broken-row.ts';
import type { ReadTx } from '../store/port.ts';
import { damageOf, type RowDifference } from './difference.ts';

/** A run of positions without a row, and the rows on either side. */
export interface MissingRows {
  readonly after: Neighbour;
  readonly before: Neighbour;
}

interface Neighbour {
  readonly position: Digits;
  /**
   * The instant it was recorded; NaN if that cannot be read, so that it is neither before nor after anything.
   */
  readonly at: number;
  /** Set for evidence about no service, which may have changed the claim of any. */
  readonly trigger: { readonly owner: Owner; readonly evidence: string } | null;
}

/** The position of the missing row; null if more than one is missing. */
export function onlyPosition({ after, before }: MissingRows): Digits | null {
  const place = addDigits(after.position, 1);
  return addDigits(place, 1) === before.position ? place : null;
}

interface MissingSearch {
  readonly missing: readonly MissingRows[];
  /** Evidence about no service that cannot be read. No facts are folded from it. */
  readonly damage: readonly RowDifference[];
}

/**
 * Finds the positions without a row. Evidence, transitions and alarms share one sequence of positions, so a
 * removed row leaves its position empty; only a recovery jumps (S10).
 */
export async function findMissingRows(
  host: Host,
  org: string,
  onRows: (rows: number) => void,
): Promise<MissingSearch> {
  const missing: MissingRows[] = [];
  const damage: RowDifference[] = [];
  const [jumps, retention, head] = await host.store.read(async (tx) => [
    await jumpsOf(tx, org),
    await tx.get('retention', { org }),
    await tx.get('heads', { org }),
  ]);
  const end = readable(head).position ?? ZERO;
  const { position: border = ZERO, keptFrom = 0 } = readable(retention);
  let last: Neighbour = { position: border, at: keptFrom, trigger: null };
  let rows = 0;
  while (compareDigits(last.position, end) < 0) {
    const { entries } = await readFrom(host, org, last.position, PAGE);
    for (const entry of entries) {
      const jumped = jumps.get(last.position) ?? last.position;
      const next = neighbourOf(entry);
      if (entry.position !== addDigits(jumped, 1) && entry.position !== addDigits(last.position, 1))
        missing.push({ after: { ...last, position: jumped }, before: next });
      damage.push(...damageIn(org, entry));
      last = next;
    }
    rows += entries.length;
    onRows(rows);
    if (entries.length > 0) continue;
    const jumped = jumps.get(last.position) ?? last.position;
    const beyond = { position: addDigits(end, 1), at: readable(head).at ?? last.at, trigger: null };
    if (jumped !== end) missing.push({ after: { ...last, position: jumped }, before: beyond });
    break;
  }
  return { missing, damage };
}

async function jumpsOf(tx: ReadTx, org: string): Promise<ReadonlyMap<Digits, Digits>> {
  const jumps = (await tx.select('recoveries', { org })).flatMap((row) => pick(row, 'from', 'to') ?? []);
  return new Map(jumps.map(({ from, to }) => [from, to]));
}

function neighbourOf(entry: LedgerEntry): Neighbour {
  const { position } = entry;
  if (entry.kind === 'alarm') return { position, at: readable(entry.row).at ?? Number.NaN, trigger: null };
  if (entry.kind === 'transition')
    return { position, at: readable(entry.row).recordedAt ?? Number.NaN, trigger: null };
  const at = readable(entry.row).receivedAt ?? Number.NaN;
  const row = intactLedgerRow(entry.row);
  const trigger = row?.service === null ? { owner: row.source.role, evidence: row.id } : null;
  return { position, at, trigger };
}

function damageIn(org: string, entry: LedgerEntry): RowDifference[] {
  if (entry.kind !== 'evidence' || readable(entry.row).service !== null) return [];
  const column = brokenColumn(entry.row);
  if (column === null) return [];
  return [damageOf({ table: 'ledger', org, service: null, row: entry.position, column }, 'unreadable')];
}

export function missingDamage(org: string, { after, before }: MissingRows): RowDifference {
  const row = `between ${after.position} and ${before.position}`;
  return damageOf({ table: 'ledger', org, service: null, row, column: 'position' }, 'missing');
}
