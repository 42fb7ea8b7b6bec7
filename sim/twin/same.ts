import { canonicalJson } from '../../src/store/canonical.ts';
import type { Select } from '../../src/store/port.ts';

/** True if two stores gave the same answer: equal values in any order of keys; an absent key equals undefined. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) return sameList(a, b);
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in x) if (!sameValue(x[key], y[key])) return false;
  for (const key in y) if (y[key] !== undefined && x[key] === undefined) return false;
  return true;
}

function sameList(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!sameValue(a[i], b[i])) return false;
  return true;
}

/**
 * Compares two answers to the same select. The port promises only the requested order, so tied rows may come in any
 * order; where a limit cuts through a tie, either side of it is right.
 */
export function sameRows<Row>(a: readonly Row[], b: readonly Row[], options: Select<Row> = {}): boolean {
  if (sameList(a, b)) return true;
  if (a.length !== b.length) return false;
  const { order, limit } = options;
  const columns = order === undefined ? [] : ([order].flat() as (keyof Row)[]);
  const rank = (row: Row) => canonicalJson(columns.map((column) => row[column]));
  if (!a.every((row, i) => rank(row) === rank(b[i] as Row))) return false;
  const cut = limit !== undefined && a.length === limit ? rank(a[a.length - 1] as Row) : null;
  const certain = (rows: readonly Row[]) => rows.filter((row) => cut === null || rank(row) !== cut);
  return sameSet(certain(a), certain(b));
}

/** Equal rows, each as often, in any order. */
export function sameSet(a: readonly unknown[], b: readonly unknown[]): boolean {
  return sameList(a.map(canonicalJson).sort(), b.map(canonicalJson).sort());
}
