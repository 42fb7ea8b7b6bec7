import { keyOf, readable, type Stored, withSet } from './broken-row.ts';
import { matches } from './match-row.ts';
import {
  type Answers,
  type ByKeys,
  Conflict,
  type Expect,
  type Read,
  type Select,
  type Tx,
  type Update,
} from './port.ts';
import type { RowCount } from './row-count.ts';
import { KEYS, type Key, keyText, type Rows, type Table } from './schema.ts';

/**
 * A row in this transaction's cache: the version that was read, the columns that answers relied on, and the
 * pending write.
 */
interface CachedRow {
  readonly table: Table;
  readonly key: Key<Table>;
  /** The key as text. */
  readonly text: string;
  /** The row as the database had it; undefined if it does not exist. */
  readonly base: Stored<Table> | undefined;
  /** The row with everything that this transaction has written since. */
  readonly row: Stored<Table> | undefined;
  readonly locked: boolean;
  /** Columns that each write of the row relies on, because the row was read before this transaction. */
  readonly recalledBy: ReadonlySet<string>;
  /**
   * The pending write: columns that must still be as they were read, and columns to set. Null: nothing is
   * pending.
   */
  readonly waiting: { readonly expect: ReadonlySet<string>; readonly set: object } | null;
}

interface CachingTxOptions {
  /**
   * Tables that no other transaction writes, because their writers must hold a lock that this transaction
   * holds.
   */
  readonly exclusive?: ReadonlySet<Table>;
  /** The table for which `written` lists the rows that this transaction wrote. */
  readonly tracked?: Table | null;
  /** Lets other work run between two pieces of a large write, if it is time to. */
  readonly yieldIfDue?: (() => Promise<void> | undefined) | undefined;
}

/**
 * A flush of more rows than this goes out in pieces, if `yieldIfDue` is set. Ordinary shared transactions stay
 * below it.
 */
const MANY = 100;
const PIECE = 25;
const NOTHING: ReadonlySet<string> = new Set();

/**
 * A transaction that reads each row from the database once: rows read by key stay cached, a conditional write
 * of a cached row is answered from the cache and goes out later, together with the others. When it goes out,
 * the columns it relied on must still be as they were read; if another transaction changed them, that is a
 * Conflict, and the whole transaction runs again on fresh rows. Therefore the answers equal those that the
 * database would have returned at the instant of the read, and nothing is written unless they still hold.
 *
 * Reads by predicate go to the database, after the pending writes of their table.
 */
export class CachingTx implements Tx {
  readonly #tx: Tx;
  readonly #exclusive: ReadonlySet<Table>;
  readonly #rows = new Map<Table, Map<string, CachedRow>>();
  /** The tables with pending writes, and the keys of the rows to write. */
  readonly #waiting = new Map<Table, Set<string>>();
  /** The rows of the `tracked` table that were written here, by their keys. */
  readonly #written = new Map<string, Key<Table>>();
  readonly #tracked: Table | null;
  readonly #yieldIfDue: CachingTxOptions['yieldIfDue'];
  /**
   * Results of reads by predicate that `readAll` fetched together; valid until something writes their table.
   */
  readonly #results = new Map<Table, Map<string, Stored<Table>[]>>();

  constructor(tx: Tx, { exclusive = new Set(), tracked = null, yieldIfDue }: CachingTxOptions = {}) {
    this.#tx = tx;
    this.#exclusive = exclusive;
    this.#tracked = tracked;
    this.#yieldIfDue = yieldIfDue;
  }

  /** The keys of the rows of the `tracked` table that were written here. */
  get written(): readonly Key<Table>[] {
    return [...this.#written.values()];
  }

  now(): Promise<number> {
    return this.#tx.now();
  }

  async get<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    const text = keyText(table, key);
    const cached = this.#cached(table, text);
    if (cached !== undefined) return cached.row as Stored<T> | undefined;
    const row = await this.#tx.get(table, key);
    this.#cache(table, key, text, row, false);
    return row;
  }

