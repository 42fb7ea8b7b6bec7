import { keyOf, readable, type Stored, withSet } from './broken-row.ts';
import { matches } from './expect.ts';
import {
  type Answers,
  type Ask,
  type ByKeys,
  Conflict,
  type Expect,
  type Select,
  type Tx,
  type Update,
} from './port.ts';
import { KEYS, type Key, keyText, type Rows, type Table } from './schema.ts';

/**
 * A row in this transaction's cache: the version that was read, the columns that answers relied on, and the
 * pending write.
 */
interface Known {
  readonly table: Table;
  readonly key: Key<Table>;
  /** The row as the database had it; undefined if it does not exist. */
  readonly base: Stored<Table> | undefined;
  /** The row with everything that this transaction has written since. */
  readonly row: Stored<Table> | undefined;
  readonly locked: boolean;
  /**
   * The pending write: columns that must still be as they were read, and columns to set. Null: nothing is
   * pending.
   */
  readonly waiting: { readonly expect: ReadonlySet<string>; readonly set: object } | null;
}

export interface ImageOptions {
  /**
   * Tables that no other transaction writes, because their writers must hold a lock that this transaction
   * holds.
   */
  readonly exclusive?: ReadonlySet<Table>;
  /** The table for which `written` lists the rows that this transaction wrote. */
  readonly noted?: Table | null;
  /** Lets other work run between two pieces of a large write, if it is time to. */
  readonly giveWay?: (() => Promise<void> | undefined) | undefined;
}

/**
 * A flush of more rows than this goes out in pieces, if `giveWay` is set. Ordinary shared transactions stay
 * below it.
 */
const MANY = 100;
const PIECE = 25;

/**
 * A transaction that reads each row from the database once: rows read by key stay cached, a conditional write
 * of a cached row is answered from the cache and goes out later, together with the others. When it goes out,
 * the columns it relied on must still be as they were read; if another transaction changed them, that is a
 * Conflict, and the whole transaction runs again on fresh rows. Therefore the answers equal those that the
 * database would have given at the instant of the read, and nothing is written unless they still hold.
 *
 * Reads by predicate go to the database, after the pending writes of their table.
 */
export class Image implements Tx {
  readonly #tx: Tx;
  readonly #exclusive: ReadonlySet<Table>;
  readonly #rows = new Map<Table, Map<string, Known>>();
  /** The tables with pending writes, and the keys of the rows to write. */
  readonly #waiting = new Map<Table, Set<string>>();
  /** The rows of the `noted` table that were written here, by their keys. */
  readonly #written = new Map<string, Key<Table>>();
  readonly #noted: Table | null;
  readonly #giveWay: ImageOptions['giveWay'];
  /**
   * Results of reads by predicate that `readAll` fetched together; valid until something writes their table.
   */
  readonly #found = new Map<Table, Map<string, Stored<Table>[]>>();

  constructor(tx: Tx, { exclusive = new Set(), noted = null, giveWay }: ImageOptions = {}) {
    this.#tx = tx;
    this.#exclusive = exclusive;
    this.#noted = noted;
    this.#giveWay = giveWay;
  }

  /** The keys of the rows of the `noted` table that were written here. */
  get written(): readonly Key<Table>[] {
    return [...this.#written.values()];
  }

  now(): Promise<number> {
    return this.#tx.now();
  }

  async get<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    const known = this.#known(table, key);
    if (known !== undefined) return known.row as Stored<T> | undefined;
    const row = await this.#tx.get(table, key);
    this.#learn(table, key, row, false);
    return row;
  }

