import { describe, expect, it } from 'vitest';
import { ABOUT, at, sampleClaim, sampleView } from '../../../test/cli/sample-views.ts';
import type { StreamEvent } from '../../client/events.ts';
import { serverNowOf, silenceMs } from '../../contract/presentation/server-contact.ts';
import type { Outcome, State } from '../../contract/vocabulary.ts';
import { exitCodeOf } from './exit-code.ts';
import { applyEvent, isLive, proofViewOf, settledBy, timeInState } from './view.ts';

const requested = { revision: 42, attempt: 1 };
const transition = (to: State, secondsAgo: number, position: string): StreamEvent => ({
  event: 'transition',
  id: position,
  data: {
    service: 'web@local',
    position,
    at: at(secondsAgo),
    from: null,
    to,
    owner: 'api',
    evidence: 'e1',
    revision: 42,
    attempt: 1,
    claim: { ...sampleClaim(to), position, since: at(secondsAgo) },
  },
});

describe('a view', () => {
  it('measures each step by the server’s clock, and the current one up to now', () => {
    let view = proofViewOf(requested, ABOUT, { ...sampleClaim('accepted'), since: at(10), position: '1' }, 0);
    view = applyEvent(view, transition('waiting_for_worker', 8, '2'), 0);
    view = applyEvent(view, transition('building', 3, '3'), 0);
    expect(timeInState(view, 'accepted', 500)).toBe(2_000);
    expect(timeInState(view, 'waiting_for_worker', 500)).toBe(5_000);
    expect(timeInState(view, 'building', 500)).toBe(3_500);
    expect(timeInState(view, 'starting', 500)).toBeNull();
  });

  it('does not go back to an older claim that arrives late', () => {
    const view = proofViewOf(requested, ABOUT, { ...sampleClaim('building'), position: '9' }, 0);
    const late = applyEvent(view, transition('waiting_for_worker', 5, '8'), 0);
    expect(late.claim.state).toBe('building');
  });

  it('computes ages without this machine’s wall clock', () => {
    const view = sampleView('running');
    expect(serverNowOf(view, 4_000)).toBe(Date.parse(view.claim.now) + 4_000);
  });

  it('is not live once its freshness has run out, though the stream sends events', () => {
    let view = { ...sampleView('running'), settled: null };
    for (let s = 3; s <= 15; s += 3)
      view = {
        ...applyEvent(view, { event: 'fresh', id: null, data: { now: at(-s), targets: {} } }, s * 1_000),
        settled: null,
      };
    expect(isLive(view, 15_000)).toBe(true);
    expect(isLive(view, 15_500)).toBe(false);
    const targets = { local: { asOf: at(-15), validUntil: at(-30) } };
    expect(
      isLive(applyEvent(view, { event: 'fresh', id: null, data: { now: at(-15), targets } }, 15_000), 15_500),
    ).toBe(true);
  });

  it('is silent a second after a lost connection, and six seconds after the last event', () => {
    const view = sampleView('building');
    expect([silenceMs(view, 6_000), silenceMs(view, 6_001)]).toEqual([null, 6_001]);
    const lost = applyEvent(view, { event: 'lost', why: 'cut' }, 500);
    expect([silenceMs(lost, 1_000), silenceMs(lost, 1_500)]).toEqual([null, 1_500]);
  });
});

describe('the settled outcome', () => {
  const { claim } = sampleView('running');
  it.each([
    [{ ...claim, outcome: 'in_progress' as Outcome }, null],
    [claim, { ...requested, outcome: 'succeeded' }],
    [{ ...claim, desired: { ...claim.desired, revision: 43 } }, 'ask'],
    [{ ...claim, desired: { ...claim.desired, attempt: 2 } }, 'ask'],
    [
      {
        ...claim,
        desired: { ...claim.desired, revision: 41 },
        queued: [{ ...requested, since: at(1), actor: 'ana' }],
      },
      null,
    ],
  ])('follows from the claim, or has to be read from the record (%#)', (claim, expected) => {
    expect(settledBy({ claim, requested })).toEqual(expected);
  });
});

describe('the exit code', () => {
  it.each([
    ['succeeded', 'running', 0],
    ['succeeded', 'stopped', 0],
    ['failed', 'failed', 1],
    ['failed', 'running', 1],
    ['succeeded', 'failed', 1],
    ['succeeded', 'degraded', 1],
    ['abandoned', 'unknown', 3],
    ['succeeded', 'unknown', 3],
    ['cancelled', 'cancelled', 4],
    ['superseded', 'building', 4],
  ] as const)('of %s, now %s, is %i', (outcome, state, code) => {
    expect(exitCodeOf({ ...requested, outcome }, sampleClaim(state))).toBe(code);
  });

  it('of a revision that succeeded and was superseded is 0', () => {
    expect(exitCodeOf({ revision: 41, attempt: 1, outcome: 'succeeded' }, sampleClaim('unknown'))).toBe(0);
  });
});
