import { describe, expect, it } from 'vitest';
import { STATES, type State } from '../contract/vocabulary.ts';
import type { Recorded } from './facts.ts';
import type { Standing } from './standing.ts';
import { TRANSITIONS } from './transition-table.ts';
import { guarded, isListed } from './transitions.ts';

const FORBIDDEN: [State, State][] = [
  ['accepted', 'building'],
  ['accepted', 'running'],
  ['accepted', 'cancelling'],
  ['waiting_for_worker', 'artifact_ready'],
  ['building', 'running'],
  ['building', 'starting'],
  ['building', 'cancelled'],
  ['artifact_ready', 'running'],
  ['artifact_ready', 'building'],
  ['applying_runtime_state', 'running'],
  ['applying_runtime_state', 'cancelling'],
  ['applying_runtime_state', 'cancelled'],
  ['starting', 'cancelled'],
  ['starting', 'applying_runtime_state'],
  ['starting', 'degraded'],
  ['running', 'starting'],
  ['running', 'stopping'],
  ['failed', 'building'],
  ['failed', 'accepted'],
  ['cancelling', 'artifact_ready'],
  ['cancelling', 'failed'],
  ['cancelled', 'running'],
  ['stopping', 'running'],
  ['stopping', 'failed'],
  ['stopped', 'stopping'],
];

describe('the transition table', () => {
  it('lists no pair twice', () => {
    const pairs = TRANSITIONS.map((t) => `${t.from}>${t.to}`);
    expect(new Set(pairs).size).toBe(pairs.length);
  });

  it.each(FORBIDDEN)('does not let one attempt go from %s to %s', (from, to) => {
    expect(isListed(from, to, true)).toBe(false);
  });

  it('lets what another tool deploys grow and end, and nothing of ours', () => {
    for (const [from, to] of [
      ['running', 'starting'],
      ['starting', 'degraded'],
      ['running', 'stopping'],
      ['stopping', 'running'],
    ] as const)
      expect(isListed(from, to, true, 'observe')).toBe(true);
    expect(isListed('running', 'cancelled', true, 'observe')).toBe(false);
  });

  it('lets every state become unknown, and unknown become every state', () => {
    for (const state of STATES) {
      expect(isListed(state, 'unknown', true)).toBe(true);
      expect(isListed('unknown', state, true)).toBe(true);
    }
  });

  it('lets a new attempt start over from anywhere, but only at the start', () => {
    for (const from of [null, ...STATES]) {
      for (const to of ['accepted', 'stopping', 'stopped', 'starting', 'running', 'unknown'] as const)
        expect(isListed(from, to, false)).toBe(true);
      for (const to of ['building', 'artifact_ready', 'cancelled', 'degraded'] as const)
        expect(isListed(from, to, false)).toBe(false);
    }
  });

  it('says of every step whether it can be taken back', () => {
    for (const { from, nature } of TRANSITIONS) expect(nature === 'per_attempt').toBe(from === null);
  });
});

describe('the guard', () => {
  const recorded = (state: State, revision = 2, attempt = 1): Recorded => ({
    state,
    revision,
    attempt,
    since: 500,
    position: '7',
  });

  it('passes a listed step untouched', () => {
    const judged = standing('artifact_ready');
    expect(guarded(judged, recorded('building'), 2, 1)).toEqual({ standing: judged, alarm: false });
  });

  it('turns an unlisted step into unknown, contradictory, with an alarm', () => {
    const { standing: claimed, alarm } = guarded(standing('running'), recorded('building'), 2, 1);
    expect(alarm).toBe(true);
    expect(claimed).toMatchObject({
      state: 'unknown',
      cause: { code: 'contradictory' },
      lastKnown: { state: 'building', at: 500 },
      freshUntil: null,
    });
  });

  it('takes a new attempt as a birth', () => {
    expect(guarded(standing('accepted'), recorded('failed'), 2, 2).alarm).toBe(false);
    expect(guarded(standing('building'), recorded('failed'), 3, 1).alarm).toBe(true);
  });

  it('never goes back to an earlier revision or attempt (S11)', () => {
    expect(guarded(standing('running'), recorded('running', 3), 2, 1).alarm).toBe(true);
    expect(guarded(standing('running'), recorded('running', 2, 2), 2, 1).alarm).toBe(true);
  });

  it('lets uncertainty through always', () => {
    for (const state of STATES)
      expect(guarded(standing('unknown'), recorded(state, 9), 2, 1).alarm).toBe(false);
  });
});

function standing(state: State): Standing {
  return {
    state,
    cause: null,
    outcome: 'in_progress',
    since: 1000,
    stage: null,
    asOf: 1000,
    freshUntil: 2000,
    changesAt: null,
    overdue: false,
    lastKnown: null,
    expecting: null,
    timeout: null,
    retrySafe: true,
    reading: null,
  };
}
