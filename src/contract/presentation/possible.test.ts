import { describe, expect, it } from 'vitest';
import type { Claim } from '../claim.ts';
import { possible } from './possible.ts';

const claim = (given: Partial<Claim>): Claim =>
  ({
    state: 'running',
    outcome: 'succeeded',
    desired: { revision: 2, attempt: 1, artifact: 'sha256:a', replicas: 1 },
    proof: { reached: ['accepted', 'running'], stoppedAt: null, evidence: [] },
    next: { owner: 'none', action: null, retrySafe: true },
    ...given,
  }) as Claim;
const why = (given: Partial<Claim>, good: readonly number[] = [1]) =>
  Object.fromEntries(possible(claim(given), true, good).map(({ deed, whyNot }) => [deed, whyNot]));

describe('what can be asked of a service, and why not', () => {
  it('of what runs: all but what there is nothing for', () => {
    expect(why({})).toEqual({
      retry: 'it succeeded; restart it instead',
      rollback: null,
      restart: null,
      scale: null,
      cancel: 'nothing is in progress',
      teardown: null,
    });
    expect(why({}, []).rollback).toBe('no earlier revision has succeeded');
  });

  it('of what failed: a retry where the attempt failed, a restart where it had run', () => {
    expect(why({ state: 'failed', outcome: 'failed' }).retry).toBeNull();
    expect(why({ state: 'failed' }).retry).toBe('it ran before it failed; restart it instead');
  });

  it('of what is on its way: a cancel until it is applied', () => {
    expect(why({ state: 'building', outcome: 'in_progress' }).cancel).toBeNull();
    expect(why({ state: 'starting', outcome: 'in_progress' }).cancel).toContain('already applied');
  });

  it('of what is torn down: another deploy; of what is unknown: no teardown without more', () => {
    const gone = why({
      state: 'stopped',
      desired: { revision: 3, attempt: 1, artifact: null, replicas: 0 },
      proof: { reached: ['stopping', 'stopped'], stoppedAt: null, evidence: [] },
    });
    expect([gone.retry, gone.restart, gone.scale]).toEqual(
      Array.from({ length: 3 }, () => 'it is torn down; deploy it again'),
    );
    expect(why({ state: 'unknown' }).teardown).toContain('unknown');
    const guarded = possible(claim({ state: 'unknown' }), true, [1]).filter(({ isGuarded }) => isGuarded);
    expect(guarded.map(({ deed }) => deed)).toEqual(['teardown']);
  });

  it('of nothing by whoever may only read', () => {
    expect(new Set(possible(claim({}), false, [1]).map(({ whyNot }) => whyNot))).toEqual(
      new Set(['your token may only read']),
    );
  });
});
