import { expect, it } from 'vitest';
import { SteadyClock } from './steady-clock.ts';

const MINUTE = 60_000;

/** A clock on the wall that can be set, beside time that only passes. */
function wall() {
  const real = { passed: 0, offset: 1_000_000 };
  const steady = new SteadyClock(() => real.passed);
  return {
    steady,
    set: (by: number) => {
      real.offset += by;
    },
    after: (ms: number) => {
      real.passed += ms;
      return steady.tell(real.offset + real.passed);
    },
  };
}

it('is the clock, as long as that goes on', () => {
  const { after, set } = wall();
  expect([after(0), after(5), after(0)]).toEqual([1_000_000, 1_000_005, 1_000_005]);
  set(MINUTE);
  expect(after(1)).toBe(1_060_006);
});

it('never goes back, never stands still, and has caught up in ten times the step', () => {
  const { after, set } = wall();
  const before = after(0);
  set(-MINUTE);
  expect(after(0)).toBe(before);
  expect(after(10_000)).toBe(before + 9_000);
  for (let left = 10 * MINUTE - 10_000; left > 0; left -= 10_000) after(10_000);
  expect(after(1_000)).toBe(before - MINUTE + 10 * MINUTE + 1_000);
});

it('begins where the record ends', () => {
  const { after, steady } = wall();
  steady.tell(2_000_000);
  expect(after(1_000)).toBe(2_000_900);
});
