import { describe, expect, it } from 'vitest';
import {
  beginReflecting,
  decideReflect,
  type ReflectDecision,
  type ReflectEvent,
  type ReflectState,
  tickAt,
} from './decide.ts';
import { compareVersions } from './versions.ts';

const FAST = () => 0;
const decide = (state: ReflectState, event: ReflectEvent, now: number): ReflectDecision =>
  decideReflect(state, event, now, FAST);

/** A watch opened at 0 on a copy of version 10, with its history compared: proven as of the list at -1. */
function watching(): ReflectState {
  let { state } = beginReflecting(null, -1);
  state = decide(state, { kind: 'page', run: state.run, version: '10', next: null, bytes: 1 }, 0).state;
  state = decide(state, { kind: 'opened', run: state.run, isSameConnection: true }, 0).state;
  state = decide(state, { kind: 'tick' }, 0).state;
  state = decide(state, { kind: 'probed', run: state.run, version: '10', isSameHistory: true }, 0).state;
  state = decide(state, { kind: 'ended', run: state.run, problem: null }, 5_000).state;
  return decide(state, { kind: 'opened', run: state.run, isSameConnection: true }, 5_000).state;
}

describe('a proof (rule 2)', () => {
  it('is of the instant at which the read was sent, once the watch has reached its version', () => {
    const open = watching();
    expect(tickAt(open)).toBe(7_500);
    const sent = decide(open, { kind: 'tick' }, 7_500);
    expect(sent.actions).toMatchObject([{ do: 'probe' }]);
    const { run } = open;
    const answered = decide(sent.state, { kind: 'probed', run, version: '12', isSameHistory: true }, 7_700);
    expect(answered.state.provenAt).toBe(0);
    const below = decide(answered.state, { kind: 'changed', run, version: '11' }, 7_800);
    expect(below.state.provenAt).toBe(0);
    const reached = decide(below.state, { kind: 'bookmark', run, version: '13' }, 9_000);
    expect(reached.state.provenAt).toBe(7_500);
  });

  it('is lost with the connection over which the read was made', () => {
    const sent = decide(watching(), { kind: 'tick' }, 7_500).state;
    const { run } = sent;
    const answered = decide(sent, { kind: 'probed', run, version: '12', isSameHistory: true }, 7_700).state;
    const ended = decide(answered, { kind: 'ended', run, problem: null }, 10_000).state;
    const again = decide(ended, { kind: 'opened', run: ended.run, isSameConnection: false }, 10_001).state;
    const reached = decide(again, { kind: 'bookmark', run: again.run, version: '13' }, 10_100).state;
    expect(reached.provenAt).toBe(0);
  });

  it('is not given by a list before etcd’s history was compared', () => {
    const { state } = beginReflecting(null, 0);
    const listed = decide(state, { kind: 'page', run: 1, version: '10', next: null, bytes: 1 }, 5);
    expect(listed.state).toMatchObject({ isComplete: true, provenAt: null });
  });
});

describe('a restored cluster (rule 1)', () => {
  it('is not seen in an event that overtakes the answer to a read', () => {
    const sent = decide(watching(), { kind: 'tick' }, 7_500).state;
    const { run } = sent;
    const overtaken = decide(sent, { kind: 'changed', run, version: '15' }, 7_600).state;
    const { state, actions } = decide(
      overtaken,
      { kind: 'probed', run, version: '12', isSameHistory: true },
      7_700,
    );
    expect(actions).toEqual([]);
    expect(state.provenAt).toBe(7_500);
  });

  it('is seen in a read below the highest version, also of an earlier process', () => {
    const { state } = beginReflecting('50', 0);
    const { actions } = decide(state, { kind: 'page', run: 1, version: '10', next: null, bytes: 1 }, 5);
    expect(actions[0]).toEqual({ do: 'drop', because: 'restored' });
  });

  it('is looked for when a watch goes back', () => {
    const { state } = decide(watching(), { kind: 'changed', run: watching().run, version: '9' }, 6_000);
    expect(state.phase).toMatchObject({ kind: 'waiting', next: 'list' });
  });
});