  async lock<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    const known = this.#known(table, key);
    if (known?.locked) return known.row as Stored<T> | undefined;
    if (known?.waiting) await this.#write([table]);
    const row = await this.#tx.lock(table, key);
    this.#learn(table, key, row, row !== undefined);
    return row;
  }

  async select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Stored<T>[]> {
    const kept = this.#kept(table, where, options);
    if (kept !== undefined) return [...kept] as Stored<T>[];
    await this.#write([table]);
    const rows = named(table, await this.#tx.select(table, where, options));
    for (const row of rows) this.#see(table, row);
    return rows;
  }

  /** Reads only rows that are not cached, and caches them; the absence of a row is cached too. */
  async readAll<const A extends readonly Ask[]>(asks: A): Promise<Answers<A>> {
    await this.#write(asks.flatMap((ask) => (isFresh(ask) ? [ask.table] : [])));
    const sent: Ask[] = asks.flatMap((ask) => this.#missing(ask));
    const answers: (number | Stored<Table>[])[] = sent.length === 0 ? [] : await this.#tx.readAll(sent);
    let now = 0;
    for (const [i, ask] of sent.entries()) {
      const answer = answers[i];
      if (ask === 'now' || typeof answer !== 'object') now = Number(answer);
      else if ('where' in ask) this.#find(ask.table, ask.where, ask.options, answer);
      else this.#learnAll(ask, answer);
    }
    return asks.map((ask) => {
      if (ask === 'now') return now;
      if ('where' in ask) return this.#kept(ask.table, ask.where, ask.options) ?? [];
      return ask.keys.flatMap((key) => this.#known(ask.table, key)?.row ?? []);
    }) as Answers<A>;
  }

  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    const key = row as unknown as Key<T>;
    const known = this.#known(table, key);
    if (known?.row !== undefined) return false;
    if (known !== undefined && this.#exclusive.has(table)) {
      await this.append(table, row);
      return true;
    }
    this.#change(table, key);
    const inserted = await this.#tx.insert(table, row);
    if (inserted) this.#learn(table, key, row, true);
    else this.#rows.get(table)?.delete(keyText(table, key));
    return inserted;
  }

  async append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    this.#change(table, row as unknown as Key<T>);
    await this.#tx.append(table, row);
    // Rows of other tables are appended and never read by key, so they are not cached.
    if (this.#exclusive.has(table)) this.#learn(table, row as unknown as Key<T>, row, true);
  }

  async update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number> {
    const known = this.#known(table, key);
    this.#change(table, key);
    if (known === undefined) return this.#tx.update(table, key, expect, set);
    if (known.row === undefined || !matches(readable(known.row) as Rows[T], expect)) {
      // A retry after a failed guard must read the row as it is now, so the cached version is dropped.
      if (!known.locked && known.waiting === null) this.#rows.get(table)?.delete(keyText(table, key));
      return 0;
    }
    const before: object = known.waiting?.set ?? {};
    // mutant: image-relies
    const relied = Object.keys(expect).filter((column) => !Object.hasOwn(before, column));
    const waiting = this.#waiting.get(table) ?? new Set();
    this.#waiting.set(table, waiting.add(keyText(table, key)));
    this.#put({
      ...known,
      row: withSet(known.row, set),
      waiting: {
        expect: new Set([...(known.waiting?.expect ?? []), ...relied]),
        set: { ...before, ...set },
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
    this.#change(table, key);
    this.#rows.get(table)?.delete(keyText(table, key));
    return this.#tx.remove(table, key, expect);
  }

  /**
   * Writes everything that is pending. A Conflict, here or at the commit, means that a row is no longer as it
   * was when an answer relied on it.
   */
  flush(): Promise<void> {
    return this.#write([...this.#waiting.keys()]);
  }

  async #write(tables: readonly Table[]): Promise<void> {
    const waiting: Known[] = [];
    // Each table once, even if several reads of it follow.
    for (const table of new Set(tables)) {
      for (const key of this.#waiting.get(table) ?? []) {
        const known = this.#rows.get(table)?.get(key);
        if (known !== undefined) waiting.push(known);
      }
    }
    if (waiting.length === 0) return;
    // All transactions write rows in the same order, so that two that write the same rows do not deadlock.
    waiting.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
    const piece = this.#giveWay === undefined || waiting.length <= MANY ? waiting.length : PIECE;
    for (let i = 0; i < waiting.length; i += piece) {
      await this.#writeAll(waiting.slice(i, i + piece));
      await this.#giveWay?.();
    }
    for (const table of tables) this.#waiting.delete(table);
  }

  async #writeAll(waiting: readonly Known[]): Promise<void> {
    await this.#tx.updateOrFail(waiting.map(updateOf));
    for (const known of waiting) this.#put({ ...known, base: known.row, locked: true, waiting: null });
  }

  /** Notes a write, or an attempt of one: cached results of reads by predicate are dropped. */
  #change(table: Table, key: Key<Table>): void {
    this.#found.delete(table);
    if (table === this.#noted) this.#written.set(keyText(table, key), key);
  }

  #known(table: Table, key: Key<Table>): Known | undefined {
    return this.#rows.get(table)?.get(keyText(table, key));
  }

  /** The part of a read that is not cached; each key once, however often it is named. */
  #missing(ask: Ask): Ask[] {
    if (ask === 'now') return [ask];
    if ('where' in ask) return this.#kept(ask.table, ask.where, ask.options) === undefined ? [ask] : [];
    const { table, lock = false } = ask;
    const wanted = new Map<string, Key<Table>>();
    for (const key of ask.keys) {
      const known = this.#known(table, key);
      if (known === undefined || (lock && !known.locked)) wanted.set(keyText(table, key), key);
    }
    return wanted.size === 0 ? [] : [{ table, keys: [...wanted.values()], lock } as Ask];
  }

  #kept(table: Table, where: object, options: object = {}): readonly Stored<Table>[] | undefined {
    return this.#found.get(table)?.get(asked(where, options));
  }

  #learnAll({ table, keys, lock = false }: ByKeys<Table>, rows: readonly Stored<Table>[]): void {
    for (const key of keys)
      if (this.#known(table, key) === undefined) this.#learn(table, key, undefined, false);
    for (const row of rows) this.#see(table, row, lock);
  }

  #find(table: Table, where: object, options: object | undefined, rows: readonly Stored<Table>[]): void {
    const known = named(table, rows);
    for (const row of known) this.#see(table, row);
    const found = this.#found.get(table) ?? new Map<string, Stored<Table>[]>();
    found.set(asked(where, options), known);
    this.#found.set(table, found);
  }

  /** Replaces the cached version by a newer one; a locked row stays locked. */
  #see(table: Table, row: Stored<Table>, lock = false): void {
    const key = keyOf(table, row);
    if (key === undefined) return;
    this.#learn(table, key, row, lock || (this.#known(table, key)?.locked ?? false));
  }

  #learn(table: Table, key: Key<Table>, row: Stored<Table> | undefined, locked: boolean): void {
    this.#put({ table, key, base: row, row, locked, waiting: null });
  }

  #put(known: Known): void {
    const rows = this.#rows.get(known.table) ?? new Map<string, Known>();
    rows.set(keyText(known.table, known.key), known);
    this.#rows.set(known.table, rows);
  }
}

/** Rows without a readable key are left out for writers: they could only be taken for other rows (F56). */
const named = <T extends Table>(table: T, rows: readonly Stored<T>[]): Stored<T>[] =>
  rows.filter((row) => keyOf(table, row) !== undefined);

/**
 * The cache key of a read by predicate. An equal predicate in another order is another key, and is only read
 * again.
 */
const asked = (where: object, options: object = {}) => JSON.stringify([where, options]);

/** True of a read that must go to the database after the pending writes of its table. */
function isFresh(ask: Ask): ask is Exclude<Ask, 'now'> {
  return ask !== 'now' && ('where' in ask || ask.lock === true);
}

const rank = ({ table, key }: Known) => `${table} ${keyText(table, key)}`;

function updateOf({ table, key, base, waiting }: Known): Update {
  const was = readable(base) as Readonly<Record<string, unknown>>;
  const expect = Object.fromEntries([...(waiting?.expect ?? [])].map((column) => [column, was[column]]));
  const set = Object.fromEntries(
    Object.entries(waiting?.set ?? {}).filter(
      ([column]) => !(KEYS[table] as readonly string[]).includes(column),
    ),
  );
  return { table, key, expect, set } as Update;
}
