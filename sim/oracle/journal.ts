import type { MemoryStore } from '../../src/store/memory.ts';
import type { Rows, Table } from '../../src/store/schema.ts';

type WriteOf<T extends Table> = {
  readonly table: T;
  readonly key: string;
  readonly before: Rows[T] | undefined;
  readonly row: Rows[T];
};
export type Write = { [T in Table]: WriteOf<T> }[Table];

/** Tables that no check looks at: what is not journalled costs nothing. */
const IGNORED: ReadonlySet<Table> = new Set([
  'workers',
  'spans',
  'evidenceIds',
  'counters',
  'registrations',
  'checkpoints',
  'retention',
]);

/**
 * Every row that became durable, in the order of the commits: the oracle's own record of the store, which works
 * on what changed and on nothing else. Listens at the tables, so that a row which changes or disappears cannot
 * escape it (S10).
 */
export class Journal {
  #writes: Write[] = [];
  /** Rows that were taken away: the store has no verb for that. */
  readonly lost: string[] = [];

  constructor(tables: MemoryStore['tables']) {
    for (const table of Object.keys(tables) as Table[]) {
      if (!IGNORED.has(table)) this.#listen(table, tables[table] as Map<string, Rows[Table]>);
    }
  }

  get isEmpty(): boolean {
    return this.#writes.length === 0;
  }

  drain(): readonly Write[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }

  #listen(table: Table, rows: Map<string, Rows[Table]>): void {
    for (const [key, row] of rows) this.#writes.push({ table, key, before: undefined, row } as Write);
    const { set } = Map.prototype;
    rows.set = (key, row) => {
      this.#writes.push({ table, key, before: rows.get(key), row } as Write);
      return set.call(rows, key, row) as typeof rows;
    };
    rows.delete = (key) => {
      this.lost.push(`${table} ${key}`);
      return Map.prototype.delete.call(rows, key);
    };
    rows.clear = () => {
      this.lost.push(`all of ${table}`);
      Map.prototype.clear.call(rows);
    };
  }
}
