import { expect, it } from 'vitest';
import { EXITS_KEPT } from '../stability.ts';
import { exitCount } from './exit-count.ts';

const params = (exits: number) => ({
  exits,
  firstExit: '2026-11-17T13:23:31.000Z',
  lastExit: '2026-11-17T13:25:40.000Z',
});

it('counts exits in words, and claims no more than it remembers', () => {
  expect([1, 2, 5, EXITS_KEPT].map((exits) => exitCount(params(exits)))).toEqual([
    'once',
    'twice in 2 min',
    '5 times in 2 min',
    `at least ${EXITS_KEPT} times in 2 min`,
  ]);
});

it('names the time in which exits count where they were all found at once', () => {
  const { lastExit } = params(3);
  expect(exitCount({ exits: 3, firstExit: lastExit, lastExit })).toBe('3 times in 10 minutes');
  expect(exitCount({ exits: 3, lastExit })).toBe('3 times in 10 minutes');
});
