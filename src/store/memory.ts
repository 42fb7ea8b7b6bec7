import { compareValues, matches } from './match-row.ts';
import { type OpenTransaction, runWithRetries } from './open-transaction.ts';
import {
  type Answers,
  Conflict,
  type Expect,
  type Read,
  type ReadTx,
  type Select,
  type Store,
  type Tx,
  type Update,
} from './port.ts';
import { countRows, type RowCount } from './row-count.ts';
import { KEYS, type Key, keyText, type Rows, type Table } from './schema.ts';

/**
 * Points at which a host (the simulator) may pause, kill or cut a transaction: before every statement and
 * around the commit.
 */
export interface Seams {
  before(): Promise<void> | undefined;
  /** Called with the function that makes the commit durable; may call it and then throw. */
  commit(apply: () => void): Promise<void> | undefined;
  /** A transaction waits for a lock that another one holds. */
  wait(): { readonly promise: Promise<void>; wake(): void };
}

const NO_SEAMS: Seams = {
  before: () => undefined,
  commit(apply) {
    apply();
    return undefined;
  },
  wait() {
    let wake = () => {};
    const promise = new Promise<void>((resolve) => {
      wake = resolve;
    });
    return { promise, wake };
  },
};

type Tables = { [T in Table]: Map<string, Rows[T]> };

/**
 * The store in memory, with the semantics that the verbs rely on: READ COMMITTED, row locks held to the end,
 * unique keys, all or nothing; reads see one snapshot. It interprets guards exactly as SQL does.
 */
export class MemoryStore implements Store {
  readonly tables: Tables;
  readonly #locks: Locks;
  readonly #readers = new Set<MemorySnapshot>();
  readonly #clock: () => number;
  readonly #seams: Seams;
  readonly #turn: Map<string, Lock> | null;

  /** `serial`: one transaction after the other, in the order in which they began, as in SQLite. */
  constructor(clock: () => number, seams: Seams = NO_SEAMS, { serial = false } = {}) {
    this.#clock = clock;
    this.#seams = seams;
    this.#turn = serial ? new Map() : null;
    const tables = {} as Tables;
    for (const table of Object.keys(KEYS) as Table[]) tables[table] = new Map();
    this.tables = tables;
    this.#locks = Object.fromEntries(
      Object.keys(KEYS).map((table) => [table, new Map()]),
    ) as unknown as Locks;
  }

  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return runWithRetries(async () => {
      const open = this.begin();
      await open.turn();
      return open;
    }, work);
  }

  /**
   * A transaction that the caller commits or rolls back. In a serial store it may do nothing before its
   * `turn`.
   */
  begin(): MemoryTx {
    return new MemoryTx(this.tables, this.#locks, this.#turn, this.#readers, this.#clock, this.#seams);
  }

  async read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    const snapshot = new MemorySnapshot(this.tables, this.#clock);
    this.#readers.add(snapshot);
    try {
      return await work(snapshot);
    } finally {
      this.#readers.delete(snapshot);
    }
  }
}

/**
 * The rows that were committed when the read began: a commit leaves the rows it replaces behind for open
 * readers.
 */
class MemorySnapshot implements ReadTx {
  readonly #tables: Tables;
  readonly #clock: () => number;
  readonly #before = new Map<string, { readonly table: Table; readonly row: Rows[Table] | undefined }>();

  constructor(tables: Tables, clock: () => number) {
    this.#tables = tables;
    this.#clock = clock;
  }

