import { NAMELESS } from '../../store/broken-row.ts';
import { type Listing, listing } from '../reads/listing.ts';
import { Refused } from './problems.ts';
import type { Call } from './route.ts';

/** Encodes a cursor: opaque, and bound to the list that it was created for. */
export function cursorOf(list: string, after: string): string {
  return Buffer.from(JSON.stringify([list, after])).toString('base64url');
}

/** Reads the key after which a page begins. Refuses another list's cursor and a forged one. */
export function readCursor(list: string, cursor: string | undefined, is = /^\d{1,30}$/): string | null {
  if (cursor === undefined) return null;
  try {
    const [of, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (of === list && typeof after === 'string' && is.test(after)) return after;
  } catch {
    // Refused below.
  }
  throw new Refused('invalid_request', 'This cursor belongs to another list.', {
    errors: ['cursor: not of this list'],
  });
}

/**
 * Builds a page of a list. One row more than the limit means that there is a next page. `view` is null for a
 * row that cannot be read.
 */
export function page<T, I>(
  list: string,
  path: string,
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => string | undefined,
  view: (row: T) => I | null,
): { body: Listing<I> & { cursor: string | null }; headers: Record<string, string> } {
  const onPage = rows.slice(0, limit);
  const last = onPage.at(-1);
  const cursor = rows.length > limit && last !== undefined ? cursorOf(list, keyOf(last) ?? NAMELESS) : null;
  return { body: { ...listing(onPage, keyOf, view), cursor }, headers: linkTo(path, cursor) };
}

function linkTo(path: string, cursor: string | null): Record<string, string> {
  if (cursor === null) return {};
  const [at, query = ''] = path.split('?');
  const next = new URLSearchParams(query);
  next.set('cursor', cursor);
  return { link: `<${at}?${next}>; rel="next"` };
}

/**
 * Answers a short list completely, or in pages where a limit is requested. Items are ordered by `rankOf`, so
 * that an item that comes or goes between two pages neither hides nor repeats another.
 */
export function inPages<I>(
  list: string,
  {
    request,
    query,
  }: Pick<Call<{ limit: number; cursor?: string | undefined }, unknown>, 'request' | 'query'>,
  all: Listing<I>,
  rankOf: (item: I) => string,
): { body: Listing<I> & { cursor: string | null }; headers: Record<string, string> } {
  const after = readCursor(list, query.cursor, ANY_RANK) ?? '';
  const ranked = all.items
    .map((item) => ({ item, rank: rankOf(item) }))
    .filter(({ rank }) => rank > after)
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const onPage = ranked.slice(0, query.limit);
  const last = onPage.at(-1);
  const cursor = ranked.length > onPage.length && last !== undefined ? cursorOf(list, last.rank) : null;
  return {
    body: { ...all, items: onPage.map(({ item }) => item), cursor },
    headers: linkTo(request.url, cursor),
  };
}

const ANY_RANK = /^.{1,1000}$/s;
