import { expect, it } from 'vitest';
import type { Instance } from '../contract/report.ts';
import { ExitMemory } from './exit-memory.ts';

const seen = (restarts: number, reason: Instance['reason'] = null) =>
  [{ uid: 'u1', restarts, reason }] as unknown as readonly Instance[];

it('has the window of the server: doubled by each exit, and twice the longest life in what its runtime calls a crash loop', () => {
  const memory = new ExitMemory();
  memory.observe(seen(0), 0);
  expect(memory.windowMs('u1', 3_000), 'it never exited').toBeNull();
  memory.observe(seen(1), 20_000);
  expect(memory.windowMs('u1', 3_000)).toBe(6_000);
  const other = new ExitMemory();
  for (const [restarts, at] of [
    [0, 0],
    [1, 20_000],
    [2, 50_000],
  ] as const)
    other.observe(seen(restarts), at);
  expect(other.windowMs('u1', 3_000)).toBe(12_000);
  memory.observe(seen(1, 'crash_loop'), 40_000);
  memory.observe(seen(2), 50_000);
  expect(memory.windowMs('u1', 3_000)).toBe(60_000);
});
