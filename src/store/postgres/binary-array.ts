import type { ColumnKind } from '../columns.ts';
import type { Value } from '../sql/dialect.ts';

/** A column of many rows, bound to a statement as one PostgreSQL array. */
export interface BoundArray {
  readonly kind: ColumnKind;
  readonly values: readonly Value[];
}

/** The type of the array's elements. JSON travels as text: the statement casts it. */
export const ELEMENT_TYPES: Readonly<Record<ColumnKind, 'text' | 'bigint' | 'boolean' | 'numeric'>> = {
  text: 'text',
  absent_or_text: 'text',
  json: 'text',
  int: 'bigint',
  bool: 'boolean',
  digits: 'numeric',
};

const OIDS = { text: 25, bigint: 20, boolean: 16 };
/** Dimensions, a flag for nulls, the element's type, its number and its first index, each of four bytes. */
const HEADER = 20;
const NULL = -1;
/** A call into Node's own encoder costs more than writing this many letters one by one. */
const SHORT = 32;
const ASCII = 0x7f;
const HIGH = 2 ** 32;

/** Grows to the largest array so far, and is copied from. */
let room = Buffer.allocUnsafe(1 << 16);
let end = 0;

/**
 * An array as the database receives it. Binary, since quoting elements and the database's reading of the quotes were a
 * third of a group's cost; decimals stay text, which needs no quotes.
 */
export function encodeArray({ kind, values }: BoundArray): Buffer | string {
  const type = ELEMENT_TYPES[kind];
  if (type === 'numeric') return `{${values.map((value) => value ?? 'NULL').join()}}`;
  end = 0;
  reserve(HEADER + values.length * 12);
  end = HEADER;
  let hasNull = false;
  for (const value of values) {
    if (value === null) hasNull = true;
    if (value === null) putInt32(NULL);
    else if (typeof value === 'string') putText(value);
    else if (typeof value === 'number') putInt64(value);
    else putBoolean(value);
  }
  const header = [values.length === 0 ? 0 : 1, Number(hasNull), OIDS[type], values.length, 1];
  const size = values.length === 0 ? 12 : end;
  for (const [i, field] of header.entries()) room.writeInt32BE(field, i * 4);
  return Buffer.from(room.subarray(0, size));
}

function reserve(bytes: number): void {
  if (end + bytes <= room.length) return;
  const larger = Buffer.allocUnsafe(Math.max(room.length * 2, end + bytes));
  room.copy(larger, 0, 0, end);
  room = larger;
}

function putInt32(value: number): void {
  reserve(4);
  end = room.writeInt32BE(value, end);
}

function putInt64(value: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number that a column holds`);
  putInt32(8);
  reserve(8);
  const high = Math.floor(value / HIGH);
  end = room.writeInt32BE(high, end);
  end = room.writeUInt32BE(value - high * HIGH, end);
}

function putBoolean(value: boolean): void {
  putInt32(1);
  reserve(1);
  end = room.writeUInt8(Number(value), end);
}

function putText(text: string): void {
  // No letter takes more than three bytes of UTF-8.
  reserve(4 + text.length * 3);
  const start = end + 4;
  const written = asciiAt(text, start) ?? room.write(text, start);
  room.writeInt32BE(written, end);
  end = start + written;
}

/** Writes a short text of plain letters; undefined for any other, which is then written over it. */
function asciiAt(text: string, start: number): number | undefined {
  if (text.length >= SHORT) return undefined;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > ASCII) return undefined;
    room[start + i] = code;
  }
  return text.length;
}
