import { expect, it } from 'vitest';
import { nextDelayMs } from './schedule.ts';

it('is tried ten times within four days, and then given up', () => {
  const delays = Array.from({ length: 10 }, (_, i) => nextDelayMs(i + 1, null, 0.5));
  expect(delays.map((ms) => ms && ms / 1_000)).toEqual([
    ...[5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
    null,
  ]);
});

it('is spread by a fifth to both sides', () => {
  expect([nextDelayMs(1, null, 0), nextDelayMs(1, null, 1)]).toEqual([4_000, 6_000]);
});

it('waits for as long as the receiver asks, up to a day, and never less than planned', () => {
  expect(nextDelayMs(1, 60_000, 0.5)).toBe(60_000);
  expect(nextDelayMs(1, 10, 0.5)).toBe(5_000);
  expect(nextDelayMs(1, 365 * 86_400_000, 0.5)).toBe(86_400_000);
});
