import { type ColumnKind, UNREADABLE } from '../columns.ts';

export type Value = string | number | boolean | null;

/** What differs between the databases: how a value of each kind is kept, and how a row is locked. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  readonly forUpdate: boolean;
  encode(kind: ColumnKind, value: unknown): Value;
  decode(kind: ColumnKind, value: unknown): unknown;
  /** What to select so that a row comes in one piece; without it, its columns. */
  inOnePiece?(columns: readonly string[]): string;
}

/** One connection inside one transaction. What is begun together goes out together. Rows come as arrays, in the order of the columns that were asked for. */
export interface Session {
  rows(sql: string, values: readonly Value[]): Promise<readonly (readonly unknown[])[]>;
  /** The only row there can be. */
  row(sql: string, values: readonly Value[]): Promise<readonly unknown[] | undefined>;
  /** How many rows it changed. */
  run(sql: string, values: readonly Value[]): Promise<number>;
  /** Many rows into one table, in order, with as few round trips as the database allows. */
  append(table: string, columns: readonly Column[], rows: readonly (readonly Value[])[]): Promise<void>;
  /** The rows that have these keys, with these columns. */
  find(
    table: string,
    columns: readonly string[],
    key: readonly Column[],
    keys: readonly (readonly Value[])[],
    lock: boolean,
  ): Promise<readonly (readonly unknown[])[]>;
  /** One change of many rows of a table. Each row: its key, what is expected, what is set. Answers which matched. */
  change(table: string, shape: ChangeShape, rows: readonly (readonly Value[])[]): Promise<readonly number[]>;
  /** The same where all must match: a Conflict otherwise, and then nothing can be committed. */
  changeAll(table: string, shape: ChangeShape, rows: readonly (readonly Value[])[]): Promise<void>;
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

/** A number that is none is no value either: as null it matches no row, and no column that must be filled takes it. */
export const isNothing = (value: unknown) => value === null || value === undefined || Number.isNaN(value);

/** Text that cannot be read back as it was written is refused here, loudly, rather than cut in silence. */
export function plainText(value: unknown): string {
  const text = String(value);
  if (text.includes('\0')) throw new RangeError('text with a NUL character must not reach the store');
  return text;
}

/** The farthest instant that a date can name; nothing that we count goes beyond it. */
const FARTHEST = 8.64e15;

export function readInt(value: unknown): unknown {
  if (typeof value !== 'number' || value > FARTHEST || value < -FARTHEST) return UNREADABLE;
  return Number.isInteger(value) ? value : UNREADABLE;
}

const [ZERO, NINE] = [48, 57];

/** By the characters: rows have several, and a regular expression made decoding one of the ledger 40 % dearer. */
export function readDigits(text: string): unknown {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < ZERO || code > NINE) return UNREADABLE;
  }
  return text.length === 0 ? UNREADABLE : text;
}

export function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return UNREADABLE;
  try {
    return JSON.parse(text);
  } catch {
    return UNREADABLE;
  }
}
