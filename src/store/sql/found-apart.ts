/**
 * A narrow table with one row for each row of another. It holds the columns by which rows are found and that often change,
 * with their indexes, so that the other table has no index on them. Whatever writes these columns writes both, in one
 * statement.
 *
 * Rejected: a trigger that keeps it. It is a little faster where it has something to write, and every other write of the
 * table would call it too.
 */
export interface FoundApart {
  readonly table: string;
  /** The columns of the key, as the database names them. */
  readonly key: readonly string[];
  /** The other columns that it holds. */
  readonly holds: readonly string[];
  /** The columns among them whose indexes are there alone: a read that names one begins there. */
  readonly finds: readonly string[];
}

/** True if a write of these columns is one of the row beside it too. */
export const isHeldApart = (apart: FoundApart | undefined, set: readonly string[]): apart is FoundApart =>
  apart?.holds.some((column) => set.includes(column)) ?? false;

/**
 * An INSERT or UPDATE that also writes beside it, whether there is a row already or it is lost. Its rows are `written`, for
 * the SELECT that must follow.
 */
export function writtenApart(statement: string, { table, key, holds }: FoundApart): string {
  const columns = listOf([...key, ...holds]);
  const sets = holds.map((name) => `"${name}" = excluded."${name}"`).join(', ');
  const follow = `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM written`;
  const again = `ON CONFLICT (${listOf(key)}) DO UPDATE SET ${sets}`;
  return `WITH written AS (${statement} RETURNING ${columns}), apart AS (${follow} ${again})`;
}

/** The same of an UPDATE of many rows, which are there. Its rows are `written`, with `also`. */
export function updatedApart(update: string, { table, key, holds }: FoundApart, also = ''): string {
  const sets = holds.map((name) => `"${name}" = w."${name}"`).join(', ');
  const on = key.map((name) => `f."${name}" = w."${name}"`).join(' AND ');
  const follow = `UPDATE "${table}" AS f SET ${sets} FROM written AS w WHERE ${on}`;
  return `WITH written AS (${update} RETURNING ${listOf([...key, ...holds])}${also}), apart AS (${follow})`;
}

const listOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
