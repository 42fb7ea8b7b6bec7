import { Refusal } from '../contract/refusal.ts';
import type { Stored } from './broken-row.ts';
import type { RowCount } from './row-count.ts';
import type { Identity, Key, Rows, Table } from './schema.ts';

/**
 * The store's port. Guards are data: a conditional write names a row, the expectation it must match and the
 * columns to set, and answers how many rows matched. SQL puts the expectation into the `WHERE`; the in-memory
 * store interprets it; the simulator and its mutants observe every guard. Zero rows means that the row has
 * changed: never assume.
 *
 * Isolation is READ COMMITTED with row locks, as PostgreSQL gives it and SQLite exceeds it: a statement reads
 * rows that were committed before it and rows that its own transaction wrote; a written row stays locked to
 * the end. No rule needs a stricter level: what a verb decides on, it reads behind the lock of the org's head or
 * states as the guard of its write (F47).
 */
export interface Store {
  /**
   * Runs `work` in one transaction: all of it or nothing. After a deadlock or a lost race all of it runs
   * again.
   */
  transact<T>(work: (tx: Tx) => Promise<T>, lane?: Lane): Promise<T>;
  /**
   * Reads one snapshot: a claim put together from two commits could pair an old observation with a new
   * liveness, and would be stronger than its evidence (S1).
   */
  read<T>(work: (tx: ReadTx) => Promise<T>, lane?: Lane): Promise<T>;
  /**
   * Reads a snapshot whose reads are all named in advance, so that a database can begin, answer and end it in
   * one round trip. See `readSnapshotIn`.
   */
  readSnapshot?<const A extends readonly Read[]>(reads: A, lane?: Lane): Promise<Answers<A>>;
  /**
   * The reason that nothing can be written: the disk is full or the database is read-only. Set by the write
   * that found it, and cleared by a later write that succeeds.
   */
  readonly unwritable?: NoRoom | ReadOnly | null;
}

export const readSnapshotIn = <const A extends readonly Read[]>(store: Store, reads: A, lane?: Lane) =>
  store.readSnapshot?.(reads, lane) ?? store.read((tx) => tx.readAll(reads), lane);

/**
 * A store whose database can be replaced by another under a running process: by a failover, or by another
 * server that answers at its address. After `guard`, every new connection must lead to the same database:
 * transactions on one that does not fail as `Unavailable`, and `displaced` is called. `unguarded` reaches any
 * database that answers.
 */
export interface Replaceable extends Store {
  readonly unguarded: Store;
  identity(): Promise<Identity | null>;
  guard(identity: Identity | null, displaced: () => void): void;
}

/** A store that its owner closes. */
export interface ClosableStore extends Store {
  close(): Promise<void>;
}

/** Liveness never queues behind work: it has connections of its own (F49). */
export type Lane = 'work' | 'liveness';

export interface ReadTx {
  /** The store's clock, the only one that decides receipt and leases. */
  now(): Promise<number>;
  get<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined>;
  select<T extends Table>(table: T, where: Expect<Rows[T]>, options?: Select<Rows[T]>): Promise<Stored<T>[]>;
  /** Counts the rows that match by the values of columns that hold text, and decodes none of them. */
  tally<T extends Table>(
    table: T,
    by: readonly (keyof Rows[T] & string)[],
    where: Expect<Rows[T]>,
  ): Promise<readonly RowCount[]>;
  /**
   * Several reads, one after the other in this order, in as few round trips as the database allows: each
   * reads rows that were committed before it, as if it were sent alone. Rows that are read by key come in any
   * order.
   */
  readAll<const A extends readonly Read[]>(reads: A): Promise<Answers<A>>;
}

/**
 * A read: rows by their keys (locked, where one may write), rows that match an expectation, or the clock at
 * that point in the order.
 */
export type Read = 'now' | { readonly [T in Table]: ByKeys<T> | ByExpectation<T> }[Table];

export interface ByKeys<T extends Table> {
  readonly table: T;
  readonly keys: readonly Key<T>[];
  readonly lock?: boolean;
}

