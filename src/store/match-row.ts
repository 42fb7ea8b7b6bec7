import { compareDigits, type Digits } from '../contract/digits.ts';
import { COLUMNS, type ColumnKind } from './columns.ts';
import type { Compare, Expect, Select } from './port.ts';
import type { Rows, Table } from './schema.ts';

/** True if a row matches the expectation. A comparison with null is never true, as in SQL. */
export function matches<T extends Table>(table: T, row: Rows[T], expect: Expect<Rows[T]>): boolean {
  for (const column in expect) {
    const [have, want] = [row[column], expect[column] as unknown];
    if (isComparison(want) ? !holds(have, want, kindOf(table, column)) : have !== want) return false;
  }
  return true;
}

/** `matches` for many rows: the expectation is taken apart once. */
export function matcher<T extends Table>(table: T, expect: Expect<Rows[T]>): (row: Rows[T]) => boolean {
  const equal: { readonly column: keyof Rows[T]; readonly want: unknown }[] = [];
  const compared: { column: keyof Rows[T]; compare: Compare<unknown>; kind: ColumnKind | undefined }[] = [];
  for (const column in expect) {
    const want = expect[column] as unknown;
    if (isComparison(want)) compared.push({ column, compare: want, kind: kindOf(table, column) });
    else equal.push({ column, want });
  }
  return (row) => {
    for (const { column, want } of equal) if (row[column] !== want) return false;
    for (const { column, compare, kind } of compared) if (!holds(row[column], compare, kind)) return false;
    return true;
  };
}

/** The rows that were found, in the order and number that a read wants. */
export function sortedAndLimited<T extends Table>(
  table: T,
  found: Rows[T][],
  { order, descending, limit }: Select<Rows[T]>,
): Rows[T][] {
  if (order !== undefined && found.length > 1) {
    const compare = orderBy(table, [order].flat() as (keyof Rows[T] & string)[]);
    found.sort(descending ? (a, b) => compare(b, a) : compare);
  }
  return limit === undefined ? found : found.slice(0, limit);
}

/** Negative, zero or positive as the first row comes before, with or after the second, by these columns. */
function orderBy<T extends Table>(
  table: T,
  columns: readonly (keyof Rows[T] & string)[],
): (a: Rows[T], b: Rows[T]) => number {
  const keys = columns.map((column) => ({ column, kind: kindOf(table, column) }));
  return (a, b) => {
    for (const { column, kind } of keys) {
      const compared = compareValues(a[column], b[column], kind);
      if (compared !== 0) return compared;
    }
    return 0;
  };
}

const isComparison = (want: unknown): want is Compare<unknown> =>
  typeof want === 'object' && want !== null && 'op' in want;

function holds(have: unknown, compare: Compare<unknown>, kind: ColumnKind | undefined): boolean {
  if (compare.op === 'in') return compare.values.includes(have);
  if (compare.op === 'ne') return have !== compare.value;
  if (have === null || have === undefined) return false;
  const order = compareValues(have, compare.value, kind);
  switch (compare.op) {
    case 'lt':
      return order < 0;
    case 'lte':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'gte':
      return order >= 0;
  }
}

const kindOf = (table: Table, column: string): ColumnKind | undefined =>
  (COLUMNS[table] as Readonly<Record<string, ColumnKind>>)[column];

/** Columns of digits compare as numbers, as in the databases. */
function compareValues(a: unknown, b: unknown, kind: ColumnKind | undefined): number {
  if (kind === 'digits') return compareDigits(a as Digits, b as Digits);
  const [x, y] = [a as number | string, b as number | string];
  return x < y ? -1 : x > y ? 1 : 0;
}
