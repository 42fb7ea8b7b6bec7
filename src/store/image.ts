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

/** A row as it is known here: what was read, what of that others rely on, and what waits to be written. */
interface Known {
  readonly table: Table;
  readonly key: Key<Table>;
  /** As the database had it; undefined: it is not there. */
  readonly base: Stored<Table> | undefined;
  /** With what was written since. */
  readonly row: Stored<Table> | undefined;
  readonly locked: boolean;
  /** Columns that were expected to be as they were read, and those that will be set. Null: nothing waits. */
  readonly waiting: { readonly expect: ReadonlySet<string>; readonly set: object } | null;
}

export interface ImageOptions {
  /** Tables that nobody else writes, because whoever does must first have a lock that is held here. */
  readonly exclusive?: ReadonlySet<Table>;
  /** A table of which it is to be known afterwards what was written. */
  readonly noted?: Table | null;
  /** Lets others have their turn between two pieces of a large write, if it is time to. */
  readonly giveWay?: (() => Promise<void> | undefined) | undefined;
}

/** More rows than many share a transaction for go out in pieces, where somebody else may want a turn. */
const MANY = 100;
const PIECE = 25;

/**
 * A transaction that asks the database once: rows that were read by key stay known, a conditional write of a known
 * row is answered here and goes out later, together with the others. When it goes out, what was expected must still
 * be as it was read; whoever was faster makes it a Conflict, and all of it is run again on fresh rows. So the answers
 * are those that the database would have given at the instant of the read, and nothing is written unless they hold.
 *
 * What is found by predicate comes from the database, after what waits for its table was written.
 */
export class Image implements Tx {
  readonly #tx: Tx;
  readonly #exclusive: ReadonlySet<Table>;
  readonly #rows = new Map<Table, Map<string, Known>>();
  /** Tables of which something waits to be written, and the keys of what does. */
  readonly #waiting = new Map<Table, Set<string>>();
  /** Rows of `noted` tables that were written here, by their keys. */
  readonly #written = new Map<string, Key<Table>>();
  readonly #noted: Table | null;
  readonly #giveWay: ImageOptions['giveWay'];
  /** Answers to reads by predicate that were asked for together; good until something writes their table. */
  readonly #found = new Map<Table, Map<string, Stored<Table>[]>>();

  constructor(tx: Tx, { exclusive = new Set(), noted = null, giveWay }: ImageOptions = {}) {
    this.#tx = tx;
    this.#exclusive = exclusive;
    this.#noted = noted;
    this.#giveWay = giveWay;
  }

  /** The keys of what was written here, of the table that is noted. */
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

  /** What is known already is not asked for again; what is asked for stays known, and so does what is not there. */
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
    // What is only ever appended nobody asks for by its key.
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
      // Whoever asks again wants to know what it is now.
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

  /** All that waits goes out. A Conflict, here or at the commit: a row is no longer what an answer here rested on. */
  flush(): Promise<void> {
    return this.#write([...this.#waiting.keys()]);
  }

  async #write(tables: readonly Table[]): Promise<void> {
    const waiting: Known[] = [];
    // Each table once, however many looks at it are to come.
    for (const table of new Set(tables)) {
      for (const key of this.#waiting.get(table) ?? []) {
        const known = this.#rows.get(table)?.get(key);
        if (known !== undefined) waiting.push(known);
      }
    }
    if (waiting.length === 0) return;
    // In one order for everybody, so that two who write the same rows do not wait for each other.
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

  /** A write, or the try of one: answers by predicate no longer hold, and who listens may want to look. */
  #change(table: Table, key: Key<Table>): void {
    this.#found.delete(table);
    if (table === this.#noted) this.#written.set(keyText(table, key), key);
  }

  #known(table: Table, key: Key<Table>): Known | undefined {
    return this.#rows.get(table)?.get(keyText(table, key));
  }

  /** What of it has to be asked; each key once, however often it is named. */
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

  /** Newer than what was known, and at least as locked. */
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

/** A row that nobody can name is not there for those who write: it could only be taken for another one (F56). */
const named = <T extends Table>(table: T, rows: readonly Stored<T>[]): Stored<T>[] =>
  rows.filter((row) => keyOf(table, row) !== undefined);

/** The same question in other words is another one, and then only asked again. */
const asked = (where: object, options: object = {}) => JSON.stringify([where, options]);

/** Must be read anew: what waits for its table has to be there first. */
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
