import { COLUMNS, type ColumnKind, sqlName } from '../columns.ts';
import type { Expect, Select, Tx } from '../port.ts';
import type { Key, Rows, Table } from '../schema.ts';
import type { AppendColumn, Session, Value } from './dialect.ts';
import type { Statements } from './statements.ts';

/**
 * The port over one connection. What is appended waits and goes out together: before anyone reads its table, and
 * at the commit. Everything else is one statement each, in order.
 */
export class SqlTx implements Tx {
  readonly #session: Session;
  readonly #statements: Statements;
  readonly #clock: () => Promise<number>;
  readonly #appended = new Map<Table, Value[][]>();

  constructor(session: Session, statements: Statements, clock: () => Promise<number>) {
    this.#session = session;
    this.#statements = statements;
    this.#clock = clock;
  }

  now(): Promise<number> {
    return this.#clock();
  }

  get<T extends Table>(table: T, key: Key<T>): Promise<Rows[T] | undefined> {
    return this.#one(table, key, false);
  }

  lock<T extends Table>(table: T, key: Key<T>): Promise<Rows[T] | undefined> {
    return this.#one(table, key, true);
  }

  async select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Rows[T][]> {
    await this.#flush(table);
    const { sql, values } = this.#statements.select(table, where, options as Select<object>);
    const rows = await this.#session.rows(sql, values);
    return rows.map((row) => this.#statements.decode(table, row) as Rows[T]);
  }

  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    await this.#flush(table);
    const { sql, values } = this.#statements.insert(table, row);
    return (await this.#session.run(sql, values)) === 1;
  }

  async append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    const waiting = this.#appended.get(table);
    const values = this.#statements.encode(table, row);
    if (waiting === undefined) this.#appended.set(table, [values]);
    else waiting.push(values);
  }

  async update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number> {
    await this.#flush(table);
    const { sql, values } = this.#statements.update(table, key, expect, set);
    return this.#session.run(sql, values);
  }

  async remove<T extends Table>(table: T, key: Key<T>, expect: Expect<Rows[T]>): Promise<number> {
    await this.#flush(table);
    const { sql, values } = this.#statements.remove(table, key, expect);
    return this.#session.run(sql, values);
  }

  /** Everything that was appended has reached the database, ready to be committed. */
  async finish(): Promise<void> {
    for (const table of [...this.#appended.keys()]) await this.#flush(table);
  }

  async #one<T extends Table>(table: T, key: Key<T>, lock: boolean): Promise<Rows[T] | undefined> {
    await this.#flush(table);
    const { sql, values } = this.#statements.get(table, key, lock);
    const row = await this.#session.row(sql, values);
    return row === undefined ? undefined : (this.#statements.decode(table, row) as Rows[T]);
  }

  async #flush(table: Table): Promise<void> {
    const rows = this.#appended.get(table);
    if (rows === undefined) return;
    this.#appended.delete(table);
    await this.#session.append(sqlName(table), appendColumns(table), rows);
  }
}

function appendColumns(table: Table): AppendColumn[] {
  return Object.entries<ColumnKind>(COLUMNS[table]).map(([name, kind]) => ({ name: sqlName(name), kind }));
}
