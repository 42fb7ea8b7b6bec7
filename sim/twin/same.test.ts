import { describe, expect, it } from 'vitest';
import { sameRows, sameValue } from './same.ts';

describe('the same answer', () => {
  it.each([
    ['equal rows', { a: 1, b: { c: [1, '2'] } }, { b: { c: [1, '2'] }, a: 1 }, true],
    ['what is undefined is absent', { a: 1, b: undefined }, { a: 1 }, true],
    ['null is not absent', { a: 1, b: null }, { a: 1 }, false],
    ['absent is not null', { a: 1 }, { a: 1, b: null }, false],
    ['a number is not its digits', { a: 1 }, { a: '1' }, false],
    ['true is not one', { a: true }, { a: 1 }, false],
    ['another element', [1, 2], [1, 3], false],
    ['one element more', [1], [1, 2], false],
    ['a list is not an object', [], {}, false],
    ['no row', undefined, undefined, true],
    ['a row where there is none', undefined, { a: 1 }, false],
  ])('%s', (_, a, b, same) => {
    expect(sameValue(a, b)).toBe(same);
    expect(sameValue(b, a)).toBe(same);
  });
});

describe('the same rows', () => {
  const rows = (...list: string[]) => list.map((text) => ({ at: Number(text[0]), id: text }));

  it('in any order, where none was requested', () => {
    expect(sameRows(rows('1a', '2b'), rows('2b', '1a'))).toBe(true);
    expect(sameRows(rows('1a', '1a'), rows('1a', '1b'))).toBe(false);
  });

  it('in the requested order, whatever the order of ties', () => {
    const order = { order: 'at' } as const;
    expect(sameRows(rows('1a', '2b', '2c'), rows('1a', '2c', '2b'), order)).toBe(true);
    expect(sameRows(rows('1a', '2b'), rows('2b', '1a'), order)).toBe(false);
    expect(sameRows(rows('1a', '2b', '2c'), rows('1a', '2b', '2d'), order)).toBe(false);
  });

  it('either side of a tie that a limit cuts, but not another row before it', () => {
    const first = { order: 'at', limit: 2 } as const;
    expect(sameRows(rows('1a', '2b'), rows('1a', '2c'), first)).toBe(true);
    expect(sameRows(rows('1a', '2b'), rows('1d', '2b'), first)).toBe(false);
    expect(sameRows(rows('1a'), rows('1b'), { limit: 1 })).toBe(true);
    expect(sameRows(rows('1a'), [], { limit: 1 })).toBe(false);
  });
});
