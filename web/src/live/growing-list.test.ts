import { describe, expect, it } from 'vitest';
import { EMPTY_LIST, type GrowingList, readMore } from './growing-list.ts';

/** A list of the server: pages of three, with a cursor that names the item before the next page. */
const pagesOf =
  (all: readonly number[], cursors: (string | null)[] = []) =>
  async (cursor: string | null) => {
    cursors.push(cursor);
    const from = cursor === null ? 0 : all.indexOf(Number(cursor)) + 1;
    const items = all.slice(from, from + 3);
    return { items, cursor: all.length > from + 3 ? String(items.at(-1)) : null };
  };
const NOTHING: GrowingList<number> = EMPTY_LIST;
const ALL = [1, 2, 3, 4, 5, 6, 7, 8];

describe('a list that only grows at its end', () => {
  it('is read page by page, and displayed as far as it was read', async () => {
    const lengths: number[] = [];
    const read = await readMore(NOTHING, pagesOf(ALL), ({ items }) => lengths.push(items.length));
    expect(read.items).toEqual(ALL);
    expect(lengths).toEqual([3, 6]);
  });

  it('is the same where no item was added', async () => {
    const read = await readMore(NOTHING, pagesOf(ALL));
    expect(await readMore(read, pagesOf(ALL))).toBe(read);
  });

  it('reads only its last page again, and the ones after it', async () => {
    const read = await readMore(NOTHING, pagesOf(ALL));
    const cursors: (string | null)[] = [];
    const more = [...ALL, 9, 10, 11];
    expect((await readMore(read, pagesOf(more, cursors))).items).toEqual(more);
    expect(cursors).toEqual(['6', '9']);
  });

  it('loses and doubles no item, however it grows', async () => {
    let read = NOTHING;
    for (let n = 0; n <= 20; n += 1) {
      const all = Array.from({ length: n }, (_, i) => i + 1);
      read = await readMore(read, pagesOf(all));
      expect(read.items).toEqual(all);
    }
  });
});
