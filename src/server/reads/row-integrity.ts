import { isReadable } from '../../store/columns.ts';

/** A list as it is answered: what cannot be read of it is named, and hides nothing else (F56). */
export interface Legible<I> {
  readonly items: I[];
  readonly unreadable?: string[];
}

export function legible<R extends object, I>(
  rows: readonly R[],
  nameOf: (row: R) => unknown,
  show: (row: R) => I,
  isWhole: (row: R) => boolean = isReadable,
): Legible<I> {
  const items: I[] = [];
  const unreadable: string[] = [];
  for (const row of rows) {
    if (isWhole(row)) items.push(show(row));
    else unreadable.push(String(nameOf(row)));
  }
  return { items, ...(unreadable.length > 0 && { unreadable }) };
}
