import type { Page } from '../../../src/contract/answers/views.ts';

/** A list that only grows at its end, as far as it was read. */
export interface GrowingList<T> {
  readonly items: readonly T[];
  /** The cursor of the last page, and the number of items before it: only that page is read again. */
  readonly cursor: string | null;
  readonly before: number;
}

export const EMPTY_LIST: GrowingList<never> = { items: [], cursor: null, before: 0 };

/**
 * Reads on from the last page. A list that did not grow stays the same object, so that React does not redraw.
 */
export async function readMore<T>(
  from: GrowingList<T>,
  read: (cursor: string | null) => Promise<Page<T>>,
  onPage: (soFar: GrowingList<T>) => void = () => {},
): Promise<GrowingList<T>> {
  let soFar = from;
  for (;;) {
    const { items, cursor } = await read(soFar.cursor);
    if (items.length > soFar.items.length - soFar.before) {
      soFar = { ...soFar, items: [...soFar.items.slice(0, soFar.before), ...items] };
      if (cursor !== null) onPage(soFar);
    }
    if (cursor === null) return soFar;
    soFar = { items: soFar.items, cursor, before: soFar.items.length };
  }
}