  async lock<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    const text = keyText(table, key);
    const cached = this.#cached(table, text);
    if (cached?.locked) return cached.row as Stored<T> | undefined;
    if (cached?.waiting) await this.#write([table]);
    const row = await this.#tx.lock(table, key);
    this.#cache(table, key, text, row, row !== undefined);
    return row;
  }

  async select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Stored<T>[]> {
    const result = this.#resultOf(table, predicateKey(where, options));
    if (result !== undefined) return [...result] as Stored<T>[];
    const sent = this.#write([table]);
    if (sent !== undefined) await sent;
    const rows = withReadableKey(table, await this.#tx.select(table, where, options));
    for (const row of rows) this.#cacheNewer(table, row);
    return rows;
  }

  async tally<T extends Table>(
    table: T,
    by: readonly (keyof Rows[T] & string)[],
    where: Expect<Rows[T]>,
  ): Promise<readonly RowCount[]> {
    await this.#write([table]);
    return this.#tx.tally(table, by, where);
  }

  /** Reads only rows that are not cached, and caches them; the absence of a row is cached too. */
  async readAll<const A extends readonly Read[]>(reads: A): Promise<Answers<A>> {
    const written = this.#write(reads.flatMap((read) => (needsFlush(read) ? [read.table] : [])));
    if (written !== undefined) await written;
    const named = reads.map((read) => ({ read, predicate: predicateOf(read) }));
    const sent = named.flatMap(({ read, predicate }) => {
      const uncached = this.#uncached(read, predicate);
      return uncached === null ? [] : [{ read: uncached, predicate }];
    });
    const answers: (number | Stored<Table>[])[] =
      sent.length === 0 ? [] : await this.#tx.readAll(sent.map(({ read }) => read));
    let now = 0;
    for (const [i, { read, predicate }] of sent.entries()) {
      const answer = answers[i];
      if (read === 'now' || typeof answer !== 'object') now = Number(answer);
      else if ('where' in read) this.#cacheResult(read.table, predicate, answer);
      else this.#cacheAll(read, answer);
    }
    return named.map(({ read, predicate }) => {
      if (read === 'now') return now;
      if ('where' in read) return this.#resultOf(read.table, predicate) ?? [];
      return read.keys.flatMap((key) => this.#cached(read.table, keyText(read.table, key))?.row ?? []);
    }) as Answers<A>;
  }

  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    const key = row as unknown as Key<T>;
    const text = keyText(table, key);
    const cached = this.#cached(table, text);
    if (cached?.row !== undefined) return false;
    if (cached !== undefined && this.#exclusive.has(table)) {
      await this.append(table, row);
      return true;
    }
    this.#noteWrite(table, key);
    const inserted = await this.#tx.insert(table, row);
    if (inserted) this.#cache(table, key, text, row, true);
    else this.#rows.get(table)?.delete(text);
    return inserted;
  }

  async append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    this.#noteWrite(table, row as unknown as Key<T>);
    await this.#tx.append(table, row);
    // Rows of other tables are appended and never read by key, so they are not cached.
    if (!this.#exclusive.has(table)) return;
    const key = row as unknown as Key<T>;
    this.#cache(table, key, keyText(table, key), row, true);
  }

  async update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number> {
    const text = keyText(table, key);
    const cached = this.#cached(table, text);
    this.#noteWrite(table, key);
    if (cached === undefined) return this.#tx.update(table, key, expect, set);
    if (cached.row === undefined || !matches(table, readable(cached.row) as Rows[T], expect)) {
      // A retry after a failed guard must read the row as it is now, so the cached version is dropped.
      if (!cached.locked && cached.waiting === null) this.#rows.get(table)?.delete(text);
      return 0;
    }
    const before = cached.waiting;
    // mutant: image-relies
    const relied = [...cached.recalledBy, ...Object.keys(expect)].filter(
      (column) => before === null || !Object.hasOwn(before.set, column),
    );
    const waiting = this.#waiting.get(table) ?? new Set();
    this.#waiting.set(table, waiting.add(text));
    this.#put({
      ...cached,
      row: withSet(cached.row, set),
      waiting: {
        expect: before === null ? new Set(relied) : new Set([...before.expect, ...relied]),
        set: before === null ? set : { ...before.set, ...set },
      },
    });
    return 1;
  }

  async updateAll(updates: readonly Update[]): Promise<number[]> {
    const matched: number[] = [];
    for (const { table, key, expect, set } of updates)
      matched.push(await this.update<Table>(table, key, expect as Expect<Rows[Table]>, set));
    return matched;
  }

  async updateOrFail(updates: readonly Update[]): Promise<void> {
    if ((await this.updateAll(updates)).includes(0)) throw new Conflict('a row is no longer as it was read');
  }

  async remove<T extends Table>(table: T, key: Key<T>, expect: Expect<Rows[T]>): Promise<number> {
    await this.#write([table]);
    this.#noteWrite(table, key);
    this.#rows.get(table)?.delete(keyText(table, key));
    return this.#tx.remove(table, key, expect);
  }

  /**
   * Caches rows that were read before this transaction as if it had read them. Each write of one relies on these columns:
   * if another transaction has changed them since, that is a Conflict. A row that is cached already stays.
   */
  recall<T extends Table>(
    table: T,
    rows: readonly Rows[T][],
    relied: readonly (keyof Rows[T] & string)[] = [],
  ): void {
    const recalledBy = new Set<string>(relied);
    for (const row of rows) {
      const key = row as unknown as Key<T>;
      const text = keyText(table, key);
      if (this.#cached(table, text) === undefined)
        this.#put({ table, key, text, base: row, row, locked: false, recalledBy, waiting: null });
    }
  }

  /**
   * Writes everything that is pending. A Conflict, here or at the commit, means that a row is no longer as it
   * was when an answer relied on it.
   */
  async flush(): Promise<void> {
    await this.#write([...this.#waiting.keys()]);
  }

  /** Sends the pending writes of these tables; undefined if nothing is pending. */
  #write(tables: readonly Table[]): Promise<void> | undefined {
    return tables.some((table) => this.#waiting.has(table)) ? this.#send(tables) : undefined;
  }

  async #send(tables: readonly Table[]): Promise<void> {
    const waiting: CachedRow[] = [];
    // All transactions write rows in the same order, so that two that write the same rows do not deadlock. Each table
    // once, even if several reads of it follow.
    for (const table of [...new Set(tables)].sort()) {
      const keys = this.#waiting.get(table);
      if (keys === undefined) continue;
      for (const key of [...keys].sort()) {
        const cached = this.#rows.get(table)?.get(key);
        if (cached !== undefined) waiting.push(cached);
      }
    }
    if (waiting.length === 0) return;
    const piece = this.#yieldIfDue === undefined || waiting.length <= MANY ? waiting.length : PIECE;
    for (let i = 0; i < waiting.length; i += piece) {
      await this.#writeAll(waiting.slice(i, i + piece));
      await this.#yieldIfDue?.();
    }
    for (const table of tables) this.#waiting.delete(table);
  }

  async #writeAll(waiting: readonly CachedRow[]): Promise<void> {
    await this.#tx.updateOrFail(
      waiting.map((cached) => updateOf(cached, !this.#exclusive.has(cached.table))),
    );
    for (const cached of waiting) this.#put({ ...cached, base: cached.row, locked: true, waiting: null });
  }

  /** Notes a write, or an attempt of one: cached results of reads by predicate are dropped. */
  #noteWrite(table: Table, key: Key<Table>): void {
    this.#results.delete(table);
    if (table === this.#tracked) this.#written.set(keyText(table, key), key);
  }

  #cached(table: Table, text: string): CachedRow | undefined {
    return this.#rows.get(table)?.get(text);
  }

  /** The part of a read that is not cached, each key once, however often it is named; null if all of it is. */
  #uncached(read: Read, predicate: string): Read | null {
    if (read === 'now') return read;
    if ('where' in read) return this.#resultOf(read.table, predicate) === undefined ? read : null;
    const { table, lock = false } = read;
    const wanted = new Map<string, Key<Table>>();
    for (const key of read.keys) {
      const text = keyText(table, key);
      const cached = this.#cached(table, text);
      if (cached === undefined || (lock && !cached.locked)) wanted.set(text, key);
    }
    return wanted.size === 0 ? null : ({ table, keys: [...wanted.values()], lock } as Read);
  }

  #resultOf(table: Table, predicate: string): readonly Stored<Table>[] | undefined {
    return this.#results.get(table)?.get(predicate);
  }

  #cacheAll({ table, keys, lock = false }: ByKeys<Table>, rows: readonly Stored<Table>[]): void {
    for (const key of keys) {
      const text = keyText(table, key);
      if (this.#cached(table, text) === undefined) this.#cache(table, key, text, undefined, false);
    }
    for (const row of rows) this.#cacheNewer(table, row, lock);
  }

  #cacheResult(table: Table, predicate: string, rows: readonly Stored<Table>[]): void {
    const cached = withReadableKey(table, rows);
    for (const row of cached) this.#cacheNewer(table, row);
    const found = this.#results.get(table) ?? new Map<string, Stored<Table>[]>();
    found.set(predicate, cached);
    this.#results.set(table, found);
  }

  /** Replaces the cached version by a newer one; a locked row stays locked. */
  #cacheNewer(table: Table, row: Stored<Table>, lock = false): void {
    const key = keyOf(table, row);
    if (key === undefined) return;
    const text = keyText(table, key);
    this.#cache(table, key, text, row, lock || (this.#cached(table, text)?.locked ?? false));
  }

  #cache(table: Table, key: Key<Table>, text: string, row: Stored<Table> | undefined, locked: boolean): void {
    this.#put({ table, key, text, base: row, row, locked, recalledBy: NOTHING, waiting: null });
  }

  #put(cached: CachedRow): void {
    const rows = this.#rows.get(cached.table) ?? new Map<string, CachedRow>();
    rows.set(cached.text, cached);
    this.#rows.set(cached.table, rows);
  }
}

