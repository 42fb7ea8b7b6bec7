import { Refusal } from '../contract/refusal.ts';
import type { Stored } from './broken-row.ts';
import type { Identity, Key, Rows, Table } from './schema.ts';

/**
 * The store's port. Guards are data: a conditional write says which row, what is expected of it and what to set,
 * and answers how many rows that was. SQL puts the expectation into the `WHERE`; the in-memory store interprets
 * it; the simulator and its mutants see every guard. Zero rows means the world has moved on: never assume.
 *
 * Isolation is READ COMMITTED with row locks, as PostgreSQL gives it and SQLite exceeds it: a statement sees what
 * was committed before it and what its own transaction wrote; a written row stays locked to the end.
 */
export interface Store {
  /** Runs `work` in one transaction: all of it or nothing. Deadlocks and lost races are retried, whole. */
  transact<T>(work: (tx: Tx) => Promise<T>, lane?: Lane): Promise<T>;
  /**
   * Reads one snapshot: a claim put together from two commits could pair an old observation with a new
   * liveness, and would be stronger than its evidence (S1).
   */
  read<T>(work: (tx: ReadTx) => Promise<T>, lane?: Lane): Promise<T>;
  /** A snapshot of which all is asked at once: a database may begin, answer and end it in one trip. See `lookIn`. */
  look?<const A extends readonly Ask[]>(asks: A, lane?: Lane): Promise<Answers<A>>;
  /** Why nothing can be written, from a write that found so until one is done: no room on its disk, or it takes none. */
  readonly unwritable?: NoRoom | ReadOnly | null;
}

export const lookIn = <const A extends readonly Ask[]>(store: Store, asks: A, lane?: Lane) =>
  store.look?.(asks, lane) ?? store.read((tx) => tx.readAll(asks), lane);

/**
 * A store whose database can be exchanged for another under a running process: by a failover, or by whoever
 * answers at its address. From `guard` on, every new connection must lead to the same database: the transactions
 * of one that does not fail as `Unavailable`, and `displaced` is called. `unguarded` reaches whatever is there.
 */
export interface Replaceable extends Store {
  readonly unguarded: Store;
  identity(): Promise<Identity | null>;
  guard(identity: Identity | null, displaced: () => void): void;
}

/** What says that somebody is alive never queues behind work: it has a connection of its own (F49). */
export type Lane = 'work' | 'liveness';

export interface ReadTx {
  /** The store's clock, the only one that decides receipt and leases. */
  now(): Promise<number>;
  get<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined>;
  select<T extends Table>(table: T, where: Expect<Rows[T]>, options?: Select<Rows[T]>): Promise<Stored<T>[]>;
  /**
   * Several reads, one after the other in this order, in as few round trips as the database allows: each sees what
   * was committed before it, as if it had been asked alone. Rows that are asked for by key come in any order.
   */
  readAll<const A extends readonly Ask[]>(asks: A): Promise<Answers<A>>;
}

/** Rows by their keys (locked, where one may write), rows as expected, or the clock at that point in the order. */
export type Ask = 'now' | { readonly [T in Table]: ByKeys<T> | ByExpectation<T> }[Table];

export interface ByKeys<T extends Table> {
  readonly table: T;
  readonly keys: readonly Key<T>[];
  readonly lock?: boolean;
}

export interface ByExpectation<T extends Table> {
  readonly table: T;
  readonly where: Expect<Rows[T]>;
  readonly options?: Select<Rows[T]>;
}

export type Answers<A extends readonly Ask[]> = { -readonly [I in keyof A]: Answered<A[I]> };
type Answered<A> = A extends 'now'
  ? number
  : A extends { readonly table: infer T extends Table }
    ? Stored<T>[]
    : never;

export interface Tx extends ReadTx {
  /** Reads a row and keeps it locked until the transaction ends. */
  lock<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined>;
  /** False if a row with that key is there already. */
  insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean>;
  /**
   * A row whose key is known to be new, because the caller holds the lock that hands such keys out. Nobody waits
   * for an answer, so a database may write many of them at once. A key that is there after all fails the commit.
   */
  append<T extends Table>(table: T, row: Rows[T]): Promise<void>;
  /** How many rows matched key and expectation: zero or one. */
  update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number>;
  /**
   * Conditional writes of different rows, of any tables, in as few round trips as the database allows; answers for
   * each how many rows matched. Here an expectation is equality alone: what the row was when it was read.
   */
  updateAll(updates: readonly Update[]): Promise<number[]>;
  /**
   * The same where all must match. Nobody waits for an answer: a database may send them with the commit, which is
   * then a Conflict if one did not.
   */
  updateOrFail(updates: readonly Update[]): Promise<void>;
  /**
   * Takes a row away if it is as expected; zero or one. Only retention does that, with what it has exported: a
   * position is never handed out again, whether or not its row is still there (S10).
   */
  remove<T extends Table>(table: T, key: Key<T>, expect: Expect<Rows[T]>): Promise<number>;
}

export type Update = { readonly [T in Table]: UpdateOf<T> }[Table];

export interface UpdateOf<T extends Table> {
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

/** What a row must look like: equality, or a comparison written as data. */
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

/** The transaction met another one and lost; running it again is safe. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/** The commit was sent and its fate is not known: never "failed", and safe to repeat with the same key (F03). */
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

/** The store can be read and takes no writes, as a standby does; nothing was done. Safe to repeat when it does (F48). */
export class ReadOnly extends Unavailable {
  override readonly name = 'ReadOnly';
}

/** Somebody else has held what this needs for longer than it may wait; nothing was done. */
export class Locked extends Unavailable {
  override readonly name = 'Locked';
}

/** More work waits than can be done in time; nothing was done. Safe to repeat, later. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
