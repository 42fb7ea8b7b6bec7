import type { Socket } from 'node:net';
import type pg from 'pg';
import type { ColumnKind } from '../columns.ts';
import { Conflict, Locked, NoRoom, ReadOnly, Unavailable } from '../port.ts';
import type { ChangeShape, Column, DatabaseSession, Value } from '../sql/dialect.ts';
import { type Bound, type PendingStatement, StatementBatch, type StatementResult } from './batch.ts';

const ARRAYS: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  absent_or_text: 'text',
  json: 'text',
  int: 'bigint',
  bool: 'boolean',
  digits: 'numeric',
};

/** One array per column, so that the text of a statement does not depend on the number of rows. */
const arraysOf = (columns: readonly Column[]) =>
  columns.map(({ kind }, i) => `$${i + 1}::${ARRAYS[kind]}[]`).join(', ');

const alias = (columns: readonly unknown[]) => `u(${columns.map((_, i) => `c${i}`).join(', ')})`;

const columnValue = ({ kind }: Column, i: number) => (kind === 'json' ? `u.c${i}::json` : `u.c${i}`);

const byColumn = (columns: readonly unknown[], rows: readonly (readonly Value[])[]) =>
  columns.map((_, i) => rows.map((row) => row[i] ?? null));

/** A database that has not answered for this long counts as unavailable. */
export const ANSWER_MS = 10_000;

const ORDINAL: Column = { name: 'ordinal', kind: 'int' };

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
    const names = [...columns, ORDINAL].map(({ name }) => name).join(', ');
    const of = sql.replace(/\$(\d+)/g, (_, n) => `u.c${Number(n) - 1}`);
    const all = `unnest(${arraysOf(columns)}) WITH ORDINALITY AS u(${names})`;
    const text = `SELECT u.ordinal, t.* FROM ${all} CROSS JOIN LATERAL (${of}) AS t`;
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
    const into = columns.map(({ name }) => `"${name}"`).join(', ');
    const values = columns.map(columnValue).join(', ');
    const sql = `INSERT INTO "${table}" (${into}) SELECT ${values} FROM unnest(${arraysOf(columns)}) AS ${alias(columns)}`;
    await this.#query(sql, byColumn(columns, rows));
  }

  async find(
    table: string,
    columns: readonly string[],
    key: readonly Column[],
    keys: readonly (readonly Value[])[],
    lock: boolean,
  ): Promise<readonly (readonly unknown[])[]> {
    const wanted = columns.map((name) => `t."${name}"`).join(', ');
    const on = key.map(({ name }, i) => `t."${name}" = u.c${i}`).join(' AND ');
    const from = `unnest(${arraysOf(key)}) AS ${alias(key)} JOIN "${table}" AS t ON ${on}`;
    const sql = `SELECT ${wanted} FROM ${from}${lock ? ' FOR UPDATE OF t' : ''}`;
    return (await this.#query(sql, byColumn(key, keys))).rows;
  }

  async change(
    table: string,
    shape: ChangeShape,
    rows: readonly (readonly Value[])[],
  ): Promise<readonly number[]> {
    const columns = [...shape.key, ...shape.expect, ...shape.set, ORDINAL];
    const sql = `${updateOf(table, shape, columns)} RETURNING u.c${columns.length - 1}`;
    const matched = await this.#query(
      sql,
      byColumn(
        columns,
        rows.map((row, i) => [...row, i]),
      ),
    );
    const answers = rows.map(() => 0);
    for (const [i] of matched.rows) answers[Number(i)] = 1;
    return answers;
  }

  /**
   * The statement fails if one row does not match, and with it everything that is sent behind it, such as a
   * COMMIT.
   */
  async changeAll(table: string, shape: ChangeShape, rows: readonly (readonly Value[])[]): Promise<void> {
    const columns = [...shape.key, ...shape.expect, ...shape.set];
    const changed = `WITH changed AS (${updateOf(table, shape, columns)} RETURNING 1)`;
    try {
      await this.#query(
        `${changed} SELECT 1 / (count(*) = cardinality($1))::int FROM changed`,
        byColumn(columns, rows),
      );
    } catch (error) {
      if (codeOf(error) !== DIVIDED_BY_ZERO) throw error;
      throw new Conflict(`a row of ${table} is no longer as it was read`, { cause: error });
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
      throw portError(error);
    }
  }

  #enqueue(text: string, values: readonly Bound[]): Promise<StatementResult> {
    const begin = this.#begin;
    this.#begin = null;
    if (begin !== null) void this.#enqueue(begin, []).catch(() => {});
    if (this.#waiting.length === 0) process.nextTick(() => this.#send());
    return new Promise((answer, fail) => this.#waiting.push({ text, values, answer, fail }));
  }

  #send(): void {
    if (this.#underWay || this.#waiting.length === 0) return;
    this.#underWay = true;
    const statements = this.#waiting;
    this.#waiting = [];
    const over = (error: unknown) => {
      this.#underWay = false;
      if (isUnanswered(error)) this.#unanswered = true;
      this.#send();
    };
    this.#client.query(new StatementBatch(statements, this.#answerMs, over));
  }
}

function updateOf(table: string, { key, expect, set }: ChangeShape, columns: readonly Column[]): string {
  const where = [...key, ...expect].map(
    ({ name }, i) => `t."${name}" ${i < key.length ? '=' : 'IS NOT DISTINCT FROM'} u.c${i}`,
  );
  const from = key.length + expect.length;
  const sets = set.map((column, i) => `"${column.name}" = ${columnValue(column, from + i)}`);
  return `UPDATE "${table}" AS t SET ${sets.join(', ')} FROM unnest(${arraysOf(columns)}) AS ${alias(columns)} WHERE ${where.join(' AND ')}`;
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
