import { compareDigits, type Digits, ZERO } from '../../contract/digits.ts';
import { isLost, isReadable } from '../../store/columns.ts';
import { lte, type ReadTx } from '../../store/port.ts';
import type { Rows } from '../../store/schema.ts';
import { ROWS_NEAR_HEAD, readableHead, refuseLostHead } from '../door/head-read.ts';

/** A position, and when what stands at it was written. */
interface Placed {
  readonly position: Digits;
  readonly at: number;
}
type Newest = (upTo: Digits) => Promise<Placed | undefined>;

/**
 * The head of an org's ledger as it was at an instant. Times grow with positions, so it is found by halving, over
 * primary keys alone. An index on the time of receipt would find it in one step, and cost every row of the ledger
 * one more write; nobody reads the past as often as everybody writes.
 */
export async function headAt(tx: ReadTx, org: string, at: number): Promise<Digits> {
  const last = await tx.get('heads', { org });
  if (last === undefined) {
    await refuseLostHead(tx, org);
    return ZERO;
  }
  const head = readableHead(last);
  if (head.at <= at) return head.position;
  const newest =
    <T extends 'ledger' | 'transitions' | 'alarms'>(table: T, timeOf: (row: Rows[T]) => number): Newest =>
    async (upTo) => {
      for (const limit of [1, ROWS_NEAR_HEAD]) {
        const options = { order: 'position', descending: true, limit } as const;
        const rows = await tx.select<'alarms'>(table as 'alarms', { org, position: lte(upTo) }, options);
        const row = rows.find(({ position }) => !isLost(position));
        if (row !== undefined) return { position: row.position, at: timeOf(row as unknown as Rows[T]) };
        if (rows.length < limit) return undefined;
      }
      return undefined;
    };
  const tables: readonly Newest[] = [
    timed(newest('ledger', ({ receivedAt }) => receivedAt)),
    timed(newest('transitions', ({ recordedAt }) => recordedAt)),
    timed(newest('alarms', ({ at }) => at)),
  ];
  // Of what was before the border of retention only the border is known: its rows have moved out.
  const kept = await tx.get('retention', { org });
  const isPast = kept !== undefined && isReadable(kept) && at >= kept.keptFrom;
  let found = isPast ? kept.position : ZERO;
  let ceiling = head.position;
  for (const table of tables) {
    // What the first table bounds from above, the others need not search beyond.
    ceiling = await lastKnownBy(table, at, found, ceiling);
    const row = await table(ceiling);
    if (row !== undefined && compareDigits(row.position, found) > 0) found = row.position;
  }
  return found;
}

/** A row whose time cannot be read was written no earlier than the one before it: it counts as written with it. */
function timed(newest: Newest): Newest {
  return async (upTo) => {
    const row = await newest(upTo);
    let before = row;
    while (before !== undefined && Number.isNaN(before.at))
      before = await newest((BigInt(before.position) - 1n).toString());
    return row && { position: row.position, at: before?.at ?? 0 };
  };
}

/** The highest position up to which a table has nothing that is younger than the instant. */
async function lastKnownBy(newest: Newest, at: number, floor: Digits, ceiling: Digits): Promise<Digits> {
  let low = BigInt(floor);
  let high = BigInt(ceiling);
  for (let probe = high; low < high; probe = (low + high + 1n) / 2n) {
    const row = await newest(probe.toString());
    if (row === undefined || row.at <= at) low = probe;
    else high = BigInt(row.position) - 1n;
  }
  return low.toString();
}
