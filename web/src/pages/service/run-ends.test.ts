import { expect, it } from 'vitest';
import { exitsBefore } from './run-ends.ts';

const at = (seconds: number) => new Date(Date.parse('2026-11-17T14:00:00Z') + seconds * 1_000).toISOString();

it('an exit stands before the first line after it, at the end if there is none, and never on top', () => {
  const lines = [1, 2, 6, 7].map((seconds) => ({ at: at(seconds) }));
  expect(exitsBefore(lines, [at(0), at(3), at(4), at(9)])).toEqual(
    new Map([
      [2, [at(3), at(4)]],
      [4, [at(9)]],
    ]),
  );
  expect(exitsBefore([], [at(1)])).toEqual(new Map());
});
