import type { Stored } from '../broken-row.ts';
import { COLUMNS, type ColumnKind, sqlName } from '../columns.ts';
import type { Answers, Expect, Read, Select, Tx, Update } from '../port.ts';
import { countsInOrder, type RowCount, storedText } from '../row-count.ts';
import { KEYS, type Key, type Rows, type Table } from '../schema.ts';
import type { ChangeShape, Column, DatabaseSession, Value } from './dialect.ts';
import { columnNames, type Statements } from './statements.ts';

/**
 * More text than this is sent at once instead of waiting for the commit: a driver writes it in one piece,
 * which blocks the process (F80).
 */
const HEAVY = 500_000;
/** So are more rows than this: the database works on them while the caller makes the next ones. */
const MANY = 200;

/** Caps the reads that become one statement. */
const ALIKE = 1_000;

/**
 * The port over one connection. Appended rows, and changes that must all match, wait and are sent together:
 * before a read of their table, when they are many, and with the commit. Everything else is one statement each, in order.
 */
export class SqlTx implements Tx {
  readonly #session: DatabaseSession;
  readonly #statements: Statements;
  readonly #clock: () => Promise<number>;
  readonly #appended = new Map<Table, Value[][]>();
  /** Changes that must match, in order. */
  #changes: Change[] = [];
  /** The number of characters in the waiting rows and changes. */
  #weight = 0;
  /** The number of waiting rows. */
  #count = 0;
  /** The writes that were sent because they were many, until they are answered. */
  #sent: Promise<unknown> | undefined;
  #hasWritten = false;

  constructor(session: DatabaseSession, statements: Statements, clock: () => Promise<number>) {
    this.#session = session;
    this.#statements = statements;
    this.#clock = clock;
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  now(): Promise<number> {
    return this.#clock();
  }

  get<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    return this.#one(table, key, false);
  }

