import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import type { ColumnKind } from '../columns.ts';
import { Conflict, Locked, Unavailable } from '../port.ts';
import type { ChangeShape, Column, Session, Value } from '../sql/dialect.ts';

const INT8 = 20;
const JSON_TYPE = 114;

/** Numbers that fit are numbers, JSON stays text until its column is decoded, the rest as the driver has it. */
export const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number;
    if (oid === JSON_TYPE) return (text: string) => text;
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

const ARRAYS: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  absent_or_text: 'text',
  json: 'text',
  int: 'bigint',
  bool: 'boolean',
  digits: 'numeric',
};

const names = new Map<string, string>();

/** Statements are prepared once per connection, under a name made of their text. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = createHash('sha1').update(sql).digest('base64url');
  names.set(sql, name);
  return name;
}

/** One array per column, so that a text does not depend on the number of rows. */
const arraysOf = (columns: readonly Column[]) =>
  columns.map(({ kind }, i) => `$${i + 1}::${ARRAYS[kind]}[]`).join(', ');

const alias = (columns: readonly unknown[]) => `u(${columns.map((_, i) => `c${i}`).join(', ')})`;

const picked = ({ kind }: Column, i: number) => (kind === 'json' ? `u.c${i}::json` : `u.c${i}`);

const byColumn = (columns: readonly unknown[], rows: readonly (readonly Value[])[]) =>
  columns.map((_, i) => rows.map((row) => row[i] ?? null));

/** A database that does not answer for so long is taken for one that does not answer. */
export const ANSWER_MS = 10_000;

const ORDINAL: Column = { name: 'ordinal', kind: 'int' };

/**
 * One connection inside a transaction. Statements are sent in the order in which they are begun, and none waits for
 * the answer to the one before: whoever begins several together pays for one round trip.
 */
export class Connection implements Session {
  readonly #client: pg.ClientBase;
  readonly #answerMs: number;
  #begin: string | null;
  #beginning: Promise<unknown> | null = null;
  #unanswered = false;

  /** `begin` goes out with the first statement: a transaction in which nothing is asked costs no trip at all. */
  constructor(client: pg.ClientBase, begin: string | null = null, answerMs = ANSWER_MS) {
    this.#client = client;
    this.#begin = begin;
    this.#answerMs = answerMs;
  }

  /** Whether there is anything to commit or to roll back. */
  get begun(): boolean {
    return this.#begin === null;
  }

  /** Something that was asked here had its time, and no answer. */
  get unanswered(): boolean {
    return this.#unanswered;
  }