interface ByExpectation<T extends Table> {
  readonly table: T;
  readonly where: Expect<Rows[T]>;
  readonly options?: Select<Rows[T]>;
}

export type Answers<A extends readonly Read[]> = { -readonly [I in keyof A]: Answered<A[I]> };
type Answered<A> = A extends 'now'
  ? number
  : A extends { readonly table: infer T extends Table }
    ? Stored<T>[]
    : never;

export interface Tx extends ReadTx {
  /** Reads a row and keeps it locked until the transaction ends. */
  lock<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined>;
  /** False if a row with that key exists already. */
  insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean>;
  /**
   * Inserts a row whose key is new, because the caller holds the lock under which such keys are issued. It
   * has no answer, so a database may write many of them at once. A key that exists after all fails the
   * commit.
   */
  append<T extends Table>(table: T, row: Rows[T]): Promise<void>;
  /** Answers how many rows matched key and expectation: zero or one. */
  update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number>;
  /**
   * Conditional writes of different rows, of any tables, in as few round trips as the database allows;
   * answers for each how many rows matched. An expectation is equality alone here: the row as it was read.
   */
  updateAll(updates: readonly Update[]): Promise<number[]>;
  /**
   * The same where all must match. It has no answer: a database may send the writes with the commit, which is
   * a Conflict if one did not match.
   */
  updateOrFail(updates: readonly Update[]): Promise<void>;
  /**
   * Removes a row if it matches the expectation; answers zero or one. Only retention calls it, for rows that
   * it has exported: a position is never issued twice, even if its row is gone (S10).
   */
  remove<T extends Table>(table: T, key: Key<T>, expect: Expect<Rows[T]>): Promise<number>;
}

export type Update = { readonly [T in Table]: UpdateOf<T> }[Table];

interface UpdateOf<T extends Table> {
  readonly table: T;
  readonly key: Key<T>;
  readonly expect: Partial<Rows[T]>;
  readonly set: Partial<Rows[T]>;
}

export interface Select<Row> {
  readonly order?: (keyof Row & string) | readonly (keyof Row & string)[];
  readonly descending?: boolean;
  readonly limit?: number;
}

/** The expectation of a row: equality, or a comparison written as data. */
export type Expect<Row> = { readonly [C in keyof Row]?: Row[C] | Compare<Row[C]> };

export type Compare<V> =
  | { readonly op: 'lt' | 'lte' | 'gt' | 'gte'; readonly value: NonNullable<V> }
  | { readonly op: 'ne'; readonly value: V }
  | { readonly op: 'in'; readonly values: readonly V[] };

export const lt = <V>(value: V) => ({ op: 'lt', value: value as NonNullable<V> }) as const;
export const lte = <V>(value: V) => ({ op: 'lte', value: value as NonNullable<V> }) as const;
export const gt = <V>(value: V) => ({ op: 'gt', value: value as NonNullable<V> }) as const;
export const gte = <V>(value: V) => ({ op: 'gte', value: value as NonNullable<V> }) as const;
export const oneOf = <V>(...values: V[]) => ({ op: 'in', values }) as const;

/** The transaction lost a race with another one; running it again is safe. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/**
 * The commit was sent and its result is unknown: never "failed", and safe to repeat with the same key (F03).
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** The store cannot be reached, and nothing was done: safe to repeat. */
export class Unavailable extends Refusal {
  override readonly name: string = 'Unavailable';
}

/** There is no room on the store's disk, and nothing was done: safe to repeat when there is (F48). */
export class NoRoom extends Unavailable {
  override readonly name = 'NoRoom';
}

/**
 * The store can be read and accepts no writes, as a standby does; nothing was done. Safe to repeat when it
 * accepts them (F48).
 */
export class ReadOnly extends Unavailable {
  override readonly name = 'ReadOnly';
}

/** Another transaction has held a row for longer than this one may wait; nothing was done. */
export class Locked extends Unavailable {
  override readonly name = 'Locked';
}

/** More transactions wait than can be done in time; nothing was done. Safe to repeat, later. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
