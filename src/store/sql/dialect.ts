import { type ColumnKind, UNREADABLE } from '../columns.ts';

export type Value = string | number | boolean | null;

/** What differs between the databases: how a value of each kind is kept, and how a row is locked. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  readonly forUpdate: boolean;
  encode(kind: ColumnKind, value: unknown): Value;
  decode(kind: ColumnKind, value: unknown): unknown;
}

/** One connection inside one transaction. Rows come as arrays, in the order of the columns that were asked for. */
export interface Session {
  rows(sql: string, values: readonly Value[]): Promise<readonly (readonly unknown[])[]>;
  /** The only row there can be. */
  row(sql: string, values: readonly Value[]): Promise<readonly unknown[] | undefined>;
  /** How many rows it changed. */
  run(sql: string, values: readonly Value[]): Promise<number>;
  /** Many rows into one table, in order, with as few round trips as the database allows. */
  append(table: string, columns: readonly AppendColumn[], rows: readonly (readonly Value[])[]): Promise<void>;
}

export interface AppendColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** Text that cannot be read back as it was written is refused here, loudly, rather than cut in silence. */
export function plainText(value: unknown): string {
  const text = String(value);
  if (text.includes('\0')) throw new RangeError('text with a NUL character must not reach the store');
  return text;
}

export function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return UNREADABLE;
  }
}
