import { expect, it } from 'vitest';
import { etagOf } from './etag.ts';

it('a tag is of the content without its time, wherever that stands', () => {
  const body = (now: string, ageMs: number | null) => ({
    now,
    claim: { state: 'running', now, ageMs },
    last: ageMs,
  });
  const tag = etagOf({ ...body('2026-11-14T14:02:00.000Z', 5), last: 1 });
  expect(etagOf({ ...body('2026-11-14T14:02:07.123Z', 7_123.5), last: 1 })).toBe(tag);
  expect(etagOf({ ...body('2026-11-14T14:02:07.123Z', null), last: 1 })).toBe(tag);
  expect(etagOf({ ...body('2026-11-14T14:02:00.000Z', 5), last: 2 })).not.toBe(tag);
});

it('a text that speaks of such a field is content', () => {
  const says = (message: string) => etagOf({ message, ageMs: 1 });
  expect(says('{"now":"a"}')).not.toBe(says('{"now":"b"}'));
  expect(says('"ageMs":1')).not.toBe(says('"ageMs":2'));
  expect(says('\\"now\\":"a"')).not.toBe(says('\\"now\\":"b"'));
});

it('of an attempt in progress the stages count and not how long they took', () => {
  const tried = (ms: number, endedAt: string | null) => etagOf({ stages: [{ stage: 'build', ms }], endedAt });
  expect(tried(1, null)).toBe(tried(2, null));
  expect(tried(1, 'then')).not.toBe(tried(2, 'then'));
});
