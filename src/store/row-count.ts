/** Counts the rows that have these values, in the order of the columns that were asked for; null: none, or none that can be read. */
export interface RowCount {
  readonly values: readonly (string | null)[];
  readonly count: number;
}

/** In one order, whatever the order of a database. Values that cannot be read count together. */
export function countsInOrder(counts: Iterable<RowCount>): readonly RowCount[] {
  const found = new Map<string, RowCount>();
  for (const { values, count } of counts) {
    const key = JSON.stringify(values);
    found.set(key, { values, count: count + (found.get(key)?.count ?? 0) });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted);
}

export const countRows = (rows: readonly object[], by: readonly string[]): readonly RowCount[] =>
  countsInOrder(
    rows.map((row) => ({
      values: by.map((name) => storedText((row as Record<string, unknown>)[name])),
      count: 1,
    })),
  );

export const storedText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
