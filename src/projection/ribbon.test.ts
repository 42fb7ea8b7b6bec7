import { expect, it } from 'vitest';
import { coarsened, holdingOf, stretchesOf, timeInStates } from './ribbon.ts';

const WINDOW = { from: 100, to: 200 };
const shown = (stretches: ReturnType<typeof stretchesOf>) =>
  stretches.map(({ state, from, to }) => `${state} ${from}-${to}`).join(', ');

it('begins with the state at the start of the window, and ends with the window', () => {
  const changes = [
    { at: 50, to: 'starting' },
    { at: 60, to: 'running' },
    { at: 150, to: 'unknown' },
    { at: 170, to: 'running' },
    { at: 230, to: 'failed' },
  ] as const;
  expect(shown(stretchesOf(changes, WINDOW))).toBe('running 100-150, unknown 150-170, running 170-200');
});

it('begins with the first change of a younger service, and is empty before it', () => {
  expect(shown(stretchesOf([{ at: 140, to: 'accepted' }], WINDOW))).toBe('accepted 140-200');
  expect(stretchesOf([{ at: 240, to: 'accepted' }], WINDOW)).toEqual([]);
  expect(stretchesOf([], WINDOW)).toEqual([]);
});

it('joins changes within a state, and never goes back in time', () => {
  const changes = [
    { at: 100, to: 'running' },
    { at: 120, to: 'running' },
    { at: 110, to: 'failed' },
  ] as const;
  expect(shown(stretchesOf(changes, WINDOW))).toBe('running 100-120, failed 120-200');
});

it('does not know what was lost by a restore (F54)', () => {
  const changes = [{ at: 90, to: 'running' }] as const;
  expect(shown(stretchesOf(changes, WINDOW, [{ from: 120, to: 130 }]))).toBe(
    'running 100-120, unknown 120-130, running 130-200',
  );
});

it('counts the time in each state', () => {
  const changes = [
    { at: 90, to: 'running' },
    { at: 150, to: 'unknown' },
    { at: 160, to: 'running' },
  ] as const;
  expect(timeInStates(stretchesOf(changes, WINDOW))).toEqual({ running: 90, unknown: 10 });
});

it('shows the state that calls for the most attention where stretches are too short to show', () => {
  const flaps = Array.from({ length: 50 }, (_, i) => [
    { at: 100 + i, to: 'running' as const },
    { at: 100.5 + i, to: 'degraded' as const },
  ]).flat();
  const changes = [...flaps, { at: 150, to: 'running' as const }, { at: 151, to: 'failed' as const }];
  const all = [...changes, { at: 152, to: 'running' as const }];
  const stretches = stretchesOf(all, WINDOW);
  expect(stretches.length).toBeGreaterThan(100);
  expect(shown(coarsened(stretches, WINDOW, 10))).toBe('degraded 100-150, failed 150-160, running 160-200');
  expect(coarsened(stretches, WINDOW, 1_000)).toEqual(stretches);
});

it('covers the window with few points as with many', () => {
  const changes = Array.from({ length: 97 }, (_, i) => ({
    at: 101 + i,
    to: i % 2 ? ('running' as const) : ('unknown' as const),
  }));
  for (const points of [1, 2, 3, 7, 50]) {
    const shown = coarsened(stretchesOf(changes, WINDOW), WINDOW, points);
    expect(shown.length).toBeLessThanOrEqual(points);
    expect(shown[0]?.from).toBe(101);
    expect(shown.at(-1)?.to).toBe(200);
    for (const [i, { from }] of shown.entries()) if (i > 0) expect(from).toBe(shown[i - 1]?.to);
  }
});

it('a state that is as before after a silence has held all the while, but for that silence', () => {
  const changes = [
    { at: 100, to: 'starting' },
    { at: 110, to: 'running' },
    { at: 150, to: 'unknown' },
    { at: 158, to: 'running' },
    { at: 170, to: 'unknown' },
    { at: 171, to: 'running' },
  ] as const;
  const stretches = stretchesOf(changes, WINDOW);
  expect(holdingOf(stretches, [100])).toEqual({ since: 110, unknownMs: 9 });
  expect(holdingOf(stretches, [100, 155]), 'another attempt is another life').toEqual({
    ...{ since: 158, unknownMs: 1 },
  });
  expect(holdingOf(stretchesOf(changes.slice(0, 3), WINDOW), [100])).toBe(null);
  expect(holdingOf(stretchesOf(changes.slice(0, 2), WINDOW), [])).toEqual({ since: 110, unknownMs: 0 });
});
