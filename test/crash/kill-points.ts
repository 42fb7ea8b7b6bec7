import Database from 'libsql';
import pg from 'pg';
import type { Lane, ReadTx, Store, Tx } from '../../src/store/port.ts';
import { die } from './die.ts';

/** The points of a step's transaction at which a process is killed. */
export const POINTS = {
  before: 'before its first statement',
  between: 'after its first write, before the others',
  unsent: 'all is written, COMMIT is not sent',
  sent: 'COMMIT is sent, its answer is not received',
  committed: 'COMMIT has been answered, the caller has not',
  answered: 'the caller has its answer',
} as const;
export type Point = keyof typeof POINTS;

/** A store that calls a hook before its n-th transaction. */
export class HookedStore implements Store {
  readonly #store: Store;
  readonly #transaction: number;
  readonly #hook: () => void;
  #begun = 0;

  constructor(store: Store, transaction: number, hook: () => void) {
    this.#store = store;
    this.#transaction = transaction;
    this.#hook = hook;
  }

  transact<T>(work: (tx: Tx) => Promise<T>, lane?: Lane): Promise<T> {
    this.#begun += 1;
    if (this.#begun === this.#transaction) this.#hook();
    return this.#store.transact(work, lane);
  }

  read<T>(work: (tx: ReadTx) => Promise<T>, lane?: Lane): Promise<T> {
    return this.#store.read(work, lane);
  }
}

const WRITES = /^\s*(insert|update|delete|create|with changed)\b/i;
let killPoint: Point | null = null;

/**
 * From now on this process is killed at its next write or COMMIT, as the point says. `hookDrivers` wraps the database
 * drivers, so that the stores themselves run unchanged.
 */
export function setKillPoint(point: Point): void {
  if (point === 'before') die();
  killPoint = point;
}

export function hookDrivers(): void {
  hookPostgres();
  hookSqlite();
}

interface Query {
  statements?: { readonly text: string }[];
  callback?: (error: unknown) => void;
}

/** Statements are sent in one piece, COMMIT behind the last. Where the process dies at one of them, the rest is not sent. */
function hookPostgres(): void {
  const client = pg.Client.prototype as unknown as { query(batch: Query): unknown };
  const { query } = client;
  client.query = function (batch) {
    const { statements = [], callback } = batch;
    const commits = statements.some(({ text }) => text === 'COMMIT');
    if (killPoint === 'unsent' && commits)
      return sendAndDie(batch, (text) => text !== 'COMMIT', query.bind(this));
    if (killPoint === 'between' && statements.some(({ text }) => WRITES.test(text))) {
      const first = statements.findIndex(({ text }) => WRITES.test(text));
      return sendAndDie(batch, (_, i) => i <= first, query.bind(this));
    }
    if (killPoint === 'committed' && commits)
      batch.callback = (error) => {
        if (error === null) die();
        callback?.(error);
      };
    const answer = query.call(this, batch);
    // The driver hands the query to the kernel before it returns.
    if (killPoint === 'sent' && commits) die();
    return answer;
  };
}

/** Sends some of the statements, and kills this process when they are answered. */
function sendAndDie(
  batch: Query,
  isSent: (text: string, i: number) => boolean,
  query: (batch: Query) => unknown,
): unknown {
  batch.statements = (batch.statements ?? []).filter(({ text }, i) => isSent(text, i));
  batch.callback = die;
  return query(batch);
}

type Prepared = { run: (...values: unknown[]) => unknown };

function hookSqlite(): void {
  const database = Database.prototype as unknown as {
    exec(sql: string): unknown;
    prepare(sql: string): Prepared;
  };
  const { exec, prepare } = database;
  database.exec = function (sql) {
    if (killPoint === 'unsent' && sql === 'COMMIT') die();
    const done = exec.call(this, sql);
    if ((killPoint === 'committed' || killPoint === 'sent') && sql === 'COMMIT') die();
    return done;
  };
  database.prepare = function (sql) {
    const prepared = prepare.call(this, sql);
    const run = prepared.run.bind(prepared);
    prepared.run = (...values) => {
      const done = run(...values);
      if (killPoint === 'between' && WRITES.test(sql)) die();
      return done;
    };
    return prepared;
  };
}
