import { KEYS, type Key, type Rows, type Table } from './schema.ts';

/**
 * A stored row with at least one column that cannot be read: its bytes are damaged, or do not have the shape
 * of their column. The store returns it in place of the row, so that one broken row fails only the readers
 * that need it (F56), and the compiler makes each reader decide.
 *
 * Rejected: to throw at the store's edge, because one broken row would fail a list of others; and to put a
 * placeholder into the row, because no type says then that it may be there.
 */
export class BrokenRow<T extends Table = Table> {
  readonly table: T;
  /** The columns that can be read. */
  readonly readable: Partial<Rows[T]>;
  /** The names of the unreadable columns, in the order of the table. Never empty. */
  readonly unreadable: readonly string[];

  constructor(table: T, readable: Partial<Rows[T]>, unreadable: readonly string[]) {
    this.table = table;
    this.readable = readable;
    this.unreadable = unreadable;
  }
}

/** Stands in a text for the name of a row whose name cannot be read. */
export const NAMELESS = '(unreadable)';

/** A row as the store returns it: intact or broken. */
export type Stored<T extends Table> = Rows[T] | (T extends Table ? BrokenRow<T> : never);

/** A type of stored rows without the broken ones. */
type Intact<R> = Exclude<R, BrokenRow>;

export function isIntact<R>(row: R): row is Intact<R> {
  return !(row instanceof BrokenRow);
}

/** The row if every column can be read. For readers that treat a broken row like a missing one. */
export function intact<R extends object>(row: R | undefined): Intact<R> | undefined {
  return row !== undefined && isIntact(row) ? row : undefined;
}

/** The columns that can be read; none if there is no row. For readers that use single columns. */
export function readable<R extends object>(row: R | undefined): Partial<Intact<R>> {
  const columns: object = row instanceof BrokenRow ? row.readable : (row ?? {});
  return columns as Partial<Intact<R>>;
}

/** These columns, if each of them can be read; the other columns may be unreadable. */
export function pick<R extends object, C extends keyof Intact<R>>(
  row: R | undefined,
  ...columns: readonly C[]
): Pick<Intact<R>, C> | undefined {
  const found = readable(row);
  const picked: Partial<Intact<R>> = {};
  for (const column of columns) {
    if (found[column] === undefined) return undefined;
    picked[column] = found[column];
  }
  return picked as Pick<Intact<R>, C>;
}

/** The row as a plain object with null for every unreadable column, for files that people read. */
export function withNulls(row: object): object {
  if (!(row instanceof BrokenRow)) return row;
  return { ...row.readable, ...Object.fromEntries(row.unreadable.map((column) => [column, null])) };
}

/**
 * The row's key; undefined if a part of it cannot be read. A row without a key can be neither addressed nor
 * written.
 */
export function keyOf<T extends Table>(table: T, row: Stored<T>): Key<T> | undefined {
  if (!(row instanceof BrokenRow)) return row as unknown as Key<T>;
  const columns: readonly string[] = KEYS[table];
  return columns.some((column) => row.unreadable.includes(column))
    ? undefined
    : (row.readable as unknown as Key<T>);
}

/** The row after a write: intact again if the write set every unreadable column. */
export function withSet<T extends Table>(row: Stored<T>, set: Partial<Rows[T]>): Stored<T> {
  if (!(row instanceof BrokenRow)) return { ...row, ...set };
  const columns = { ...row.readable, ...set };
  const unreadable = row.unreadable.filter((column) => !Object.hasOwn(set, column));
  return (unreadable.length === 0 ? columns : new BrokenRow(row.table, columns, unreadable)) as Stored<T>;
}
