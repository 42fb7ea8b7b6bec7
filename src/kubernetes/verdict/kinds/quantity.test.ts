import { describe, expect, it } from 'vitest';
import { quantity } from './quantity.ts';

describe('a quantity', () => {
  it.each([
    ['10Gi', 10 * 2 ** 30],
    ['5G', 5e9],
    ['1.5Ti', 1.5 * 2 ** 40],
    ['1024', 1024],
    ['500m', 0.5],
    ['1e3', 1000],
    ['12E', 12e18],
    ['.5Ki', 512],
  ])('%s', (text, expected) => {
    expect(quantity(text)).toBeCloseTo(expected, 6);
  });

  it.each(['', 'Gi', '10 Gi', '10gi', 'ten', '1e', '0x10', null])('%s is none', (text) => {
    expect(quantity(text)).toBeNull();
  });
});
