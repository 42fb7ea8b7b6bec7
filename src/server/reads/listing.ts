import { NAMELESS } from '../../store/broken-row.ts';

/** A list in an answer. It names the rows that cannot be read; they hide nothing else (F56). */
export interface Listing<I> {
  readonly items: I[];
  readonly unreadable?: string[];
}

/** `view` is null for what cannot be read. */
export function listing<R, I>(
  rows: readonly R[],
  nameOf: (row: R) => string | undefined,
  view: (row: R) => I | null,
): Listing<I> {
  const items: I[] = [];
  const unreadable: string[] = [];
  for (const row of rows) {
    const item = view(row);
    if (item === null) unreadable.push(nameOf(row) ?? NAMELESS);
    else items.push(item);
  }
  return { items, ...(unreadable.length > 0 && { unreadable }) };
}