  together<T>(send: () => T): T {
    const stream = streamOf(this.#client);
    stream?.cork();
    try {
      return send();
    } finally {
      stream?.uncork();
    }
  }

  /** A word to the database about the transaction. */
  order(text: string): Promise<pg.QueryResult> {
    return this.#noting(this.#client.query(limited(text, this.#answerMs)));
  }

  async rows(sql: string, values: readonly Value[]): Promise<readonly (readonly unknown[])[]> {
    return (await this.#read(sql, values)).rows;
  }

  async row(sql: string, values: readonly Value[]): Promise<readonly unknown[] | undefined> {
    return (await this.#read(sql, values)).rows[0];
  }

  async run(sql: string, values: readonly Value[]): Promise<number> {
    return (await this.#write(sql, values)).rowCount ?? 0;
  }

  async append(
    table: string,
    columns: readonly Column[],
    rows: readonly (readonly Value[])[],
  ): Promise<void> {
    const into = columns.map(({ name }) => `"${name}"`).join(', ');
    const values = columns.map(picked).join(', ');
    const sql = `INSERT INTO "${table}" (${into}) SELECT ${values} FROM unnest(${arraysOf(columns)}) AS ${alias(columns)}`;
    await this.#write(sql, byColumn(columns, rows));
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
    return (await this.#read(sql, byColumn(key, keys))).rows;
  }

  async change(
    table: string,
    { key, expect, set }: ChangeShape,
    rows: readonly (readonly Value[])[],
  ): Promise<readonly number[]> {
    const columns = [...key, ...expect, ...set, ORDINAL];
    const where = [...key, ...expect].map(
      ({ name }, i) => `t."${name}" ${i < key.length ? '=' : 'IS NOT DISTINCT FROM'} u.c${i}`,
    );
    const from = key.length + expect.length;
    const sets = set.map((column, i) => `"${column.name}" = ${picked(column, from + i)}`);
    const sql = `UPDATE "${table}" AS t SET ${sets.join(', ')} FROM unnest(${arraysOf(columns)}) AS ${alias(columns)} WHERE ${where.join(' AND ')} RETURNING u.c${columns.length - 1}`;
    const matched = await this.#write(
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

  /** A read may be sent behind the BEGIN at once: what it answers counts only if the transaction has begun. */
  async #read(text: string, values: readonly unknown[]): Promise<pg.QueryArrayResult<unknown[]>> {
    const [beginning, answer] = this.together(() => [this.#sendBegin(), this.#query(text, values)]);
    if (beginning !== null) await Promise.all([beginning, answer]);
    return answer;
  }

  async #write(text: string, values: readonly unknown[]): Promise<pg.QueryArrayResult<unknown[]>> {
    const beginning = this.#sendBegin();
    if (beginning !== null) await beginning;
    return this.#query(text, values);
  }

  /** Null: the transaction is known to have begun. */
  #sendBegin(): Promise<unknown> | null {
    if (this.#begin === null) return this.#beginning;
    const sent = this.order(this.#begin);
    this.#begin = null;
    this.#beginning = sent.then(
      () => {
        this.#beginning = null;
      },
      (error: unknown) => Promise.reject(inWords(error)),
    );
    this.#beginning.catch(() => {});
    return this.#beginning;
  }

  async #query(text: string, values: readonly unknown[]): Promise<pg.QueryArrayResult<unknown[]>> {
    try {
      const query = {
        name: nameOf(text),
        ...limited(text, this.#answerMs),
        values: [...values],
        rowMode: 'array',
        types: TYPES,
      } as const;
      return await this.#noting(this.#client.query<unknown[]>(query));
    } catch (error) {
      throw inWords(error);
    }
  }

  async #noting<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (isUnanswered(error)) this.#unanswered = true;
      throw error;
    }
  }
}

/** What is not answered in time ends its connection, and with that whatever else was asked on it. */
export const limited = (text: string, answerMs: number) => ({ text, query_timeout: answerMs });

/** Who takes leave of a database that hangs is not kept by it. */
export function cutOff(client: pg.ClientBase): void {
  streamOf(client)?.destroy();
}

/** The driver writes every message by itself; those that belong together go out as one. */
function streamOf(client: pg.ClientBase): Socket | undefined {
  const { connection } = client as { connection?: { stream?: Socket } };
  const stream = connection?.stream;
  return typeof stream?.cork === 'function' && typeof stream.uncork === 'function' ? stream : undefined;
}

/** A deadlock or a lost race can be run again; a lock that was not had, or a lost connection before the commit did nothing. */
export function inWords(error: unknown): unknown {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (code === '40P01' || code === '40001') return new Conflict('lost a race', { cause: error });
  if (code === '55P03')
    return new Locked('Somebody else holds a row of the database that this needs.', { cause: error });
  if (isUnanswered(error)) return new Unavailable(UNANSWERED, { cause: error });
  if (isLost(error)) return new Unavailable('The database cannot be reached.', { cause: error });
  return error;
}

export const UNANSWERED = 'The database does not answer.';
const LOST = /^(08|57P|53)|^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/;

/** The connection is gone, or the server has no room or is shutting down. */
export function isLost(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (LOST.test(String(code ?? ''))) return true;
  return (
    isUnanswered(error) ||
    /Connection terminated|Client has encountered a connection error|timeout exceeded/i.test(String(message))
  );
}

/** It may be there, but it has had its time. */
export const isUnanswered = (error: unknown) =>
  /Query read timeout|due to connection timeout/.test(String((error as Error | null)?.message));
