import { describe, expect, it } from 'vitest';
import { contradictionsIn } from '../../test/verbs/contradictions.ts';
import {
  CAUSE_CODES,
  type CauseCode,
  STAGES,
  STATES,
  type Stage,
  type State,
} from '../contract/vocabulary.ts';
import { catalogueCause } from './causes.ts';
import { messageOf } from './message-of.ts';
import { nextMove } from './next.ts';
import type { Standing } from './standing.ts';

/** Every state with every cause that it allows, at every stage that both allow. */
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
  it('never contradict each other', () => {
    const broken = PAIRS.flatMap(({ state, code, stage }) =>
      [0, 1, 2].flatMap((ready) => {
        const message = messageFor(state, code, stage, ready);
        const found = contradictionsIn({ state, ...message });
        return found.length === 0
          ? []
          : [{ state, code, stage, found, text: `${message.title}. ${message.body}` }];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('are checked in every pair that the projection can give', () => {
    expect(PAIRS.length).toBeGreaterThan(400);
  });
});

describe('the words of a cause', () => {
  it('differ where the service ran before', () => {
    expect(messageFor('starting', 'route_silent', 'route', 2).body).toMatch(/not answer yet\./);
    expect(messageFor('failed', 'route_silent', 'route', 2).body).toMatch(/not answer\./);
    expect(messageFor('degraded', 'route_silent', 'runtime', 2).body).toMatch(/no longer answers\./);
    expect(messageFor('failed', 'not_listening', 'runtime', 0).body).toMatch(/any more: it should listen/);
  });

  it('say what an app has to do that listens elsewhere', () => {
    expect(messageFor('starting', 'not_listening', 'readiness', 0).body).toBe(
      '0 of 2 ready. Nothing listens on the port of the app yet: it should listen on the port that it is given in PORT. Nothing is needed from you.',
    );
  });

  it('request nothing of a service that failed and recovered', () => {
    expect(messageFor('failed', 'settling', 'readiness', 2)).toMatchObject({
      code: 'failed.settling',
      title: 'It failed, and is ready now',
    });
    expect(messageFor('degraded', 'settling', 'runtime', 2).body).toMatch(/^2 of 2 ready again; we watch/);
  });
});

function messageFor(state: State, code: CauseCode, stage: Stage, ready: number) {
  const wanted = code === 'still_there' ? 0 : 2;
  // Settling means that all of them are ready.
  const counted = code === 'settling' || code === 'unsteady' || wanted === 0 ? wanted : ready;
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
      isObserveMode: false,
      ready: counted,
      wanted,
      furthest: 1,
      showsAttempt: true,
      unmet: null,
      steady: 0,
      loop: null,
      unsteady: null,
      opaque: null,
      hopeless: null,
      unstableScopes: [],
      byConnecting: false,
      byNode: false,
      certificateEnds: null,
      job: null,
      isOver: false,
      isUnhurried: false,
      heldBack: null,
      changeWaitsSince: null,
      contradiction: null,
      present: 1,
    },
  };
  const { cause } = standing;
  return messageOf(standing, cause, nextMove(standing, cause), null, 0);
}
