import { expect, it } from 'vitest';
import { lastRunOf } from './last-run.ts';

const at = (ms: number) => new Date(Date.parse('2026-11-17T13:00:00Z') + ms).toISOString();
const lines = [100, 110, 30_000, 30_020, 60_000].map((ms) => ({ at: at(ms), line: `at ${ms}` }));
const shown = (...exits: readonly number[]) =>
  lastRunOf(
    lines,
    exits.map((ms) => ({ at: at(ms) })),
  ).map(({ line }) => line);

it('takes the lines of the run that ended last, also those that were read a moment after its end', () => {
  expect(shown(105, 30_010)).toEqual(['at 30000', 'at 30020']);
  expect(shown(105, 30_010, 60_005)).toEqual(['at 60000']);
});

it('takes the run before where nothing was read of the last one, and all lines where nothing exited', () => {
  expect(shown(105, 30_010, 60_005, 90_000)).toEqual(['at 60000']);
  expect(shown()).toHaveLength(5);
});

it('parts runs by their begins, where these are known: a line that was read late is none of the next run', () => {
  const late = [100, 1_900, 2_500, 2_510].map((ms) => ({ at: at(ms), line: `at ${ms}` }));
  const runs = [
    { at: at(1_000), startedAt: at(50) },
    { at: at(2_505), startedAt: at(2_000) },
  ];
  expect(lastRunOf(late, runs).map(({ line }) => line)).toEqual(['at 2500', 'at 2510']);
  expect(lastRunOf(late.slice(0, 2), runs).map(({ line }) => line)).toEqual(['at 100', 'at 1900']);
});
