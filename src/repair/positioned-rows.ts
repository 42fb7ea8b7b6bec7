import type { Digits } from '../contract/digits.ts';
import { PAGE } from '../evidence/past/ledger-pages.ts';
import { readable, type Stored } from '../store/broken-row.ts';
import { gt, type ReadTx } from '../store/port.ts';

/** A row that stands at a position of the ledger. */
export interface PositionedRow<T extends 'transitions' | 'checkpoints'> {
  readonly position: Digits;
  readonly row: Stored<T>;
}

/** The rows of a service after a position, page by page. A row whose position cannot be read is left out. */
export async function* rowsAfter<T extends 'transitions' | 'checkpoints'>(
  tx: ReadTx,
  table: T,
  org: string,
  service: string,
  after: Digits,
): AsyncGenerator<PositionedRow<T>> {
  for (let from = after; ; ) {
    const where = { org, service, position: gt(from) };
    const rows = await tx.select<'transitions' | 'checkpoints'>(table, where, {
      order: 'position',
      limit: PAGE,
    });
    let last: Digits | undefined;
    for (const row of rows) {
      const { position } = readable(row);
      if (position === undefined) continue;
      last = position;
      yield { position, row: row as Stored<T> };
    }
    if (last === undefined || rows.length < PAGE) return;
    from = last;
  }
}

/** Rows in the order of their positions, with the next one readable before it is taken. */
export class Lookahead<Row> {
  readonly #rows: AsyncGenerator<Row>;
  #next: Row | undefined;

  constructor(rows: AsyncGenerator<Row>) {
    this.#rows = rows;
  }

  async peek(): Promise<Row | undefined> {
    this.#next ??= (await this.#rows.next()).value as Row | undefined;
    return this.#next;
  }

  /** Returns the next row and advances. */
  take(): Row {
    const row = this.#next as Row;
    this.#next = undefined;
    return row;
  }
}
