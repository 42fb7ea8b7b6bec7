import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AwakeClock } from './awake-clock.ts';

let at = 0;
const advance = (ms: number) => {
  at += ms;
  vi.advanceTimersByTime(ms);
};
beforeEach(() => {
  at = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});
const awake = (ms: number) => {
  for (let left = ms; left > 0; left -= 100) advance(Math.min(100, left));
};

it('acts after the time has passed', () => {
  const clock = new AwakeClock(() => at);
  const act = vi.fn();
  clock.after(1_000, act);
  awake(900);
  expect(act).not.toHaveBeenCalled();
  awake(200);
  expect(act).toHaveBeenCalledOnce();
});

it('does not count the time in which the process did not run: nobody could be heard then (F115)', () => {
  const clock = new AwakeClock(() => at);
  const act = vi.fn();
  clock.after(1_000, act);
  awake(300);
  at += 60_000;
  awake(300);
  expect(act).not.toHaveBeenCalled();
  awake(700);
  expect(act).toHaveBeenCalledOnce();
});

it('can be called off', () => {
  const clock = new AwakeClock(() => at);
  const act = vi.fn();
  clock.after(1_000, act)();
  awake(2_000);
  expect(act).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
