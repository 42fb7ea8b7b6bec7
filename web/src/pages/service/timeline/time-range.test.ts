import { describe, expect, it } from 'vitest';
import { clampedRange, fullLife, lengthOf, moved, showing, zoomed } from './time-range.ts';

const LIFE = { from: 1_000_000, to: 1_100_000 };
const SIGHT = { from: 1_020_000, to: 1_040_000 };

describe('a range of time', () => {
  it('zooms around a place, which stays where it is', () => {
    const near = zoomed(SIGHT, 2, 0.25, LIFE);
    expect(lengthOf(near)).toBe(10_000);
    expect(near.from + 0.25 * lengthOf(near)).toBe(SIGHT.from + 0.25 * lengthOf(SIGHT));
  });

  it('zooms in no further than instants can be distinguished, and out no further than all of life', () => {
    expect(lengthOf(zoomed(SIGHT, 1e9, 0.5, LIFE))).toBe(40);
    expect(lengthOf(zoomed(SIGHT, 1e-9, 0.5, LIFE))).toBeCloseTo(108_000);
  });

  it('moves, and always keeps some of life in sight', () => {
    expect(moved(SIGHT, 0.5, LIFE)).toEqual({ from: 1_030_000, to: 1_050_000 });
    const far = moved(SIGHT, 1_000, LIFE);
    expect(far.from).toBeLessThan(LIFE.to);
    expect(moved(SIGHT, -1_000, LIFE).to).toBeGreaterThan(LIFE.from);
  });

  it('shows all of life, with room around it', () => {
    expect(fullLife(LIFE)).toEqual({ from: 996_000, to: 1_104_000 });
    expect(lengthOf(fullLife({ from: 5, to: 5 }))).toBe(40);
  });

  it('follows an instant only when that is out of sight', () => {
    expect(showing(SIGHT, 1_030_000, LIFE)).toBe(SIGHT);
    expect(showing(SIGHT, null, LIFE)).toBe(SIGHT);
    const later = showing(SIGHT, 1_090_000, LIFE);
    expect(later.from).toBeLessThan(1_090_000);
    expect(later.to).toBeGreaterThan(1_090_000);
    expect(lengthOf(later)).toBe(lengthOf(SIGHT));
  });

  it('is held within life when that grows', () => {
    expect(clampedRange(SIGHT, LIFE)).toEqual(SIGHT);
  });
});
