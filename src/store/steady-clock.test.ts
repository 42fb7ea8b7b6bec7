import { expect, it } from 'vitest';
import { type ClockSetBack, SteadyClock } from './steady-clock.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A wall clock that can be set, beside a monotonic time. */
function wall() {
  const real = { passed: 0, offset: 1_000_000 };
  const found: ClockSetBack[] = [];
  const options = { awayMs: MINUTE, onSetBack: (back: ClockSetBack) => found.push(back) };
  const steady = new SteadyClock(options, () => real.passed);
  return {
    steady,
    found,
    set: (by: number) => {
      real.offset += by;
    },
    after: (ms: number) => {
      real.passed += ms;
      return steady.advance(real.offset + real.passed);
    },
  };
}

it('follows the wall clock while that goes forward', () => {
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

it('begins with the wall clock where that is ahead of the record, without a notice', () => {
  const { after, steady, found } = wall();
  steady.begin(1_000_000, [1_000_000]);
  expect([after(1_000), steady.isBehind, found]).toEqual([1_001_000, false, []]);
});

it('begins past the record by the time that must have passed, where the wall clock is behind it', () => {
  const { after, steady, found } = wall();
  steady.begin(1_000_000, [2_000_000]);
  expect([after(1_000), steady.isBehind]).toEqual([2_000_900 + MINUTE, true]);
  expect(found).toEqual([{ byMs: 1_000_000, found: 'at the start' }]);
});

it.each([
  ['nothing is on record', [], 0],
  ['two kinds are near each other', [100 * DAY, 100 * DAY - MINUTE, 3 * DAY], 100 * DAY],
  ['there is one kind alone', [100 * DAY], 100 * DAY],
  ['it is near the clock, and the others are old', [DAY / 2, 5, 3], DAY / 2],
  ['no other is near: the second newest', [100 * DAY, 2 * DAY, 2 * DAY - MINUTE], 2 * DAY],
  ['none is near another: the second newest', [100 * DAY, 5 * DAY, 2 * DAY], 5 * DAY],
])('uses the newest credible instant: %s', (_, newest, believed) => {
  const ignored: number[] = [];
  const steady = new SteadyClock({ onInstantIgnored: (instant) => ignored.push(instant) }, () => 0);
  steady.begin(0, newest.toReversed());
  expect(steady.advance(0)).toBe(believed);
  expect(ignored).toEqual(newest.filter((instant) => instant > believed));
});

it('reports each step back once, and none for answers that overtake each other', () => {
  const { after, set, found } = wall();
  after(0);
  set(-5);
  after(0);
  set(-MINUTE);
  for (let n = 0; n < 3; n++) after(1_000);
  set(-MINUTE);
  after(0);
  expect(found).toEqual([
    { byMs: MINUTE - 1_000, found: 'while running' },
    { byMs: MINUTE, found: 'while running' },
  ]);
});

it('follows another clock that is ahead, and no other', () => {
  const { after, steady } = wall();
  steady.begin(1_000_000, [2_000_000]);
  const time = after(0);
  expect([steady.follow(time - 1), steady.follow(time + MINUTE), after(0)]).toEqual([
    time,
    time + MINUTE,
    time + MINUTE,
  ]);
});
