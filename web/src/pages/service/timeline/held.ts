import type { LeaseView, Page } from '../../../../../src/contract/answers/views.ts';

/** Who held what when, page by page as it was read. */
export type HeldPages = readonly Page<LeaseView>[];

/** Reads on. Where all leases of a page and of those before it have ended nothing changes any more: it is kept. */
export async function readHeld(
  before: HeldPages,
  read: (cursor: string | null) => Promise<Page<LeaseView>>,
): Promise<HeldPages> {
  const open = before.findIndex(
    ({ items, cursor }) => cursor === null || items.some(({ endedAt }) => endedAt === null),
  );
  const pages = before.slice(0, Math.max(0, open));
  for (let cursor = pages.at(-1)?.cursor ?? null; ; ) {
    const page = await read(cursor);
    pages.push(page);
    if (page.cursor === null) return pages;
    cursor = page.cursor;
  }
}
