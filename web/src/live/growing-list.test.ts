import { describe, expect, it } from 'vitest';
import { EMPTY_LIST, type GrowingList, readMore } from './growing-list.ts';

/** A list of the server: pages of three, and a cursor that says after which item to go on. */
const pagesOf =
  (all: readonly number[], asked: (string | null)[] = []) =>
  async (cursor: string | null) => {
    asked.push(cursor);
    const from = cursor === null ? 0 : all.indexOf(Number(cursor)) + 1;
    const items = all.slice(from, from + 3);
    return { items, cursor: all.length > from + 3 ? String(items.at(-1)) : null };
  };
const NOTHING: GrowingList<number> = EMPTY_LIST;
const ALL = [1, 2, 3, 4, 5, 6, 7, 8];

describe('a list that only grows at its end', () => {
  it('is read page by page, and shown as far as it was read', async () => {
    const shown: number[] = [];
    const read = await readMore(NOTHING, pagesOf(ALL), ({ items }) => shown.push(items.length));
    expect(read.items).toEqual(ALL);
    expect(shown).toEqual([3, 6]);
  });

  it('is the same where nothing came', async () => {
    const read = await readMore(NOTHING, pagesOf(ALL));
    expect(await readMore(read, pagesOf(ALL))).toBe(read);
  });

  it('reads only its last page again, and what came after it', async () => {
    const read = await readMore(NOTHING, pagesOf(ALL));
    const asked: (string | null)[] = [];
    const more = [...ALL, 9, 10, 11];
    expect((await readMore(read, pagesOf(more, asked))).items).toEqual(more);
    expect(asked).toEqual(['6', '9']);
  });

  it('loses and doubles nothing, however it grows', async () => {
    let read = NOTHING;
    for (let n = 0; n <= 20; n += 1) {
      const all = Array.from({ length: n }, (_, i) => i + 1);
      read = await readMore(read, pagesOf(all));
      expect(read.items).toEqual(all);
    }
  });
});
