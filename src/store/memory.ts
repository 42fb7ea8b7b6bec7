import { compareValues, matches } from './expect.ts';
import { Conflict, type Expect, type ReadTx, type Select, type Store, type Tx } from './port.ts';
import { KEYS, type Key, type Rows, type Table } from './schema.ts';

const RETRIES = 5;

/** Where a host (the simulator) may pause, kill or cut a transaction: before every statement and around the commit. */
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
  readonly #locks = new Map<string, Lock>();
  readonly #readers = new Set<Snapshot>();
  readonly #clock: () => number;
  readonly #seams: Seams;

  constructor(clock: () => number, seams: Seams = NO_SEAMS) {
    this.#clock = clock;
    this.#seams = seams;
    const tables = {} as Tables;
    for (const table of Object.keys(KEYS) as Table[]) tables[table] = new Map();
    this.tables = tables;
  }

  async transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const tx = new MemoryTx(this.tables, this.#locks, this.#readers, this.#clock, this.#seams);
      try {
        const result = await work(tx);
        await tx.commit();
        return result;
      } catch (error) {
        tx.rollback();
        if (!(error instanceof Conflict) || attempt >= RETRIES) throw error;
      }
    }
  }

  async read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    const snapshot = new Snapshot(this.tables, this.#clock);
    this.#readers.add(snapshot);
    try {
      return await work(snapshot);
    } finally {
      this.#readers.delete(snapshot);
    }
  }
}

/** What was committed when the read began: a commit leaves the rows it replaces behind for open readers. */
class Snapshot implements ReadTx {
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
    return arranged(found, options);
  }

  #read<T extends Table>(table: T, key: string): Rows[T] | undefined {
    const kept = this.#before.size === 0 ? undefined : this.#before.get(`${table}|${key}`);
    return (kept === undefined ? this.#tables[table].get(key) : kept.row) as Rows[T] | undefined;
  }
}

interface Lock {
  readonly holder: MemoryTx;
  readonly waiting: (() => void)[];
}

class MemoryTx implements Tx {
  readonly #tables: Tables;
  readonly #locks: Map<string, Lock>;
  readonly #readers: ReadonlySet<Snapshot>;
  readonly #clock: () => number;
  readonly #seams: Seams;
  readonly #writes = new Map<
    string,
    { readonly table: Table; readonly key: string; readonly row: Rows[Table] }
  >();
  readonly #held = new Set<string>();
  #waitsFor: MemoryTx | null = null;
  #over = false;

  constructor(
    tables: Tables,
    locks: Map<string, Lock>,
    readers: ReadonlySet<Snapshot>,
    clock: () => number,
    seams: Seams,
  ) {
    this.#tables = tables;
    this.#locks = locks;
    this.#readers = readers;
    this.#clock = clock;
    this.#seams = seams;
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
    const wait = this.#acquire(`${table}|${text}`);
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
    for (const [key, committed] of this.#tables[table] as Map<string, Rows[T]>) {
      const row = this.#writes.size === 0 ? committed : (this.#read(table, key) ?? committed);
      if (matches(row, where)) found.push(row);
    }
    for (const write of this.#writes.values()) {
      if (write.table !== table || this.#tables[table].has(write.key)) continue;
      const row = write.row as Rows[T];
      if (matches(row, where)) found.push(row);
    }
    return arranged(found, options);
  }

  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    const held = this.#seams.before();
    if (held !== undefined) await held;
    const key = keyText(table, row as unknown as Key<T>);
    const wait = this.#acquire(`${table}|${key}`);
    if (wait !== undefined) await wait;
    if (this.#read(table, key) !== undefined) return false;
    this.#writes.set(`${table}|${key}`, { table, key, row });
    return true;
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
    const wait = this.#acquire(`${table}|${text}`);
    if (wait !== undefined) await wait;
    const row = this.#read(table, text);
    if (row === undefined || !matches(row, expect)) return 0;
    this.#writes.set(`${table}|${text}`, { table, key: text, row: { ...row, ...set } });
    return 1;
  }

  async commit(): Promise<void> {
    if (this.#writes.size === 0) return this.#end();
    const sent = this.#seams.commit(() => this.#apply());
    if (sent !== undefined) await sent;
  }

  rollback(): void {
    this.#writes.clear();
    this.#end();
  }

  #apply(): void {
    if (this.#over) return;
    for (const { table, key, row } of this.#writes.values()) {
      const rows = this.#tables[table] as Map<string, Rows[Table]>;
      for (const reader of this.#readers) reader.keep(table, key, rows.get(key));
      rows.set(key, row);
    }
    this.#end();
  }

  #read<T extends Table>(table: T, key: string): Rows[T] | undefined {
    if (this.#writes.size > 0) {
      const own = this.#writes.get(`${table}|${key}`);
      if (own !== undefined) return own.row as Rows[T];
    }
    return this.#tables[table].get(key) as Rows[T] | undefined;
  }

  /** Takes the row's lock; a promise only if somebody else has it. */
  #acquire(name: string): Promise<void> | undefined {
    if (this.#held.has(name)) return undefined;
    if (this.#locks.has(name)) return this.#queue(name);
    this.#locks.set(name, { holder: this, waiting: [] });
    this.#held.add(name);
    return undefined;
  }

  async #queue(name: string): Promise<void> {
    for (let lock = this.#locks.get(name); lock !== undefined; lock = this.#locks.get(name)) {
      if (lock.holder.#reaches(this)) throw new Conflict('deadlock');
      const { promise, wake } = this.#seams.wait();
      lock.waiting.push(wake);
      this.#waitsFor = lock.holder;
      await promise;
      this.#waitsFor = null;
    }
    this.#locks.set(name, { holder: this, waiting: [] });
    this.#held.add(name);
  }

  #reaches(other: MemoryTx): boolean {
    for (let tx: MemoryTx | null = this; tx !== null; tx = tx.#waitsFor) if (tx === other) return true;
    return false;
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    for (const name of this.#held) {
      const lock = this.#locks.get(name);
      this.#locks.delete(name);
      for (const wake of lock?.waiting ?? []) wake();
    }
    this.#held.clear();
  }
}

function arranged<Row>(found: Row[], { order, descending, limit }: Select<Row>): Row[] {
  if (order !== undefined) {
    const sign = descending ? -1 : 1;
    found.sort((a, b) => sign * compareValues(a[order], b[order]));
  }
  return limit === undefined ? found : found.slice(0, limit);
}

function keyText<T extends Table>(table: T, key: Key<T>): string {
  const columns = KEYS[table] as readonly string[];
  const values = key as Record<string, unknown>;
  let text = String(values[columns[0] as string]);
  for (let i = 1; i < columns.length; i++) text += `|${values[columns[i] as string]}`;
  return text;
}
