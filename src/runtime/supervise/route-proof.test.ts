import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RouteProof } from './route-proof.ts';
import type { RouteReply } from './router-port.ts';

const ANSWERED: RouteReply = { kind: 'answered', stamp: { revision: 1, attempt: 1 } };

describe('the proof of a route', () => {
  let replies: RouteReply[] = [];
  let asked: boolean[] = [];
  let proof: RouteProof;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    [replies, asked] = [[], []];
    proof = new RouteProof(
      async (_, isWhole) => {
        asked.push(isWhole);
        return replies.shift() ?? ANSWERED;
      },
      () => ({ proveEveryMs: 5_000, proveWholeEveryMs: 60_000 }),
      () => {},
      () => Date.now(),
    );
  });
  afterEach(() => {
    proof.end();
    vi.useRealTimers();
  });

  it('costs an app that is stable one request a minute, and asks the router as often as it is reported', async () => {
    await proof.prove();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(asked.length).toBe(121);
    expect(asked.filter((isWhole) => isWhole).length).toBe(11);
  });

  it('asks an instance at once when the route is replaced, and for as long as it does not answer', async () => {
    await proof.prove();
    await vi.advanceTimersByTimeAsync(5_000);
    await proof.renew();
    expect(asked).toEqual([true, false, true]);
    replies = [{ kind: 'failed' }, { kind: 'failed' }, { kind: 'failed' }];
    await vi.advanceTimersByTimeAsync(15_010);
    // One that failed is repeated at once; then it is doubted.
    expect(asked.slice(3)).toEqual([false, true, true, true]);
    expect(proof.answer).toMatchObject({ answers: true });
  });
});
