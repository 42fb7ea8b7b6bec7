import { describe, expect, it } from 'vitest';
import {
  CAUSE_CODES,
  type CauseCode,
  STAGES,
  STATES,
  type Stage,
  type State,
} from '../contract/vocabulary.ts';
import { catalogueCause } from './causes.ts';
import { contradictionsIn } from './contradictions.ts';
import { messageOf } from './message-of.ts';
import { nextMove } from './next.ts';
import type { Standing } from './standing.ts';

/** Every state with every cause that may be shown there, at every stage that both go with. */
const PAIRS = STATES.flatMap((state) =>
  CAUSE_CODES.flatMap((code) =>
    STAGES.filter((stage) => catalogueCause(code, state, stage) === code).map((stage) => ({
      state,
      code,
      stage,
    })),
  ),
);

describe('a state and its cause', () => {
  it('contradict each other nowhere', () => {
    const broken = PAIRS.flatMap(({ state, code, stage }) =>
      [0, 1, 2].flatMap((ready) => {
        const said = saidOf(state, code, stage, ready);
        const found = contradictionsIn({ state, ...said });
        return found.length === 0 ? [] : [{ state, code, stage, found, text: `${said.title}. ${said.body}` }];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('are read together in every pair that the projection can make', () => {
    expect(PAIRS.length).toBeGreaterThan(400);
  });
});

describe('the words of a cause', () => {
  it('are others where it ran before', () => {
    expect(saidOf('starting', 'route_silent', 'route', 2).body).toMatch(/not answer requests yet\./);
    expect(saidOf('degraded', 'route_silent', 'runtime', 2).body).toMatch(/not answer requests any more\./);
    expect(saidOf('failed', 'not_listening', 'runtime', 0).body).toMatch(/any more: it should listen/);
  });

  it('name what an app has to do that listens elsewhere', () => {
    expect(saidOf('starting', 'not_listening', 'readiness', 0).body).toBe(
      '0 of 2 ready. Nothing listens on the port of the app yet: it should listen on the port that it is given in PORT. The platform goes on by itself; nothing is needed from you.',
    );
  });

  it('of what failed and is well again ask for nothing', () => {
    expect(saidOf('failed', 'settling', 'readiness', 2)).toMatchObject({
      code: 'failed.settling',
      title: 'It failed, and is ready now',
    });
    expect(saidOf('degraded', 'settling', 'runtime', 2).body).toMatch(/^2 of 2 ready again; we watch/);
  });
});

function saidOf(state: State, code: CauseCode, stage: Stage, ready: number) {
  const wanted = code === 'still_there' ? 0 : 2;
  // Settling is all of them ready.
  const counted = code === 'settling' || wanted === 0 ? wanted : ready;
  const standing: Standing = {
    state,
    cause: { code, params: { kind: stage === 'apply_queue' ? 'apply' : 'build' } },
    outcome: state === 'degraded' ? 'succeeded' : 'in_progress',
    since: 0,
    stage,
    asOf: 0,
    freshUntil: null,
    changesAt: null,
    overdue: false,
    lastKnown: { state: 'running', at: 0 },
    expecting: null,
    timeout: null,
    retrySafe: true,
    reading: {
      held: false,
      ready: counted,
      wanted,
      furthest: 1,
      showsAttempt: true,
      unmet: null,
      crashLoop: code === 'crash_loop',
      opaque: null,
      unstableScopes: [],
      present: 1,
    },
  };
  const { cause } = standing;
  return messageOf(standing, cause, nextMove(standing, cause), null);
}
