import { expect, it } from 'vitest';
import { exitCount, exitsOfInstances } from './exit-count.ts';

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

it('counts the exits of instances, and what their runtime counts only where none was seen', () => {
  const exits = { count: 3, first: '2026-11-17T13:23:31.000Z', last: '2026-11-17T13:25:40.000Z' };
  const other = { count: 1, first: '2026-11-17T13:20:31.000Z', last: '2026-11-17T13:20:31.000Z' };
  expect(exitsOfInstances([{ exits, restarts: 2 }])).toBe('exited 3 times in 2 min');
  expect(
    exitsOfInstances([
      { exits, restarts: 2 },
      { exits: other, restarts: 1 },
    ]),
  ).toBe('exited 4 times in 5 min');
  expect(exitsOfInstances([{ exits: null, restarts: 7 }])).toBe('restarted 7 times in all');
  expect(exitsOfInstances([{ exits: null, restarts: 0 }])).toBe(null);
});
