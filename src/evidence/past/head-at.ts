import { compareDigits, type Digits, ZERO } from '../../contract/digits.ts';
import { intact, readable } from '../../store/broken-row.ts';
import { lte, type ReadTx } from '../../store/port.ts';
import { ROWS_NEAR_HEAD, readableHead, refuseLostHead } from '../door/head-read.ts';

/** A position, and the instant at which its row was written. */
interface Placed {
  readonly position: Digits;
  readonly at: number;
}
type Newest<P = Placed> = (upTo: Digits) => Promise<P | undefined>;

/** The same, as far as it can be read. */
interface Near {
  readonly position: Digits | undefined;
  readonly at: number | undefined;
}
type Untimed = Pick<Placed, 'position'> & Pick<Near, 'at'>;

/**
 * The head of an org's ledger at an instant. Times grow with positions, so it is found by halving, over
 * primary keys alone. Rejected: an index on the time of receipt, which would find it in one step, and cost
 * every row of the ledger one more write; the past is read far less often than the ledger is written.
 */
export async function headAt(tx: ReadTx, org: string, at: number): Promise<Digits> {
  const last = await tx.get('heads', { org });
  if (last === undefined) {
    await refuseLostHead(tx, org);
    return ZERO;
  }
  const head = readableHead(last);
  if (head.at <= at) return head.position;
  const below = (upTo: Digits) => ({ org, position: lte(upTo) });
  const tables: readonly Newest[] = [
    newestOf(async (upTo, limit) =>
      (await tx.select('ledger', below(upTo), { ...NEWEST, limit }))
        .map(readable)
        .map(({ position, receivedAt: at }) => ({ position, at })),
    ),
    newestOf(async (upTo, limit) =>
      (await tx.select('transitions', below(upTo), { ...NEWEST, limit }))
        .map(readable)
        .map(({ position, recordedAt: at }) => ({ position, at })),
    ),
    newestOf(async (upTo, limit) =>
      (await tx.select('alarms', below(upTo), { ...NEWEST, limit }))
        .map(readable)
        .map(({ position, at }) => ({ position, at })),
    ),
  ];
  // Before the border of retention, the border itself is the answer: the rows below it have moved out.
  const retention = intact(await tx.get('retention', { org }));
  const isPast = retention !== undefined && at >= retention.keptFrom;
  let found = isPast ? retention.position : ZERO;
  let ceiling = head.position;
  for (const table of tables) {
    // The bound from the first table limits the search in the others.
    ceiling = await lastRecordedBy(table, at, found, ceiling);
    const row = await table(ceiling);
    if (row !== undefined && compareDigits(row.position, found) > 0) found = row.position;
  }
  return found;
}

const NEWEST = { order: 'position', descending: true } as const;

/**
 * The newest row of a table whose position can be read: reads one row at first, and more if that one is
 * unreadable.
 */
function newestOf(near: (upTo: Digits, limit: number) => Promise<readonly Near[]>): Newest {
  return timed(async (upTo) => {
    for (const limit of [1, ROWS_NEAR_HEAD]) {
      const rows = await near(upTo, limit);
      for (const { position, at } of rows) if (position !== undefined) return { position, at };
      if (rows.length < limit) return undefined;
    }
    return undefined;
  });
}

/** A row whose time cannot be read was written no earlier than the one before it: it counts as written with it. */
function timed(newest: Newest<Untimed>): Newest {
  return async (upTo) => {
    const row = await newest(upTo);
    let before = row;
    while (before !== undefined && before.at === undefined)
      before = await newest((BigInt(before.position) - 1n).toString());
    return row && { position: row.position, at: before?.at ?? 0 };
  };
}

/** The highest position up to which a table has no row younger than the instant. */
async function lastRecordedBy(newest: Newest, at: number, floor: Digits, ceiling: Digits): Promise<Digits> {
  let low = BigInt(floor);
  let high = BigInt(ceiling);
  for (let probe = high; low < high; probe = (low + high + 1n) / 2n) {
    const row = await newest(probe.toString());
    if (row === undefined || row.at <= at) low = probe;
    else high = BigInt(row.position) - 1n;
  }
  return low.toString();
}
