import Database from 'libsql';
import pg from 'pg';
import type { Lane, ReadTx, Store, Tx } from '../../src/store/port.ts';
import { die } from './die.ts';

/** Where a process dies in the transaction that is the step. */
export const POINTS = {
  before: 'before its first statement',
  between: 'after its first write, before the others',
  unsent: 'all is written, COMMIT is not sent',
  sent: 'COMMIT is sent, its answer never seen',
  committed: 'COMMIT has been answered, the caller has not',
  answered: 'the caller has its answer',
} as const;
export type Point = keyof typeof POINTS;

/** A store whose n-th transaction is its last. */
export class Doomed implements Store {
  readonly #store: Store;
  readonly #transaction: number;
  readonly #come: () => void;
  #seen = 0;

  /** `come` is called when that transaction is about to begin. */
  constructor(store: Store, transaction: number, come: () => void) {
    this.#store = store;
    this.#transaction = transaction;
    this.#come = come;
  }

  transact<T>(work: (tx: Tx) => Promise<T>, lane?: Lane): Promise<T> {
    this.#seen += 1;
    if (this.#seen === this.#transaction) this.#come();
    return this.#store.transact(work, lane);
  }

  read<T>(work: (tx: ReadTx) => Promise<T>, lane?: Lane): Promise<T> {
    return this.#store.read(work, lane);
  }
}

const WRITES = /^\s*(insert|update|delete|create|with changed)\b/i;
let armed: Point | null = null;

/**
 * From now on the next write, or COMMIT, is the last thing this process does. The stores themselves know nothing of
 * it: below the port it is their drivers that are listened to.
 */
export function arm(point: Point): void {
  if (point === 'before') die();
  armed = point;
}

export function listenToDrivers(): void {
  listenToPostgres();
  listenToSqlite();
}

interface Sent {
  statements?: { readonly text: string }[];
  callback?: (error: unknown) => void;
}

/** Statements go out in one piece, the COMMIT behind the last of them; where one of them is the end, the rest is not sent. */
function listenToPostgres(): void {
  const client = pg.Client.prototype as unknown as { query(sent: Sent): unknown };
  const { query } = client;
  client.query = function (sent) {
    const { statements = [], callback } = sent;
    const commits = statements.some(({ text }) => text === 'COMMIT');
    if (armed === 'unsent' && commits) return lastOf(sent, (text) => text !== 'COMMIT', query.bind(this));
    if (armed === 'between' && statements.some(({ text }) => WRITES.test(text))) {
      const first = statements.findIndex(({ text }) => WRITES.test(text));
      return lastOf(sent, (_, i) => i <= first, query.bind(this));
    }
    if (armed === 'committed' && commits)
      sent.callback = (error) => {
        if (error === null) die();
        callback?.(error);
      };
    const answer = query.call(this, sent);
    // The driver hands what it is given to the kernel before it returns.
    if (armed === 'sent' && commits) die();
    return answer;
  };
}

/** Some of what is sent, and death when that is answered. */
function lastOf(
  sent: Sent,
  isSent: (text: string, i: number) => boolean,
  query: (sent: Sent) => unknown,
): unknown {
  sent.statements = (sent.statements ?? []).filter(({ text }, i) => isSent(text, i));
  sent.callback = die;
  return query(sent);
}

type Prepared = { run: (...values: unknown[]) => unknown };

function listenToSqlite(): void {
  const database = Database.prototype as unknown as {
    exec(sql: string): unknown;
    prepare(sql: string): Prepared;
  };
  const { exec, prepare } = database;
  database.exec = function (sql) {
    if (armed === 'unsent' && sql === 'COMMIT') die();
    const done = exec.call(this, sql);
    if ((armed === 'committed' || armed === 'sent') && sql === 'COMMIT') die();
    return done;
  };
  database.prepare = function (sql) {
    const prepared = prepare.call(this, sql);
    const run = prepared.run.bind(prepared);
    prepared.run = (...values) => {
      const done = run(...values);
      if (armed === 'between' && WRITES.test(sql)) die();
      return done;
    };
    return prepared;
  };
}
