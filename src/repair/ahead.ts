import type { Digits } from '../contract/digits.ts';
import { PAGE } from '../evidence/past/ledger-pages.ts';
import { gt, type ReadTx } from '../store/port.ts';
import type { CheckpointRow, Rows, TransitionRow } from '../store/schema.ts';

type Positioned = TransitionRow | CheckpointRow;

/** The rows of a service after a position, page by page. */
export async function* pages<T extends 'transitions' | 'checkpoints'>(
  tx: ReadTx,
  table: T,
  org: string,
  service: string,
  after: Digits,
): AsyncGenerator<Rows[T]> {
  for (let from = after; ; ) {
    const where = { org, service, position: gt(from) };
    const rows: Positioned[] = await tx.select<'transitions' | 'checkpoints'>(table, where, {
      order: 'position',
      limit: PAGE,
    });
    yield* rows as Rows[T][];
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    from = last.position;
  }
}

/** Rows in the order of their positions, looked at one ahead. */
export class Lookahead<Row extends Positioned> {
  readonly #rows: AsyncGenerator<Row>;
  #next: Row | undefined;

  constructor(rows: AsyncGenerator<Row>) {
    this.#rows = rows;
  }

  async peek(): Promise<Row | undefined> {
    this.#next ??= (await this.#rows.next()).value as Row | undefined;
    return this.#next;
  }

  /** The one that was looked at. */
  take(): Row {
    const row = this.#next as Row;
    this.#next = undefined;
    return row;
  }
}
