import { matcher, matches, sortedAndLimited } from './match-row.ts';
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
    return runWithRetries(() => {
      const open = this.begin();
      return open.turn()?.then(() => open) ?? open;
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
    return this.#select(table, where, options);
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
        answers.push(this.#select<Table>(read.table, read.where, read.options as Select<Rows[Table]>));
      else answers.push(read.keys.flatMap((key) => this.#read(read.table, keyText(read.table, key)) ?? []));
    }
    return answers as Answers<A>;
  }

  #select<T extends Table>(table: T, where: Expect<Rows[T]>, options: Select<Rows[T]> = {}): Rows[T][] {
    const found: Rows[T][] = [];
    const isWanted = matcher(table, where);
    for (const key of this.#tables[table].keys()) {
      const row = this.#read(table, key);
      if (row !== undefined && isWanted(row)) found.push(row);
    }
    for (const [name, replaced] of this.#before) {
      if (replaced.table !== table || this.#tables[table].has(name.slice(table.length + 1))) continue;
      const row = replaced.row as Rows[T] | undefined;
      if (row !== undefined && isWanted(row)) found.push(row);
    }
    return sortedAndLimited(table, found, options);
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
  turn(): Promise<void> | undefined {
    return this.#turn === null
      ? undefined
      : this.#acquire(this.#turn, '')?.catch((error: unknown) => {
          // A transaction that dies in the queue leaves it, even if the turn was just handed to it.
          this.#end();
          throw error;
        });
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
    const text = keyText(table, key);
    const wait = this.#reach(table, text);
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
    return this.#select(table, where, options);
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
      const isEmpty = read !== 'now' && 'keys' in read && read.keys.length === 0;
      const held = isEmpty ? undefined : this.#seams.before();
      if (held !== undefined) await held;
      if (read === 'now') answers.push(this.#clock());
      else if ('where' in read)
        answers.push(this.#select<Table>(read.table, read.where, read.options as Select<Rows[Table]>));
      else {
        const texts = read.keys.map((key) => keyText(read.table, key));
        const wait = read.lock ? this.#acquireAll(read.table, texts) : undefined;
        if (wait !== undefined) await wait;
        answers.push(texts.flatMap((text) => this.#read(read.table, text) ?? []));
      }
    }
    return answers as Answers<A>;
  }

  #select<T extends Table>(table: T, where: Expect<Rows[T]>, options: Select<Rows[T]> = {}): Rows[T][] {
    const found: Rows[T][] = [];
    const isWanted = matcher(table, where);
    const own = this.#writes.get(table) as Map<string, Rows[T] | null> | undefined;
    for (const [key, committed] of this.#tables[table] as Map<string, Rows[T]>) {
      const written = own?.get(key);
      const row = written === undefined ? committed : written;
      if (row !== null && isWanted(row)) found.push(row);
    }
    for (const [key, row] of own ?? []) {
      if (row !== null && !this.#tables[table].has(key) && isWanted(row)) found.push(row);
    }
    return sortedAndLimited(table, found, options);
  }

  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    const key = keyText(table, row as unknown as Key<T>);
    const wait = this.#reach(table, key);
    if (wait !== undefined) await wait;
    return this.#insert(table, key, row);
  }

  async append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    const key = keyText(table, row as unknown as Key<T>);
    const wait = this.#reach(table, key);
    if (wait !== undefined) await wait;
    if (!this.#insert(table, key, row)) throw new Error(`${table} has this row already`);
  }

  async update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number> {
    const text = keyText(table, key);
    const wait = this.#reach(table, text);
    if (wait !== undefined) await wait;
    return this.#update(table, text, expect, set);
  }

  async updateAll(updates: readonly Update[]): Promise<number[]> {
    const texts = keysOfDifferentRows(updates);
    const matched: number[] = [];
    for (const [i, { table, expect, set }] of updates.entries()) {
      const text = texts[i] as string;
      const wait = this.#reach(table, text);
      if (wait !== undefined) await wait;
      matched.push(this.#update<Table>(table, text, expect as Expect<Rows[Table]>, set));
    }
    return matched;
  }

  async updateOrFail(updates: readonly Update[]): Promise<void> {
    const texts = keysOfDifferentRows(updates);
    for (const [i, { table, expect, set }] of updates.entries()) {
      const text = texts[i] as string;
      const wait = this.#reach(table, text);
      if (wait !== undefined) await wait;
      if (this.#update<Table>(table, text, expect as Expect<Rows[Table]>, set) === 0)
        throw new Conflict(`${table} ${text} is no longer as it was read`);
    }
  }

  async remove<T extends Table>(table: T, key: Key<T>, expect: Expect<Rows[T]>): Promise<number> {
    const text = keyText(table, key);
    const wait = this.#reach(table, text);
    if (wait !== undefined) await wait;
    const row = this.#read(table, text);
    if (row === undefined || !matches(table, row, expect)) return 0;
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

  #insert<T extends Table>(table: T, key: string, row: Rows[T]): boolean {
    if (this.#read(table, key) !== undefined) return false;
    this.#write(table, key, row);
    return true;
  }

  #update<T extends Table>(table: T, key: string, expect: Expect<Rows[T]>, set: Partial<Rows[T]>): number {
    const row = this.#read(table, key);
    if (row === undefined || !matches(table, row, expect)) return 0;
    this.#write(table, key, { ...row, ...set });
    return 1;
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

  /** Passes the seam before a statement, and takes its row's lock; returns a promise only if one of them holds it up. */
  #reach(table: Table, key: string): Promise<void> | undefined {
    const held = this.#seams.before();
    if (held === undefined) return this.#acquire(this.#locks[table], key);
    return held.then(() => this.#acquire(this.#locks[table], key));
  }

  /** Takes the rows' locks one after the other; returns a promise only if another transaction holds one of them. */
  #acquireAll(table: Table, keys: readonly string[], from = 0): Promise<void> | undefined {
    for (const [i, key] of keys.entries()) {
      const wait = i < from ? undefined : this.#acquire(this.#locks[table], key);
      if (wait !== undefined) return wait.then(() => this.#acquireAll(table, keys, i + 1));
    }
    return undefined;
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

/**
 * The keys of the rows to update. Refuses two updates of one row, as the port does: a database that writes them in one
 * statement writes a row once (seed 141032).
 */
function keysOfDifferentRows(updates: readonly Update[]): readonly string[] {
  const texts = updates.map(({ table, key }) => keyText(table, key));
  const rows = new Set(updates.map(({ table }, i) => `${table} ${texts[i]}`));
  if (rows.size !== updates.length) throw new Error('updates of one call name a row twice');
  return texts;
}
