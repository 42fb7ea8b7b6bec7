import { expect, it } from 'vitest';
import { SharedReads } from '../reads/shared-reads.ts';
import { levelOf } from './log-level.ts';
import { Refused } from './problems.ts';

it('a viewer who asks and leaves, again and again, writes no line at the levels that are kept (F125)', async () => {
  const reads = new SharedReads();
  const left = new AbortController();
  const work = (signal: AbortSignal) =>
    new Promise<never>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
  const answer = reads.read('a', 'x', work, left.signal);
  await new Promise((turn) => setImmediate(turn));
  left.abort();
  const refused = await answer.catch((error: Refused) => error);
  expect(levelOf(refused, 503)).toBe('debug');
});

it('a refusal that is ours to look at is a warning', () => {
  expect(levelOf(new Refused('unavailable', 'The store cannot be reached.'), 503)).toBe('warn');
  expect(levelOf(new Refused('not_found', 'Not found.'), 404)).toBe('info');
});
