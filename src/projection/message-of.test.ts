import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../contract/actions.ts';
import { CAUSE_CODES, type CauseCode, STAGES, STATES, type State } from '../contract/vocabulary.ts';
import { CAUSES, catalogueCause } from './causes.ts';
import { messageOf } from './message-of.ts';
import { MESSAGES, type RenderedMessage } from './messages.ts';
import { isSettling, nextMove } from './next.ts';
import type { Standing } from './standing.ts';
import { STATE_TABLE } from './states.ts';

/** Internal words. A user reads none of them. */
const INTERNAL =
  /\b(fence|lease|epoch|ledger|sweeper|publisher|outbox|worker|agent|daemon|pod|container|node|host|kubernetes|docker|cluster|digest|sha256|database|sql|store|stack|trace|exception|evidence kind|null|undefined|nan)s?\b/i;
const HOLE = /undefined|null|NaN|\[object|\s{2}|`|_/;

const everyStanding: Standing[] = [
  ...STATES.flatMap((state) =>
    [...CAUSE_CODES, null].flatMap((code) =>
      [...STAGES, null].flatMap((stage) =>
        ([false, true] as const).map((retrySafe) => standing(state, code, stage, retrySafe)),
      ),
    ),
  ),
  standing('cancelled', 'cancel_requested', null, true, 'remove'),
  notOnRecord(2, 1),
  notOnRecord(1, 2),
  notOnRecord(1, 1),
  lost(),
  byConnecting(),
  byNode(),
  withCertificate(),
  ofJob('running', null),
  ofJob('starting', 'first_run'),
  ofJob('degraded', 'job_failed'),
  ofMore(),
  ofWaitingChange(),
  formerPlace(),
];

describe('the message of every standing', () => {
  const messages = everyStanding.map((s) => ({ s, message: messageFor(s) }));

  it('has a title and a body without holes, in both texts', () => {
    for (const { message } of messages) {
      expect(message.title).toMatch(/^\S.+\S$/);
      expect(message.body).toMatch(/^[A-Z0-9].*\.$/);
      expect(message.body).not.toMatch(HOLE);
      expect(message.operator).not.toMatch(/undefined|null|NaN|\[object/);
    }
  });

  it('shows users no internals', () => {
    for (const { message } of messages) {
      expect(message.title).not.toMatch(INTERNAL);
      // These words say exactly how much is known, to people who run a cluster.
      expect(message.body.replace('its node says so and is alive', '')).not.toMatch(INTERNAL);
    }
  });

  it('has a code that its state allows', () => {
    for (const { s, message } of messages) {
      const codes: readonly string[] = STATE_TABLE[s.state].message;
      expect(codes).toContain(message.code);
    }
  });

  it('covers every sentence of the catalogue', () => {
    expect(new Set(messages.map(({ message }) => message.code))).toEqual(new Set(Object.keys(MESSAGES)));
  });

  it('names for every failure the owner of the next step and whether retry is safe', () => {
    for (const { s, message } of messages.filter(({ s }) => s.state === 'failed')) {
      if (isSettling(causeOf(s))) continue;
      expect(message.body).toMatch(/(Your|The platform’s) move: /);
      const code = causeOf(s)?.code;
      const isSame = code !== undefined && CAUSES[code].retryHelps === false;
      const safe = isSame ? 'Retrying does no harm, but will fail the same way.' : 'Retrying is safe.';
      expect(message.body).toContain(s.retrySafe ? safe : 'Don’t retry before that is settled.');
    }
  });
});

describe('the causes', () => {
  it.each(CAUSE_CODES)('%s has two texts, and no internals in the first', (code) => {
    const row = CAUSES[code];
    expect(row.user).toMatch(/^[A-Z].*\.$/);
    expect(row.user).not.toMatch(INTERNAL);
    expect(row.operator).not.toBe('');
  });

  it.each(Object.entries(ACTIONS))('%s requests its action without naming internals', (_, { ask }) => {
    expect(ask).not.toMatch(INTERNAL);
  });

  it('contain no code of a sender that the catalogue lacks for that stage', () => {
    expect(catalogueCause('leaked: token=abc', 'failed', 'build')).toBe('build_failed');
    expect(catalogueCause('store_recovered', 'failed', 'build')).toBe('build_failed');
    expect(catalogueCause('crash_loop', 'failed', 'build')).toBe('build_failed');
    expect(catalogueCause('toString', 'failed', 'apply')).toBe('apply_failed');
    expect(catalogueCause('no_start_command', 'failed', 'build')).toBe('no_start_command');
    expect(catalogueCause('quota_exceeded', 'failed', 'apply')).toBe('quota_exceeded');
  });
});

describe('the next move', () => {
  it('requests nothing for a target that is online and busy', () => {
    expect(move(standing('artifact_ready', 'all_busy', 'apply_queue', true))).toMatchObject({
      owner: 'platform',
      action: null,
    });
    expect(move(standing('waiting_for_worker', 'all_busy', 'queue', true))).toMatchObject({
      action: 'start_worker',
    });
  });

  it('requests a builder of the platform, and an agent where an apply waits', () => {
    expect(move(standing('waiting_for_worker', 'no_worker_online', 'queue', true, 'build'))).toMatchObject({
      owner: 'platform',
      action: 'start_worker',
      retrySafe: true,
    });
    expect(move(standing('artifact_ready', 'no_worker_online', 'apply_queue', true, 'apply')).action).toBe(
      'start_agent',
    );
  });

  it('offers a restart where a retry is not possible', () => {
    const lost = standing('failed', 'worker_lost', 'build', true);
    expect(move(lost).action).toBe('retry');
    expect(move({ ...lost, outcome: 'succeeded' }).action).toBe('restart');
  });

  it('belongs to the owner of its action, in every state, also after a timeout', () => {
    for (const s of everyStanding) {
      const { owner, action } = move(s);
      if (action !== null) expect(owner, action).toBe(ACTIONS[action].owner);
    }
    const timeout = {
      stage: 'scheduling',
      expected: 'runtime.observed',
      retrySafe: true,
      owner: 'platform',
    } as const;
    const quota = standing('failed', 'quota_exceeded', 'scheduling', true);
    const moves = [standing('starting', 'quota_exceeded', 'scheduling', true), quota, { ...quota, timeout }];
    expect(moves.map((s) => move(s).owner)).toEqual(['user', 'user', 'user']);
  });

  it('requests nothing while ready instances only become stable', () => {
    for (const state of ['starting', 'degraded', 'failed'] as const) {
      const s = standing(state, 'settling', 'readiness', true);
      expect(move(s)).toEqual({ owner: 'platform', action: null, retrySafe: true });
      expect(messageFor(s).body).not.toMatch(/your move|restart|roll back/);
    }
  });

  it('is a retry by the user where only a retry helps', () => {
    for (const [code, stage] of [
      ['publish_timed_out', 'publish'],
      ['apply_timed_out', 'apply'],
      ['worker_lost', 'build'],
      ['apply_failed', 'apply'],
    ] as const)
      expect(move(standing('failed', code, stage, true)), code).toMatchObject({
        owner: 'user',
        action: 'retry',
      });
  });

  it('never requests an action that the message warns against', () => {
    for (const s of everyStanding) {
      const { body } = messageFor(s);
      if (body.includes('Do not try again')) expect(move(s).action).not.toBe('retry');
      expect(body).not.toContain(': try again. Do not');
    }
    expect(move(standing('failed', 'apply_failed', 'apply', false))).toEqual({
      owner: 'platform',
      action: 'investigate',
      retrySafe: false,
    });
  });
});

function causeOf(s: Standing) {
  const code = catalogueCause(s.cause?.code ?? null, s.state, s.stage);
  return code === null ? null : { code, params: s.cause?.params ?? {} };
}

function move(s: Standing) {
  return nextMove(s, causeOf(s));
}

function messageFor(s: Standing): RenderedMessage {
  return messageOf(s, causeOf(s), move(s), null, 0);
}

/** A recovered store has r1 a1 recorded. */
function notOnRecord(seenRevision: number, seenAttempt: number): Standing {
  const params = { seenRevision, seenAttempt, recordedRevision: 1, recordedAttempt: 1 };
  const unknown = standing('unknown', 'store_recovered', 'runtime', true);
  return { ...unknown, cause: { code: 'store_recovered', params } };
}

function formerPlace(): Standing {
  const unknown = standing('unknown', 'identity_changed', 'runtime', true);
  return { ...unknown, cause: { code: 'identity_changed', params: { former: 'the old machine' } } };
}

function lost(): Standing {
  const params = { lostSince: '2026-11-14T14:00:00.000Z', restoredAt: '2026-11-15T03:00:00.000Z' };
  const unknown = standing('unknown', 'store_recovered', 'runtime', true);
  return { ...unknown, cause: { code: 'store_recovered', params } };
}

/** A CronJob. */
function ofJob(state: State, code: CauseCode | null): Standing {
  const { reading, ...shown } = standing(state, code, 'runtime', true);
  return { ...shown, reading: reading && { ...reading, job: 'succeeded' } };
}

/** Its rollout is paused, and its template was changed. */
function ofWaitingChange(): Standing {
  const { reading, ...running } = standing('running', null, 'runtime', true);
  return { ...running, reading: reading && { ...reading, changeWaitsSince: -60_000 } };
}

/** Another tool wants more copies than ran. */
function ofMore(): Standing {
  const starting = standing('starting', 'more_wanted', 'scheduling', true);
  return { ...starting, cause: { code: 'more_wanted', params: { from: 1 } } };
}

/** Nobody asked the app itself. */
function byNode(): Standing {
  const { reading, ...running } = standing('running', null, 'runtime', true);
  return { ...running, reading: reading && { ...reading, byNode: true } };
}

/** Its certificate for https ends soon. */
function withCertificate(): Standing {
  const { reading, ...running } = standing('running', null, 'runtime', true);
  return { ...running, reading: reading && { ...reading, certificateEnds: '2026-12-01T00:00:00.000Z' } };
}

/** Its port speaks no HTTP. */
function byConnecting(): Standing {
  const { reading, ...running } = standing('running', null, 'runtime', true);
  return { ...running, reading: reading && { ...reading, byConnecting: true } };
}

function standing(
  state: State,
  code: CauseCode | null,
  stage: Standing['stage'],
  retrySafe: boolean,
  kind: 'build' | 'apply' | 'remove' = stage === 'apply_queue' ? 'apply' : 'build',
): Standing {
  return {
    state,
    cause: code === null ? null : { code, params: { kind } },
    outcome: 'in_progress',
    since: 0,
    stage,
    asOf: 0,
    freshUntil: null,
    changesAt: null,
    overdue: false,
    lastKnown: stage === null ? null : { state: 'running', at: 0 },
    expecting: null,
    timeout: null,
    retrySafe,
    reading:
      stage === 'publish'
        ? null
        : {
            held: false,
            isObserveMode: false,
            ready: 1,
            wanted: 2,
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
}
