import { expect, it } from 'vitest';
import { DAY_MS, windowLabels, windowsOf } from './windows.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');

it('draws the life of a service that is younger than a day, and day and week of an older one', () => {
  expect(windowsOf(NOW - DAY_MS / 2, NOW)).toEqual([{ kind: 'life', windowMs: DAY_MS / 2 }]);
  expect(windowsOf(NOW - DAY_MS, NOW).map(({ kind }) => kind)).toEqual(['day', 'week']);
  expect(windowsOf(null, NOW).map(({ kind }) => kind)).toEqual(['day', 'week']);
});

it('names the second in a window of minutes, and yesterday only in one of a day', () => {
  expect(windowLabels('life', NOW - 120_000, NOW).every((label) => /^\d\d:\d\d:\d\d$/.test(label))).toBe(
    true,
  );
  expect(windowLabels('life', NOW - DAY_MS / 2, NOW)[0]).toMatch(/^\d\d:\d\d$/);
  expect(windowLabels('day', NOW - DAY_MS, NOW)[0]).toMatch(/ yesterday$/);
  expect(windowLabels('week', NOW - 7 * DAY_MS, NOW)).toHaveLength(7);
});