describe('a refusal', () => {
  const away = { kind: 'unreachable', message: 'refused' } as const;
  const forbidden = { kind: 'forbidden', message: 'pods is forbidden' } as const;
  const ended = (state: ReflectState, problem: typeof away | typeof forbidden, now: number) => {
    const waiting = decide(state, { kind: 'ended', run: state.run, problem }, now).state;
    const until = tickAt(waiting) ?? now;
    return { now: until, state: decide(waiting, { kind: 'tick' }, until).state };
  };

  it('is believed at once from a server that has answered before (F77)', () => {
    expect(ended(watching(), forbidden, 6_000).state.problem).toEqual(forbidden);
  });

  it('is not believed for ten seconds of a server that has just come up, and then it is', () => {
    let at = ended(watching(), away, 6_000);
    const began = at.now;
    while (at.state.problem?.kind !== 'forbidden') at = ended(at.state, forbidden, at.now);
    expect(at.now - began).toBeGreaterThanOrEqual(10_000);
    expect(at.now - began).toBeLessThan(25_000);
  });
});

describe('a pause', () => {
  const refused = { kind: 'unavailable', status: 429, message: '' } as const;

  it('lasts as long as a throttling server requests (F78)', () => {
    const state = watching();
    const problem = { ...refused, retryAfterMs: 7_000 };
    const waiting = decide(state, { kind: 'ended', run: state.run, problem }, 6_000).state;
    expect(tickAt(waiting)).toBe(13_000);
  });

  it('grows with failures up to ten seconds, and begins anew after a proof', () => {
    let state = watching();
    const pauses: number[] = [];
    for (let now = 6_000, tries = 0; tries < 9; tries++) {
      state = decide(
        state,
        { kind: 'ended', run: state.run, problem: { ...refused, retryAfterMs: null } },
        now,
      ).state;
      const until = tickAt(state) ?? 0;
      pauses.push(until - now);
      now = until;
      state = decide(state, { kind: 'tick' }, now).state;
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  it('follows a watch that ends at once, so that no server is asked without end', () => {
    const state = watching();
    const { actions } = decide(state, { kind: 'ended', run: state.run, problem: null }, 5_001);
    expect(actions).toEqual([{ do: 'abandon' }]);
  });
});

it('ends a watch that a frozen server does not end', () => {
  const sent = decide(watching(), { kind: 'tick' }, 7_500).state;
  expect(tickAt(sent)).toBe(12_000);
  const { state } = decide(sent, { kind: 'tick' }, 12_000);
  expect(state).toMatchObject({ problem: { kind: 'timed_out' }, phase: { kind: 'waiting', next: 'watch' } });
});

it('goes on watching while a proof times out', () => {
  const sent = decide(watching(), { kind: 'tick' }, 7_500).state;
  const problem = { kind: 'timed_out', message: '' } as const;
  const { state, actions } = decide(sent, { kind: 'probe_failed', run: sent.run, problem }, 9_500);
  expect(actions).toEqual([]);
  expect(state).toMatchObject({ problem, phase: { kind: 'watching' }, provenAt: 0 });
});

it('ignores answers to what it no longer does', () => {
  const state = watching();
  const late: ReflectEvent = { kind: 'changed', run: state.run - 1, version: '99' };
  expect(decide(state, late, 6_000)).toEqual({ state, actions: [] });
});

it.each([
  ['9', '10', -1],
  ['10', '10', 0],
  ['18446744073709551616', '18446744073709551615', 1],
  ['a1', 'a2', null],
  ['a1', 'a1', 0],
  ['010', '10', null],
])('compares %s with %s', (one, other, sign) => {
  const order = compareVersions(one, other);
  expect(order === null ? null : Math.sign(order)).toBe(sign);
});
