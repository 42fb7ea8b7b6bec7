import { Refused } from './problems.ts';
import { type Legible, legible } from './reads/legible.ts';

/** A cursor is opaque, and names the list it was made for. */
export function cursorOf(list: string, after: string): string {
  return Buffer.from(JSON.stringify([list, after])).toString('base64url');
}

/** Where to read on from. Another list's cursor, or one that nobody made, is refused. */
export function readCursor(list: string, cursor: string | undefined, is = /^\d{1,30}$/): string | null {
  if (cursor === undefined) return null;
  try {
    const [of, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (of === list && typeof after === 'string' && is.test(after)) return after;
  } catch {
    // Refused below.
  }
  throw new Refused('invalid_request', 'This cursor is not one of this list.', {
    errors: ['cursor: not of this list'],
  });
}

/** A page of a list: one row more than asked for tells whether there is another. */
export function page<T extends object, I>(
  list: string,
  path: string,
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => string,
  show: (row: T) => I,
  isWhole?: (row: T) => boolean,
): { body: Legible<I> & { cursor: string | null }; headers: Record<string, string> } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const cursor = rows.length > limit && last !== undefined ? cursorOf(list, keyOf(last)) : null;
  const [at, query = ''] = path.split('?');
  const next = new URLSearchParams(query);
  if (cursor !== null) next.set('cursor', cursor);
  return {
    body: { ...legible(shown, keyOf, show, isWhole), cursor },
    headers: cursor === null ? {} : { link: `<${at}?${next}>; rel="next"` },
  };
}
