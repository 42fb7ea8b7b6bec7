import { expect, it } from 'vitest';
import { SharedReads } from './shared-reads.ts';

const STAYS = new AbortController().signal;

/** A read that ends when the test says so. */
function pausable() {
  const signals: AbortSignal[] = [];
  const finish: ((answer: string) => void)[] = [];
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<string>((done, fail) => {
      finish.push(done);
      signal.addEventListener('abort', () => fail(signal.reason));
    });
  };
  return { work, signals, finish };
}

const turn = () => new Promise((next) => setImmediate(next));

it('an org has one long read at a time, and other orgs do not wait for it (F125)', async () => {
  const reads = new SharedReads();
  const [first, second, other] = [pausable(), pausable(), pausable()];
  const one = reads.read('a', 'x', first.work, STAYS);
  const two = reads.read('a', 'y', second.work, STAYS);
  const foreign = reads.read('b', 'x', other.work, STAYS);
  await turn();
  expect([first, second, other].map(({ signals }) => signals.length)).toEqual([1, 0, 1]);
  other.finish[0]?.('of b');
  expect(await foreign).toBe('of b');
  first.finish[0]?.('first');
  expect(await one).toBe('first');
  await turn();
  second.finish[0]?.('second');
  expect(await two).toBe('second');
});

it('callers with the same question share the next run, and never one that has begun', async () => {
  const reads = new SharedReads();
  const { work, finish, signals } = pausable();
  const began = reads.read('a', 'x', work, STAYS);
  await turn();
  const later = Array.from({ length: 64 }, () => reads.read('a', 'x', work, STAYS));
  finish[0]?.('old');
  expect(await began).toBe('old');
  await turn();
  finish[1]?.('new');
  expect(new Set(await Promise.all(later))).toEqual(new Set(['new']));
  expect(signals).toHaveLength(2);
});

it('a run is stopped when everybody who waits for it has left, and not before', async () => {
  const reads = new SharedReads();
  const { work, signals } = pausable();
  const [ana, ben] = [new AbortController(), new AbortController()];
  const answers = [ana, ben].map(({ signal }) => reads.read('a', 'x', work, signal));
  const ended = Promise.allSettled(answers);
  await turn();
  ana.abort();
  expect(signals[0]?.aborted).toBe(false);
  ben.abort();
  expect(signals[0]?.aborted).toBe(true);
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const { work: next, finish } = pausable();
  const after = reads.read('a', 'x', next, STAYS);
  await turn();
  finish[0]?.('goes on');
  expect(await after).toBe('goes on');
});

it('a run that everybody left before it began does not begin', async () => {
  const reads = new SharedReads();
  const [first, second] = [pausable(), pausable()];
  const one = reads.read('a', 'x', first.work, STAYS);
  const gone = new AbortController();
  const two = reads.read('a', 'y', second.work, gone.signal);
  gone.abort();
  first.finish[0]?.('done');
  await turn();
  first.finish[0]?.('done');
  expect(await one).toBe('done');
  await expect(two).rejects.toMatchObject({ code: 'unavailable' });
  expect(second.signals).toEqual([]);
});

it('an org cannot let more than a hundred different lists wait', async () => {
  const reads = new SharedReads();
  const { work } = pausable();
  void reads.read('a', 'first', work, STAYS);
  await turn();
  for (let n = 0; n < 100; n++) void reads.read('a', `list ${n}`, work, STAYS);
  await expect(reads.read('a', 'one more', work, STAYS)).rejects.toMatchObject({ code: 'too_many' });
  void reads.read('a', 'list 7', work, STAYS);
});
