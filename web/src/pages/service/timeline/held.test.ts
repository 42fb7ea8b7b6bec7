import { expect, it } from 'vitest';
import type { LeaseView, Page } from '../../../../../src/contract/answers/views.ts';
import { readHeld } from './leases.ts';

const lease = (id: string, endedAt: string | null) => ({ lease: id, endedAt }) as LeaseView;
const ENDED = '2026-01-01T00:00:00.000Z';

it('reads only pages again that may have changed: from the first with an open lease', async () => {
  const record: Record<string, Page<LeaseView>> = {
    start: { items: [lease('a', ENDED)], cursor: '1' },
    1: { items: [lease('b', null)], cursor: '2' },
    2: { items: [lease('c', ENDED)], cursor: null },
  };
  const cursors: (string | null)[] = [];
  const read = async (cursor: string | null) => {
    cursors.push(cursor);
    return record[cursor ?? 'start'] as Page<LeaseView>;
  };
  const first = await readHeld([], read);
  expect(cursors.splice(0)).toEqual([null, '1', '2']);
  record[1] = { items: [lease('b', ENDED)], cursor: '2' };
  const second = await readHeld(first, read);
  expect(cursors.splice(0), 'the first page is kept').toEqual(['1', '2']);
  expect(second.flatMap(({ items }) => items.map(({ endedAt }) => endedAt))).toEqual([ENDED, ENDED, ENDED]);
  record[2] = { items: [lease('c', ENDED)], cursor: '3' };
  record[3] = { items: [lease('d', null)], cursor: null };
  const third = await readHeld(second, read);
  expect(cursors, 'the last page grows').toEqual(['2', '3']);
  expect(third.flatMap(({ items }) => items.map(({ lease }) => lease))).toEqual(['a', 'b', 'c', 'd']);
});
