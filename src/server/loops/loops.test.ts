import type { FastifyBaseLogger } from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import type { Metrics } from '../metrics.ts';
import { Loops } from './loops.ts';

afterEach(() => vi.useRealTimers());

it('a loop runs when its last turn wants it to, and never later than its interval', async () => {
  vi.useFakeTimers();
  const loops = new Loops({} as FastifyBaseLogger, { turned: () => {} } as unknown as Metrics);
  const wanted = [300, 5_000];
  const turns: number[] = [];
  const turn = async () => {
    turns.push(Date.now());
  };
  loops.start({ name: 'sweeper', everyMs: 1_000, turn, nextMs: () => wanted.shift() ?? 1_000 });
  await vi.advanceTimersByTimeAsync(1_400);
  await loops.stop();
  const [first = 0] = turns;
  expect(turns.map((at) => at - first)).toEqual([0, 300, 1_300]);
});
