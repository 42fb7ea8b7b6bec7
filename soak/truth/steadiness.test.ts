import { describe, expect, it } from 'vitest';
import { NO_EXITS, steadinessAfter } from './steadiness.ts';

const S = 1_000;

describe('the window that exits leave behind', () => {
  it('doubles with each exit of the ten minutes up to the last', () => {
    expect(steadinessAfter([], S)).toEqual(NO_EXITS);
    expect(steadinessAfter([5 * S], S)).toEqual({ exits: 1, windowMs: 2 * S });
    expect(steadinessAfter([5 * S, 6 * S], 3 * S)).toEqual({ exits: 2, windowMs: 12 * S });
    expect(steadinessAfter([0, 700 * S], S)).toEqual({ exits: 1, windowMs: 2 * S });
  });

  it('is twice the longest life in a crash loop, and never above ten minutes', () => {
    expect(steadinessAfter([0, 20 * S, 40 * S], S)).toEqual({ exits: 3, windowMs: 40 * S });
    expect(steadinessAfter([0, 20 * S, 500 * S], S).windowMs).toBe(600 * S);
  });
});
