import { expect, it } from 'vitest';
import { exitCount } from './exit-count.ts';

const params = (exits: number) => ({
  exits,
  firstExit: '2026-11-17T13:23:31.000Z',
  lastExit: '2026-11-17T13:25:40.000Z',
});

it('counts all exits in words, and names the time in which they were seen', () => {
  expect([1, 2, 5, 45].map((exits) => exitCount(params(exits)))).toEqual([
    'once',
    'twice in 2 min',
    '5 times in 2 min',
    '45 times in 2 min',
  ]);
});

it('names a second where they were all found at once', () => {
  const { lastExit } = params(3);
  expect(exitCount({ exits: 3, firstExit: lastExit, lastExit })).toBe('3 times within a second');
});
