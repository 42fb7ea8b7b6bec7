import { expect, it } from 'vitest';
import { EXITS_KEPT } from '../stability.ts';
import { exitCount } from './exit-count.ts';

it('counts exits in words, and claims no more than it remembers', () => {
  expect([1, 2, 5, EXITS_KEPT].map(exitCount)).toEqual([
    'once in 10 minutes',
    'twice in 10 minutes',
    '5 times in 10 minutes',
    `at least ${EXITS_KEPT} times in 10 minutes`,
  ]);
});
