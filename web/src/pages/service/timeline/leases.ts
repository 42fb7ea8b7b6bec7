import type { LeaseView, Page } from '../../../../../src/contract/answers/views.ts';

/** Leases over time, page by page as they were read. */
export type HeldPages = readonly Page<LeaseView>[];

/** Reads on. A page is kept once all leases of it and of those before it have ended: it changes no more. */
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