/** Rows without a readable key are left out for writers: they could only be taken for other rows (F56). */
const withReadableKey = <T extends Table>(table: T, rows: readonly Stored<T>[]): Stored<T>[] =>
  rows.filter((row) => keyOf(table, row) !== undefined);

/**
 * The cache key of a read by predicate. An equal predicate in another order is another key, and is only read
 * again.
 */
const predicateKey = (where: object, options: object = {}) => JSON.stringify([where, options]);

/** The same of a read; empty if it is none by predicate. */
const predicateOf = (read: Read) =>
  read !== 'now' && 'where' in read ? predicateKey(read.where, read.options) : '';

/** True of a read that must go to the database after the pending writes of its table. */
function needsFlush(read: Read): read is Exclude<Read, 'now'> {
  return read !== 'now' && ('where' in read || read.lock === true);
}

/**
 * A column that stays as it was read is only sent where another transaction may write it meanwhile: facts are large, and
 * each column may have an index.
 */
function updateOf({ table, key, base, waiting }: CachedRow, sendsAll: boolean): Update {
  const was = readable(base) as Readonly<Record<string, unknown>>;
  const expect = Object.fromEntries([...(waiting?.expect ?? [])].map((column) => [column, was[column]]));
  const all = Object.entries(waiting?.set ?? {}).filter(
    ([column]) => !(KEYS[table] as readonly string[]).includes(column),
  );
  const changed = all.filter(([column, value]) => was[column] !== value);
  const set = Object.fromEntries(sendsAll || changed.length === 0 ? all : changed);
  return { table, key, expect, set } as Update;
}
