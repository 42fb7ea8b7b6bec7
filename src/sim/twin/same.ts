import { canonicalJson } from '../../store/canonical.ts';
import type { Select } from '../../store/port.ts';

/** Whether two stores gave the same answer: equal values, whatever order their keys were built in. */
export function sameValue(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

/**
 * Whether two lists are answers to the same select. The port promises no order but the one that was asked for, so
 * rows that tie may come in any; and where a limit cuts through a tie, either side of it is right.
 */
export function sameRows<Row>(a: readonly Row[], b: readonly Row[], options: Select<Row> = {}): boolean {
  if (a.length !== b.length) return false;
  const { order, limit } = options;
  const columns = order === undefined ? [] : ([order].flat() as (keyof Row)[]);
  const rank = (row: Row) => canonicalJson(columns.map((column) => row[column]));
  if (!a.every((row, i) => rank(row) === rank(b[i] as Row))) return false;
  const cut = limit !== undefined && a.length === limit ? rank(a[a.length - 1] as Row) : null;
  const certain = (rows: readonly Row[]) =>
    rows
      .filter((row) => cut === null || rank(row) !== cut)
      .map(canonicalJson)
      .sort();
  return sameValue(certain(a), certain(b));
}
