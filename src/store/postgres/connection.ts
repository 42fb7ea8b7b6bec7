import { createHash } from 'node:crypto';
import pg from 'pg';
import type { ColumnKind } from '../columns.ts';
import { Conflict, Unavailable } from '../port.ts';
import type { AppendColumn, Session, Value } from '../sql/dialect.ts';

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

/** One connection inside a transaction. */
export class Connection implements Session {
  readonly #client: pg.ClientBase;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  async rows(sql: string, values: readonly Value[]): Promise<readonly (readonly unknown[])[]> {
    return (await this.#query(sql, values)).rows;
  }

  async row(sql: string, values: readonly Value[]): Promise<readonly unknown[] | undefined> {
    return (await this.#query(sql, values)).rows[0];
  }

  async run(sql: string, values: readonly Value[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0;
  }

  /** All rows in one statement whose text does not depend on their number: one array per column. */
  async append(
    table: string,
    columns: readonly AppendColumn[],
    rows: readonly (readonly Value[])[],
  ): Promise<void> {
    const into = columns.map(({ name }) => `"${name}"`).join(', ');
    const arrays = columns.map(({ kind }, i) => `$${i + 1}::${ARRAYS[kind]}[]`).join(', ');
    const picked = columns.map(({ kind }, i) => (kind === 'json' ? `c${i}::json` : `c${i}`)).join(', ');
    const aliases = columns.map((_, i) => `c${i}`).join(', ');
    const sql = `INSERT INTO "${table}" (${into}) SELECT ${picked} FROM unnest(${arrays}) AS u(${aliases})`;
    await this.#query(
      sql,
      columns.map((_, i) => rows.map((row) => row[i] ?? null)),
    );
  }

  async #query(text: string, values: readonly unknown[]): Promise<pg.QueryArrayResult<unknown[]>> {
    try {
      return await this.#client.query<unknown[]>({
        name: nameOf(text),
        text,
        values: [...values],
        rowMode: 'array',
        types: TYPES,
      });
    } catch (error) {
      throw inWords(error);
    }
  }
}

/** A deadlock or a lost race can be run again; a lost connection before the commit did nothing. */
export function inWords(error: unknown): unknown {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (code === '40P01' || code === '40001') return new Conflict('lost a race', { cause: error });
  if (isLost(error)) return new Unavailable('The database cannot be reached.', { cause: error });
  return error;
}

const LOST = /^(08|57P|53)|^E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)/;

/** The connection is gone, or the server has no room or is shutting down. */
export function isLost(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (LOST.test(String(code ?? ''))) return true;
  return /Connection terminated|Client has encountered a connection error|timeout exceeded/i.test(
    String(message),
  );
}
