import { describe, expect, it } from 'vitest';
import { countedExits, isCrashLoop, stabilityWindow } from './stability.ts';

const MINUTE = 60_000;

describe('the window of an instance (F113)', () => {
  it.each([
    ['is the plain one without an exit, however short', [], 50, 50],
    ['doubles with an exit', [0], 3_000, 6_000],
    ['doubles with each exit', [0, 1_000], 3_000, 12_000],
    ['is never doubled from less than a second', [0], 50, 2_000],
    ['counts only ten minutes up to the last exit', [0, 11 * MINUTE], 3_000, 6_000],
    ['counts an exit ten minutes before the last', [0, 10 * MINUTE], 3_000, 12_000],
    ['ends at ten minutes', Array.from({ length: 16 }, (_, i) => i), 3_000, 10 * MINUTE],
    ['ends at a plain window that is longer', [0, 1, 2], 15 * MINUTE, 15 * MINUTE],
    ['is twice the longest life in a crash loop', [0, 20_000, 60_000], 3_000, 80_000],
    ['may exceed ten minutes by the longest life', [0, 1_000, 9 * MINUTE], 3_000, 2 * (9 * MINUTE - 1_000)],
    ['does not depend on lives before a crash loop', [0, 9 * MINUTE], 3_000, 12_000],
  ])('%s', (_, exits, stabilityMs, expected) => {
    expect(stabilityWindow(exits, stabilityMs)).toBe(expected);
    expect(stabilityWindow(exits.toReversed(), stabilityMs)).toBe(expected);
  });
});

describe('a crash loop', () => {
  it('is three exits within ten minutes', () => {
    expect(isCrashLoop([0, 1])).toBe(false);
    expect(isCrashLoop([0, 1, 2])).toBe(true);
    expect(isCrashLoop([0, 5 * MINUTE, 10 * MINUTE])).toBe(true);
    expect(isCrashLoop([0, 5 * MINUTE, 10 * MINUTE + 1])).toBe(false);
    expect(countedExits([])).toEqual([]);
  });
});
