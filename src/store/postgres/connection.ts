import type { Socket } from 'node:net';
import type pg from 'pg';
import type { ColumnKind } from '../columns.ts';
import { Conflict, Locked, NoRoom, ReadOnly, Unavailable } from '../port.ts';
import type { ChangeShape, Column, DatabaseSession, Value } from '../sql/dialect.ts';
import {
  changeAllText,
  changedColumns,
  changeSomeText,
  findText,
  insertText,
  placedColumns,
  rowEachText,
} from './array-statements.ts';
import { type Bound, type PendingStatement, StatementBatch, type StatementResult } from './batch.ts';
import type { BoundArray } from './binary-array.ts';

const byColumn = (columns: readonly Column[], rows: readonly (readonly Value[])[]): BoundArray[] =>
  columns.map(({ kind }, i) => ({ kind, values: rows.map((row) => row[i] ?? null) }));

/** A database that has not answered for this long counts as unavailable. */
export const ANSWER_MS = 10_000;

/**
 * One connection inside a transaction. Statements are sent in the order of the calls, and all calls of one
 * turn of the event loop share one round trip.
 */
export class PostgresConnection implements DatabaseSession {
  readonly #client: pg.ClientBase;
  readonly #answerMs: number;
  #begin: string | null;
  /** Statements that are not sent yet. */
  #waiting: PendingStatement[] = [];
  #underWay = false;
  #unanswered = false;
  /** The error of the first statement that failed. The database refuses all that follow, and says no more of it. */
  #failure: unknown = null;

  /** `begin` is sent with the first statement: a transaction without statements costs no round trip. */
  constructor(client: pg.ClientBase, begin: string | null = null, answerMs = ANSWER_MS) {
    this.#client = client;
    this.#begin = begin;
    this.#answerMs = answerMs;
  }

  /** True if there is something to commit or to roll back. */
  get begun(): boolean {
    return this.#begin === null;
  }

  /** True if a statement timed out without an answer. */
  get unanswered(): boolean {
    return this.#unanswered;
  }

  async rows(sql: string, values: readonly Bound[]): Promise<readonly (readonly unknown[])[]> {
    return (await this.#query(sql, values)).rows;
  }

  async row(sql: string, values: readonly Value[]): Promise<readonly unknown[] | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  /** All lists of values are bound as arrays: thousands of statements would each be bound and answered by themselves. */
  async rowEach(
    sql: string,
    kinds: readonly ColumnKind[],
    values: readonly (readonly Value[])[],
  ): Promise<readonly (readonly unknown[] | undefined)[]> {
    const columns = kinds.map((kind, i) => ({ name: `c${i}`, kind }));
    const text = rowEachText(sql, columns);
    const answers: (readonly unknown[] | undefined)[] = values.map(() => undefined);
    for (const [ordinal, ...row] of await this.rows(text, byColumn(columns, values)))
      answers[Number(ordinal) - 1] = row;
    return answers;
  }

  async run(sql: string, values: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).count;
  }

  async append(
    table: string,
    columns: readonly Column[],
    rows: readonly (readonly Value[])[],
  ): Promise<void> {
    await this.#query(insertText(table, columns), byColumn(columns, rows));
  }