  keep(table: Table, key: string, row: Rows[Table] | undefined): void {
    const name = `${table}|${key}`;
    if (!this.#before.has(name)) this.#before.set(name, { table, row });
  }

  async now(): Promise<number> {
    return this.#clock();
  }

  async get<T extends Table>(table: T, key: Key<T>): Promise<Rows[T] | undefined> {
    return this.#read(table, keyText(table, key));
  }

  async select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Rows[T][]> {
    const found: Rows[T][] = [];
    for (const key of this.#tables[table].keys()) {
      const row = this.#read(table, key);
      if (row !== undefined && matches(row, where)) found.push(row);
    }
    for (const [name, replaced] of this.#before) {
      if (replaced.table !== table || this.#tables[table].has(name.slice(table.length + 1))) continue;
      const row = replaced.row as Rows[T] | undefined;
      if (row !== undefined && matches(row, where)) found.push(row);
    }
    return sortedAndLimited(found, options);
  }

  async tally<T extends Table>(
    table: T,
    by: readonly (keyof Rows[T] & string)[],
    where: Expect<Rows[T]>,
  ): Promise<readonly RowCount[]> {
    return countRows(await this.select(table, where), by);
  }

  async readAll<const A extends readonly Read[]>(reads: A): Promise<Answers<A>> {
    const answers: unknown[] = [];
    for (const read of reads) {
      if (read === 'now') answers.push(this.#clock());
      else if ('where' in read)
        answers.push(await this.select<Table>(read.table, read.where, read.options as Select<Rows[Table]>));
      else answers.push(read.keys.flatMap((key) => this.#read(read.table, keyText(read.table, key)) ?? []));
    }
    return answers as Answers<A>;
  }

  #read<T extends Table>(table: T, key: string): Rows[T] | undefined {
    const replaced = this.#before.size === 0 ? undefined : this.#before.get(`${table}|${key}`);
    return (replaced === undefined ? this.#tables[table].get(key) : replaced.row) as Rows[T] | undefined;
  }
}

type Locks = { readonly [T in Table]: Map<string, Lock> };

/**
 * The lock of a row. It goes to the transaction that waited first: one that runs again after a deadlock must
 * not overtake.
 */
interface Lock {
  readonly among: Map<string, Lock>;
  readonly key: string;
  holder: MemoryTx;
  readonly waiting: { readonly tx: MemoryTx; wake(): void }[];
}

export class MemoryTx implements Tx, OpenTransaction {
  readonly tx = this;
  readonly #tables: Tables;
  readonly #locks: Locks;
  readonly #turn: Map<string, Lock> | null;
  readonly #readers: ReadonlySet<MemorySnapshot>;
  readonly #clock: () => number;
  readonly #seams: Seams;
  /**
   * The rows that this transaction wrote, per table, each under its lock and visible to it alone; null where
   * it removed one.
   */
  readonly #writes = new Map<Table, Map<string, Rows[Table] | null>>();
  readonly #held: Lock[] = [];
  #waitsFor: Lock | null = null;
  #over = false;
  #committed = false;

  constructor(
    tables: Tables,
    locks: Locks,
    turn: Map<string, Lock> | null,
    readers: ReadonlySet<MemorySnapshot>,
    clock: () => number,
    seams: Seams,
  ) {
    this.#tables = tables;
    this.#locks = locks;
    this.#turn = turn;
    this.#readers = readers;
    this.#clock = clock;
    this.#seams = seams;
  }

  /** True if the commit became durable, even if its caller got an error. */
  get committed(): boolean {
    return this.#committed;
  }

  /** In a serial store: waits until every transaction that began earlier has ended. */
  async turn(): Promise<void> {
    if (this.#turn === null) return;
    try {
      await this.#acquire(this.#turn, '');
    } catch (error) {
      // A transaction that dies in the queue leaves it, even if the turn was just handed to it.
      this.#end();
      throw error;
    }
  }

  async now(): Promise<number> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    return this.#clock();
  }

  async get<T extends Table>(table: T, key: Key<T>): Promise<Rows[T] | undefined> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    return this.#read(table, keyText(table, key));
  }

  async lock<T extends Table>(table: T, key: Key<T>): Promise<Rows[T] | undefined> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    const text = keyText(table, key);
    const wait = this.#acquire(this.#locks[table], text);
    if (wait !== undefined) await wait;
    return this.#read(table, text);
  }

  async select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Rows[T][]> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    const found: Rows[T][] = [];
    const own = this.#writes.get(table) as Map<string, Rows[T] | null> | undefined;
    for (const [key, committed] of this.#tables[table] as Map<string, Rows[T]>) {
      const written = own?.get(key);
      const row = written === undefined ? committed : written;
      if (row !== null && matches(row, where)) found.push(row);
    }
    for (const [key, row] of own ?? []) {
      if (row !== null && !this.#tables[table].has(key) && matches(row, where)) found.push(row);
    }
    return sortedAndLimited(found, options);
  }

  async tally<T extends Table>(
    table: T,
    by: readonly (keyof Rows[T] & string)[],
    where: Expect<Rows[T]>,
  ): Promise<readonly RowCount[]> {
    return countRows(await this.select(table, where), by);
  }

  /**
   * Each read is a statement of its own: in a database, commits of others may come between the reads of one
   * round trip too.
   */
  async readAll<const A extends readonly Read[]>(reads: A): Promise<Answers<A>> {
    const answers: unknown[] = [];
    for (const read of reads) {
      if (read === 'now') answers.push(await this.now());
      else if ('where' in read)
        answers.push(await this.select<Table>(read.table, read.where, read.options as Select<Rows[Table]>));
      else if (read.keys.length === 0) answers.push([]);
      else answers.push(await this.#byKeys(read.table, read.keys, read.lock ?? false));
    }
    return answers as Answers<A>;
  }

  async #byKeys(table: Table, keys: readonly Key<Table>[], lock: boolean): Promise<Rows[Table][]> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    const found: Rows[Table][] = [];
    for (const key of keys) {
      const text = keyText(table, key);
      const wait = lock ? this.#acquire(this.#locks[table], text) : undefined;
      if (wait !== undefined) await wait;
      const row = this.#read(table, text);
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    const key = keyText(table, row as unknown as Key<T>);
    const wait = this.#acquire(this.#locks[table], key);
    if (wait !== undefined) await wait;
    if (this.#read(table, key) !== undefined) return false;
    this.#write(table, key, row);
    return true;
  }

  async append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    if (!(await this.insert(table, row))) throw new Error(`${table} has this row already`);
  }

  async update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    const text = keyText(table, key);
    const wait = this.#acquire(this.#locks[table], text);
    if (wait !== undefined) await wait;
    const row = this.#read(table, text);
    if (row === undefined || !matches(row, expect)) return 0;
    this.#write(table, text, { ...row, ...set });
    return 1;
  }

  async updateAll(updates: readonly Update[]): Promise<number[]> {
    requireDifferent(updates);
    const matched: number[] = [];
    for (const { table, key, expect, set } of updates)
      matched.push(await this.update<Table>(table, key, expect as Expect<Rows[Table]>, set));
    return matched;
  }

  async updateOrFail(updates: readonly Update[]): Promise<void> {
    requireDifferent(updates);
    for (const { table, key, expect, set } of updates)
      if ((await this.update<Table>(table, key, expect as Expect<Rows[Table]>, set)) === 0)
        throw new Conflict(`${table} ${keyText(table, key)} is no longer as it was read`);
  }

  async remove<T extends Table>(table: T, key: Key<T>, expect: Expect<Rows[T]>): Promise<number> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    const text = keyText(table, key);
    const wait = this.#acquire(this.#locks[table], text);
    if (wait !== undefined) await wait;
    const row = this.#read(table, text);
    if (row === undefined || !matches(row, expect)) return 0;
    this.#write(table, text, null);
    return 1;
  }

  async commit(): Promise<void> {
    if (this.#writes.size === 0) return this.#apply();
    try {
      const sent = this.#seams.commit(() => this.#apply());
      if (sent !== undefined) await sent;
    } finally {
      this.#end();
    }
  }

  async rollback(): Promise<void> {
    this.#writes.clear();
    this.#end();
  }

  #apply(): void {
    if (this.#over) return;
    for (const [table, written] of this.#writes) {
      const rows = this.#tables[table] as Map<string, Rows[Table]>;
      for (const [key, row] of written) {
        for (const reader of this.#readers) reader.keep(table, key, rows.get(key));
        if (row === null) rows.delete(key);
        else rows.set(key, row);
      }
    }
    this.#committed = true;
    this.#end();
  }

  #write(table: Table, key: string, row: Rows[Table] | null): void {
    const written = this.#writes.get(table);
    if (written === undefined) this.#writes.set(table, new Map([[key, row]]));
    else written.set(key, row);
  }

  #read<T extends Table>(table: T, key: string): Rows[T] | undefined {
    const own = this.#writes.get(table)?.get(key);
    if (own === null) return undefined;
    return (own ?? this.#tables[table].get(key)) as Rows[T] | undefined;
  }

  /** Takes the row's lock; returns a promise only if another transaction holds it. */
  #acquire(among: Map<string, Lock>, key: string): Promise<void> | undefined {
    const lock = among.get(key);
    if (lock !== undefined) return lock.holder === this ? undefined : this.#queue(lock);
    const taken: Lock = { among, key, holder: this, waiting: [] };
    among.set(key, taken);
    this.#held.push(taken);
    return undefined;
  }

  async #queue(lock: Lock): Promise<void> {
    if (lock.holder.#reaches(this)) throw new Conflict('deadlock');
    const { promise, wake } = this.#seams.wait();
    lock.waiting.push({ tx: this, wake });
    this.#waitsFor = lock;
    await promise;
  }

  #reaches(other: MemoryTx): boolean {
    for (let tx: MemoryTx | null = this; tx !== null; tx = tx.#waitsFor?.holder ?? null)
      if (tx === other) return true;
    return false;
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#waitsFor = null;
    for (const lock of this.#held) this.#handOver(lock);
  }

  /** Gives the lock to the next transaction in the queue that is still alive. */
  #handOver(lock: Lock): void {
    let next = lock.waiting.shift();
    for (; next !== undefined; next = lock.waiting.shift()) if (!next.tx.#over) break;
    if (next === undefined) {
      lock.among.delete(lock.key);
      return;
    }
    lock.holder = next.tx;
    next.tx.#waitsFor = null;
    next.tx.#held.push(lock);
    next.wake();
  }
}

function sortedAndLimited<Row>(found: Row[], { order, descending, limit }: Select<Row>): Row[] {
  if (order !== undefined) {
    const sign = descending ? -1 : 1;
    const columns = [order].flat() as (keyof Row)[];
    found.sort((a, b) => {
      for (const column of columns) {
        const compared = compareValues(a[column], b[column]);
        if (compared !== 0) return sign * compared;
      }
      return 0;
    });
  }
  return limit === undefined ? found : found.slice(0, limit);
}

/**
 * Refuses two updates of one row, as the port does: a database that writes them in one statement writes a row
 * once (seed 141032).
 */
function requireDifferent(updates: readonly Update[]): void {
  const rows = new Set(updates.map(({ table, key }) => `${table} ${keyText(table, key)}`));
  if (rows.size !== updates.length) throw new Error('updates of one call name a row twice');
}
