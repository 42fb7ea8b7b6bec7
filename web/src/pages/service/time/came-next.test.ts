import { expect, it } from 'vitest';
import type { Stop } from '../../../../../src/contract/presentation/life.ts';
import { cameNext, exitsUntil } from './came-next.ts';

const T0 = Date.parse('2026-11-17T13:23:40.000Z');
const stop = (afterMs: number, to: Stop['to'], revision: number): Stop => ({
  at: new Date(T0 + afterMs).toISOString(),
  ms: T0 + afterMs,
  to,
  revision,
  attempt: 1,
});
const STOPS = [stop(-19_000, 'starting', 42), stop(23_000, 'failed', 42), stop(90_000, 'accepted', 43)];

it('what came next is the next change, how much later, and whether another revision took over', () => {
  expect(cameNext(STOPS, T0, 42, T0 + 300_000)).toMatchObject({ what: 'Failed.', at: STOPS[1]?.at });
  expect(cameNext(STOPS, T0, 42, T0 + 300_000)?.when).toMatch(/^23 s later, at \d\d:\d\d:\d\d:$/);
  const failed = {
    state: 'failed',
    ...{ message: { code: 'failed.ends', title: '', body: '' }, timeout: null },
    proof: { reached: [], stoppedAt: 'starting', evidence: [] },
  } as const;
  expect(cameNext(STOPS, T0, 42, T0 + 300_000, failed)?.what, 'once its claim was read').toBe(
    'Failed at start.',
  );
  expect(cameNext(STOPS, T0 + 30_000, 42, T0 + 300_000)?.what).toBe('Accepted, r43.');
  expect(cameNext(STOPS, T0 + 90_000, 43, T0 + 300_000)).toBeNull();
});

it('exits change no state, and are counted between two instants', () => {
  const tick = (ms: number, kind: 'exit' | 'deploy', count?: number) => ({
    ...{ at: new Date(ms).toISOString(), revision: 1, attempt: 1, kind },
    ...(count !== undefined && { count }),
  });
  const ticks = [tick(1_000, 'exit'), tick(2_000, 'exit', 3), tick(3_000, 'deploy'), tick(4_000, 'exit')];
  expect(exitsUntil(ticks, 1_000, 3_500)).toBe(3);
  expect(exitsUntil(ticks, 4_000, 9_000)).toBe(0);
});
