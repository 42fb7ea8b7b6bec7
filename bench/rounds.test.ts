import { describe, expect, it } from 'vitest';
import { interleaved, quantile, rateOf } from './rounds.ts';

describe('rounds and rates of the benchmarks', () => {
  it('counts the units of every caller, however their turns interleave', async () => {
    let units = 0;
    const began = performance.now();
    const rate = await rateOf(20, 8, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      units += 3;
      return 3;
    });
    const seconds = (performance.now() - began) / 1000;
    expect(rate * seconds).toBeGreaterThanOrEqual(units);
  });

  it('runs the sides in turn and compares within a round', async () => {
    const order: string[] = [];
    const slow = [1, 10, 20, 30];
    const fast = [1, 5, 40, 10];
    const side = (name: string, values: number[]) => async () => {
      order.push(name);
      return values.shift() ?? 0;
    };
    const result = await interleaved(
      { rounds: 3, budgetMs: 10_000 },
      { a: side('a', slow), b: side('b', fast) },
    );
    expect(order.join('')).toBe('abababab');
    expect(result.median('a')).toBe(20);
    expect(result.ratio('a', 'b')).toBe(2);
  });

  it('counts no unit of the warm-up', async () => {
    let turns = 0;
    const warmedFor: number[] = [];
    const began = performance.now();
    const result = await interleaved(
      { rounds: 2, budgetMs: 10_000, warmMs: 20 },
      {
        a: async () => {
          warmedFor.push(performance.now() - began);
          await new Promise((resolve) => setImmediate(resolve));
          return ++turns;
        },
      },
    );
    expect(warmedFor.at(-2)).toBeGreaterThanOrEqual(20);
    expect(result.median('a')).toBe(turns);
  });

  it('computes a quantile of the measured values', () => {
    expect(quantile([3, 1, 2], 0.5)).toBe(2);
    expect(quantile([3, 1, 2], 0.99)).toBe(3);
  });
});
