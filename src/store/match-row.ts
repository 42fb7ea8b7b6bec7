import { compareDigits, DIGITS } from '../contract/digits.ts';
import type { Compare, Expect } from './port.ts';

/** True if a row matches the expectation. A comparison with null is never true, as in SQL. */
export function matches<Row extends object>(row: Row, expect: Expect<Row>): boolean {
  for (const column in expect) {
    if (!satisfies(row[column as keyof Row], expect[column as keyof Row] as unknown)) return false;
  }
  return true;
}

function satisfies(have: unknown, want: unknown): boolean {
  if (typeof want !== 'object' || want === null || !('op' in want)) return have === want;
  const compare = want as Compare<unknown>;
  if (compare.op === 'in') return compare.values.includes(have);
  if (compare.op === 'ne') return have !== compare.value;
  if (have === null || have === undefined) return false;
  const order = compareValues(have, compare.value);
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

/** Strings of digits compare as numbers, as the databases' numeric columns do. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [x, y] = [String(a), String(b)];
  if (DIGITS.test(x) && DIGITS.test(y)) return compareDigits(x, y);
  return x < y ? -1 : x > y ? 1 : 0;
}