  async find(
    table: string,
    columns: readonly string[],
    key: readonly Column[],
    keys: readonly (readonly Value[])[],
    lock: boolean,
  ): Promise<readonly (readonly unknown[])[]> {
    return (await this.#query(findText(table, columns, key, lock), byColumn(key, keys))).rows;
  }

  async change(
    table: string,
    shape: ChangeShape,
    rows: readonly (readonly Value[])[],
  ): Promise<readonly number[]> {
    const placed = rows.map((row, i) => [...row, i]);
    const matched = await this.#query(changeSomeText(table, shape), byColumn(placedColumns(shape), placed));
    const answers = rows.map(() => 0);
    for (const [i] of matched.rows) answers[Number(i)] = 1;
    return answers;
  }

  /**
   * The statement fails if one row does not match, and with it everything that is sent behind it, such as a
   * COMMIT.
   */
  async changeAll(table: string, shape: ChangeShape, rows: readonly (readonly Value[])[]): Promise<void> {
    try {
      await this.#query(changeAllText(table, shape), byColumn(changedColumns(shape), rows));
    } catch (error) {
      if (codeOf(error) !== DIVIDED_BY_ZERO) throw error;
      const conflict = new Conflict(`a row of ${table} is no longer as it was read`, { cause: error });
      if (this.#failure === error) this.#failure = conflict;
      throw conflict;
    }
  }

  /** Sends a statement about the transaction itself, such as COMMIT. */
  control(text: string): Promise<StatementResult> {
    return this.#enqueue(text, []);
  }

  async #query(text: string, values: readonly Bound[]): Promise<StatementResult> {
    try {
      return await this.#enqueue(text, values);
    } catch (error) {
      if (codeOf(error) === IN_FAILED_TRANSACTION && this.#failure !== null) throw this.#failure;
      const found = portError(error);
      this.#failure ??= found;
      throw found;
    }
  }

  #enqueue(text: string, values: readonly Bound[]): Promise<StatementResult> {
    const begin = this.#begin;
    this.#begin = null;
    if (begin !== null) void this.#enqueue(begin, []).catch(() => {});
    if (this.#waiting.length === 0) process.nextTick(() => this.send());
    return new Promise((answer, fail) => this.#waiting.push({ text, values, answer, fail }));
  }

  send(): void {
    if (this.#underWay || this.#waiting.length === 0) return;
    this.#underWay = true;
    const statements = this.#waiting;
    this.#waiting = [];
    const over = (error: unknown) => {
      this.#underWay = false;
      if (isUnanswered(error)) this.#unanswered = true;
      this.send();
    };
    this.#client.query(new StatementBatch(statements, this.#answerMs, over));
  }
}

/**
 * A query with a time limit. A query that passes it ends its connection, and with it every other query there.
 */
export const queryWithTimeLimit = (text: string, answerMs: number) => ({ text, query_timeout: answerMs });

/** Destroys the socket, so that a hanging database does not delay the end of this process. */
export function destroySocket(client: pg.ClientBase): void {
  const { connection } = client as { connection?: { stream?: Socket } };
  connection?.stream?.destroy();
}

const DIVIDED_BY_ZERO = '22012';
const IN_FAILED_TRANSACTION = '25P02';
const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code ?? '');

/**
 * The driver's error as an error of the port. A deadlock or a lost race can be run again; a lock that was not
 * acquired, or a connection that was lost before the commit, did nothing.
 */
export function portError(error: unknown): unknown {
  const code = codeOf(error);
  if (code === '40P01' || code === '40001') return new Conflict('lost a race', { cause: error });
  if (code === '55P03')
    return new Locked('Somebody else holds a row of the database that this needs.', { cause: error });
  if (code === '25006')
    return new ReadOnly('The database takes no writes: it is a standby, or read-only.', { cause: error });
  if (code === '53100') return new NoRoom('The disk of the database is full.', { cause: error });
  if (isUnanswered(error)) return new Unavailable(UNANSWERED, { cause: error });
  if (isConnectionLost(error)) return new Unavailable('The database cannot be reached.', { cause: error });
  return error;
}

export const UNANSWERED = 'The database does not answer.';
const LOST = /^(08|57P|53|25P03)|^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/;

/**
 * True if the connection is gone (25P03: it was idle in a transaction for too long), or the server has no
 * room or is shutting down.
 */
export function isConnectionLost(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (LOST.test(String(code ?? ''))) return true;
  return (
    isUnanswered(error) ||
    /Connection terminated|Client has encountered a connection error|timeout exceeded/i.test(String(message))
  );
}

/** True if the database did not answer in time; it may still be there. */
export const isUnanswered = (error: unknown) =>
  /Query read timeout|due to connection timeout/.test(String((error as Error | null)?.message));
