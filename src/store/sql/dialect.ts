import { type ColumnKind, UNREADABLE } from '../columns.ts';
import type { FoundApart } from './found-apart.ts';

export type Value = string | number | boolean | null;

/** The differences between the databases: the encoding of each kind of value, and the locking of rows. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  readonly forUpdate: boolean;
  encode(kind: ColumnKind, value: unknown): Value;
  decode(kind: ColumnKind, value: unknown): unknown;
  /** The expression that selects a row as one value; without it, the columns are selected. */
  rowAsJson?(columns: readonly string[]): string;
  /** By table, the one beside it that its rows are found by, where there is one. */
  readonly foundApart: ReadonlyMap<string, FoundApart>;
}

/**
 * One connection inside one transaction. Statements that are begun together are sent together. Rows are
 * arrays, in the order of the selected columns.
 */
export interface DatabaseSession {
  rows(sql: string, values: readonly Value[]): Promise<readonly (readonly unknown[])[]>;
  /** The only row there can be. */
  row(sql: string, values: readonly Value[]): Promise<readonly unknown[] | undefined>;
  /** The one row that the statement finds with each list of values, in their order. */
  rowEach(
    sql: string,
    kinds: readonly ColumnKind[],
    values: readonly (readonly Value[])[],
  ): Promise<readonly (readonly unknown[] | undefined)[]>;
  /** Answers the number of rows that the statement changed. */
  run(sql: string, values: readonly Value[]): Promise<number>;
  /** Inserts many rows into one table, in order, with as few round trips as the database allows. */
  append(table: string, columns: readonly Column[], rows: readonly (readonly Value[])[]): Promise<void>;
  /** Reads these columns of the rows with these keys. */
  find(
    table: string,
    columns: readonly string[],
    key: readonly Column[],
    keys: readonly (readonly Value[])[],
    lock: boolean,
  ): Promise<readonly (readonly unknown[])[]>;
  /**
   * Changes many rows of a table. Each row holds its key, its expected values and its new values. Answers
   * which matched.
   */
  change(table: string, shape: ChangeShape, rows: readonly (readonly Value[])[]): Promise<readonly number[]>;
  /** The same where all must match: a Conflict otherwise, and then nothing can be committed. */
  changeAll(table: string, shape: ChangeShape, rows: readonly (readonly Value[])[]): Promise<void>;
  /** Sends what was begun now, and not with what else this turn of the event loop begins. Absent where nothing waits. */
  send?(): void;
}

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** The columns that a change names, in the order of its values. */
export interface ChangeShape {
  readonly key: readonly Column[];
  readonly expect: readonly Column[];
  readonly set: readonly Column[];
}

/** NaN counts as null: it matches no row, and a column that must be filled refuses it. */
export const isNothing = (value: unknown) => value === null || value === undefined || Number.isNaN(value);

/** Refuses text that cannot be read back as it was written, instead of cutting it silently. */
export function plainText(value: unknown): string {
  const text = String(value);
  if (text.includes('\0')) throw new RangeError('text with a NUL character must not reach the store');
  return text;
}

/** The farthest instant that a date can name; no count is larger. */
const FARTHEST = 8.64e15;

export function readInt(value: unknown): unknown {
  if (typeof value !== 'number' || value > FARTHEST || value < -FARTHEST) return UNREADABLE;
  return Number.isInteger(value) ? value : UNREADABLE;
}

const [ZERO, NINE] = [48, 57];

/**
 * Compares characters, because rows have several such columns, and a regular expression made decoding a row
 * of the ledger 40 % slower.
 */
export function readDigits(text: string): unknown {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < ZERO || code > NINE) return UNREADABLE;
  }
  return text.length === 0 ? UNREADABLE : text;
}

export function parseStoredJson(text: unknown): unknown {
  if (typeof text !== 'string') return UNREADABLE;
  try {
    return JSON.parse(text);
  } catch {
    return UNREADABLE;
  }
}
