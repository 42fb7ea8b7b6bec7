import { expect, it } from 'vitest';
import { clockTime } from '../../../src/contract/presentation/times.ts';
import { datedPieces } from './dated-pieces.ts';

const NOW = Date.parse('2026-11-17T13:27:41.000Z');
const before = (s: number) => new Date(NOW - s * 1000).toISOString();
const found = (text: string, moments: readonly string[]) =>
  datedPieces(text, moments, NOW).flatMap(({ text: words, at }) => (at === null ? [] : [[words, at]]));

it('finds the moments that a sentence names, by their time of day and by their age', () => {
  const at = before(371);
  const text = `It was running at ${clockTime(at)}, 6 min 11 s ago.`;
  expect(found(text, [at])).toEqual([[clockTime(at), at]].concat([['6 min 11 s ago', at]]));
  expect(
    datedPieces(text, [at], NOW)
      .map((one) => one.text)
      .join(''),
  ).toBe(text);
});

it('takes no other number for a moment', () => {
  expect(found('Exited twice, the last time 12 s ago.', [before(2)])).toEqual([]);
  expect(found('r4 exits with code 1.', [before(4)])).toEqual([]);
});

it('takes nothing twice where two moments read alike', () => {
  const text = 'Heard 5 s ago, and 5 s ago.';
  expect(found(text, [before(5), before(5)])).toEqual([['5 s ago', before(5)]]);
});