  lock<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    return this.#one(table, key, true);
  }

  async select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Stored<T>[]> {
    const flushed = this.#flush(table);
    if (flushed !== undefined) await flushed;
    return this.#found(table, where, options);
  }

  async tally<T extends Table>(
    table: T,
    by: readonly (keyof Rows[T] & string)[],
    where: Expect<Rows[T]>,
  ): Promise<readonly RowCount[]> {
    const flushed = this.#flush(table);
    if (flushed !== undefined) await flushed;
    const { sql, values } = this.#statements.tally(table, by, where);
    const rows = await this.#session.rows(sql, values);
    return countsInOrder(
      rows.map((row) => ({ values: row.slice(0, by.length).map(storedText), count: Number(row[by.length]) })),
    );
  }

  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    const flushed = this.#flush(table);
    if (flushed !== undefined) await flushed;
    const { sql, values } = this.#statements.insert(table, row);
    return this.#written(await this.#session.run(sql, values)) === 1;
  }

  async append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    const waiting = this.#appended.get(table);
    const values = this.#statements.encode(table, row);
    if (waiting === undefined) this.#appended.set(table, [values]);
    else waiting.push(values);
    await this.#weigh([values]);
  }

  async update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number> {
    const flushed = this.#flush(table);
    if (flushed !== undefined) await flushed;
    const { sql, values } = this.#statements.update(table, key, expect, set);
    return this.#written(await this.#session.run(sql, values));
  }

  async remove<T extends Table>(table: T, key: Key<T>, expect: Expect<Rows[T]>): Promise<number> {
    const flushed = this.#flush(table);
    if (flushed !== undefined) await flushed;
    const { sql, values } = this.#statements.remove(table, key, expect);
    return this.#written(await this.#session.run(sql, values));
  }

  async readAll<const A extends readonly Read[]>(reads: A): Promise<Answers<A>> {
    const flushed = this.#flush(...reads.flatMap((read) => (read === 'now' ? [] : [read.table])));
    if (flushed !== undefined) await flushed;
    const answers: Promise<readonly unknown[]>[] = [];
    for (let i = 0; i < reads.length; ) {
      const alike = this.#alike(reads, i);
      if (alike.length > 1) answers.push(this.#askEach(alike));
      else answers.push(this.#ask(reads[i] as Read).then((answer) => [answer]));
      i += Math.max(1, alike.length);
    }
    return (await Promise.all(answers)).flat(1) as Answers<A>;
  }

  /** The reads from this place on that find one row each and differ in values alone: they become one statement. */
  #alike(reads: readonly Read[], from: number): SelectOne[] {
    const alike: SelectOne[] = [];
    for (const read of reads.slice(from, from + ALIKE)) {
      if (read === 'now' || !('where' in read) || read.options?.limit !== 1) break;
      const statement = this.#statements.select(read.table, read.where, read.options as Select<object>);
      if (alike[0] !== undefined && alike[0].sql !== statement.sql) break;
      alike.push({ table: read.table, ...statement });
    }
    return alike;
  }

  async #askEach(alike: readonly SelectOne[]): Promise<readonly Stored<Table>[][]> {
    const [{ table, sql, kinds }] = alike as [SelectOne];
    const rows = await this.#session.rowEach(
      sql,
      kinds,
      alike.map(({ values }) => values),
    );
    return rows.map((row) => (row === undefined ? [] : [this.#statements.decode(table, row)]));
  }

  /** Waiting rows and changes are sent first, in the same round trip. */
  async updateAll(updates: readonly Update[]): Promise<number[]> {
    const changes = this.#changesOf(updates);
    const flushed = this.#flushAll();
    const sent = changes.map(({ table, shape, rows }) => this.#session.change(sqlName(table), shape, rows));
    const [answers] = await Promise.all([Promise.all(sent), flushed]);
    for (const answer of answers) for (const changed of answer) this.#written(changed);
    const matched = updates.map(() => 0);
    for (const [c, { of }] of changes.entries())
      for (const [n, i] of of.entries()) matched[i] = answers[c]?.[n] ?? 0;
    return matched;
  }

  async updateOrFail(updates: readonly Update[]): Promise<void> {
    const changes = this.#changesOf(updates);
    this.#changes.push(...changes);
    await this.#weigh(changes.flatMap(({ rows }) => rows));
  }

  /** Sends everything that waits before it returns its promise, which resolves with the answers. */
  async finish(): Promise<void> {
    const earlier = this.#sent;
    // mutant: commit-flushes
    await Promise.all([earlier, this.#flushAll()]);
  }

  /** Updates that differ in values alone become one change. */
  #changesOf(updates: readonly Update[]): Change[] {
    const changes = new Map<string, Change>();
    for (const [i, update] of updates.entries()) {
      const name = `${update.table}|${Object.keys(update.expect)}|${Object.keys(update.set)}`;
      const change = changes.get(name) ?? changeOf(name, update);
      changes.set(name, change);
      change.of.push(i);
      const { table, key, expect, set } = update;
      change.rows.push([
        ...this.#statements.encodeSome(table, KEYS[table], key),
        ...this.#statements.encodeSome(table, Object.keys(expect), expect),
        ...this.#statements.encodeSome(table, Object.keys(set), set),
      ]);
    }
    return [...changes.values()];
  }

  async #weigh(rows: readonly (readonly Value[])[]): Promise<void> {
    for (const row of rows)
      for (const value of row) if (typeof value === 'string') this.#weight += value.length;
    this.#count += rows.length;
    if (this.#weight < HEAVY && this.#count < MANY) return;
    const earlier = this.#sent;
    this.#sent = this.#flushAll();
    this.#session.send?.();
    // Its error is that of the next write, or of the commit.
    this.#sent?.catch(() => {});
    // One piece is under way while the next is made, and no more.
    await earlier;
  }

  async #ask(read: Read): Promise<unknown> {
    if (read === 'now') return this.#clock();
    const { table } = read;
    if ('where' in read) return this.#found(table, read.where, read.options ?? {});
    const { keys, lock = false } = read;
    if (keys.length === 0) return [];
    if (keys.length === 1) {
      const { sql, values } = this.#statements.get(table, keys[0] as Key<Table>, lock);
      const row = await this.#session.row(sql, values);
      return row === undefined ? [] : [this.#statements.decode(table, row)];
    }
    const names = KEYS[table];
    const values = keys.map((key) => this.#statements.encodeSome(table, names, key));
    const rows = await this.#session.find(
      sqlName(table),
      columnNames(table),
      keyColumns(table),
      values,
      lock,
    );
    return rows.map((row) => this.#statements.decode(table, row));
  }

  async #one<T extends Table>(table: T, key: Key<T>, lock: boolean): Promise<Stored<T> | undefined> {
    const flushed = this.#flush(table);
    if (flushed !== undefined) await flushed;
    const { sql, values } = this.#statements.get(table, key, lock);
    const row = await this.#session.row(sql, values);
    return row === undefined ? undefined : this.#statements.decode(table, row);
  }

  async #found<T extends Table>(table: T, where: object, options: object): Promise<Stored<T>[]> {
    const { sql, values } = this.#statements.select(table, where, options);
    const rows = await this.#session.rows(sql, values);
    return rows.map((row) => this.#statements.decode(table, row));
  }

  #written(rows: number): number {
    if (rows > 0) this.#hasWritten = true;
    return rows;
  }

  /**
   * Sends the waiting rows and changes of these tables; undefined if there are none, so that the caller need
   * not wait.
   */
  #flush(...tables: Table[]): Promise<unknown> | undefined {
    const sent: Promise<void>[] = [];
    for (const table of tables) {
      const rows = this.#appended.get(table);
      if (rows === undefined) continue;
      this.#appended.delete(table);
      sent.push(this.#session.append(sqlName(table), allColumns(table), rows));
    }
    for (const { table, shape, rows } of this.#changes)
      if (tables.includes(table)) sent.push(this.#session.changeAll(sqlName(table), shape, rows));
    if (sent.length === 0) return undefined;
    this.#hasWritten = true;
    this.#changes = this.#changes.filter(({ table }) => !tables.includes(table));
    if (this.#appended.size + this.#changes.length === 0) [this.#weight, this.#count] = [0, 0];
    return Promise.all(sent);
  }

  #flushAll(): Promise<unknown> | undefined {
    return this.#flush(...this.#appended.keys(), ...new Set(this.#changes.map(({ table }) => table)));
  }
}

/** A read of one row by expectation. */
type SelectOne = ReturnType<Statements['select']> & { readonly table: Table };

/** Updates that differ in values alone, and their places among the caller's updates. */
interface Change {
  readonly table: Table;
  readonly shape: ChangeShape;
  readonly rows: Value[][];
  readonly of: number[];
}

/** The shapes of all changes so far: few, since a shape is the names of columns that some verb writes together. */
const SHAPES = new Map<string, ChangeShape>();

function changeOf(name: string, { table, expect, set }: Update): Change {
  const shape = SHAPES.get(name) ?? {
    key: keyColumns(table),
    expect: columnsOf(table, Object.keys(expect)),
    set: columnsOf(table, Object.keys(set)),
  };
  SHAPES.set(name, shape);
  return { table, shape, rows: [], of: [] };
}

/** Lists of columns are made once: a database keeps the texts of its statements by them. */
const listedOnce = (names: (table: Table) => readonly string[]) => {
  const lists = new Map<Table, readonly Column[]>();
  return (table: Table): readonly Column[] => {
    const columns = lists.get(table) ?? columnsOf(table, names(table));
    lists.set(table, columns);
    return columns;
  };
};

const allColumns = listedOnce((table) => Object.keys(COLUMNS[table]));
const keyColumns = listedOnce((table) => KEYS[table]);

function columnsOf(table: Table, names: readonly string[]): Column[] {
  const kinds: Readonly<Record<string, ColumnKind>> = COLUMNS[table];
  return names.map((name) => ({ name: sqlName(name), kind: kinds[name] as ColumnKind }));
}
