import { describe, expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import type { Claim } from '../claim.ts';
import { STATES } from '../vocabulary.ts';
import { failedAt } from './failed-stage.ts';
import { failedStep } from './failed-step.ts';
import { pastVerdictOf, type VerdictSight, verdictOf } from './verdict.ts';

const sightOf = (claim: Claim, more: Partial<VerdictSight> = {}): VerdictSight => ({
  ...{ lastProofMs: null, isFresh: true, serving: claim.serving?.revision ?? null },
  serverNow: Date.parse(claim.now),
  ...more,
});
const titleOf = (claim: Claim, more?: Partial<VerdictSight>) => verdictOf(claim, sightOf(claim, more)).title;

/** Words that tell of a present. */
const PRESENT =
  /\b(?:is|are|has|does|runs|serves|waits|fails|[Bb]uilding|[Ss]topping|[Cc]ancelling|Starting|Running|now)\b(?<!was (?:starting|running))/;

describe('the verdict on a service', () => {
  it.each(STATES)('of %s is one or two sentences', (state) => {
    expect(titleOf(sampleClaim(state))).toMatch(/^[A-Za-z][^.]*(?:\.[^.]+){0,2}\.$/);
  });

  it('names the revision, then what still serves', () => {
    const failed: Claim = {
      ...sampleClaim('failed'),
      message: { code: 'failed.start', title: '', body: '' },
    };
    expect(titleOf(failed, { serving: 41 })).toBe('r42 does not start. r41 still serves.');
    expect(titleOf(failed, { serving: null })).toBe('r42 does not start.');
    const lastServing = { revision: 41, attempt: 1, asOf: failed.now, ageMs: 0 };
    expect(titleOf({ ...failed, serving: null, lastServing }, { serving: null })).toBe(
      'r42 does not start. r41 served when last seen, 0 s ago.',
    );
  });

  it('says below the title nothing that stands in it', () => {
    const degraded: Claim = {
      ...sampleClaim('degraded'),
      cause: { code: 'probe_failed', params: { ready: 2, wanted: 3 } },
      message: {
        ...{ code: 'degraded', title: 'Not running as it should' },
        body: 'GET /healthz answered 503. 2 of 3 ready.',
      },
    };
    const { title, more } = verdictOf(degraded, sightOf(degraded));
    expect(title).toContain('2 of 3 ready.');
    expect(more).toBe('GET /healthz answered 503.');
    const past = pastVerdictOf(degraded, sightOf(degraded), Date.parse(degraded.now));
    expect(past.more).toBe('Shown then: “GET /healthz answered 503.”');
  });

  it('does not hide behind a start that the app has ended', () => {
    const starting: Claim = {
      ...sampleClaim('starting'),
      cause: { code: 'exited', params: { exitCode: 1, ready: 0, wanted: 1 } },
      message: { code: 'starting', title: 'Starting', body: '0 of 1 ready. The app exited with code 1.' },
    };
    const sight = sightOf(starting, { serving: 41 });
    expect(verdictOf(starting, sight)).toEqual({
      title: 'r42 is starting, and has exited with code 1. 0 of 1 ready. r41 still serves.',
      more: null,
    });
    expect(pastVerdictOf(starting, sight, Date.parse(starting.now)).title).toContain(
      ' r42 was starting, and had exited with code 1. 0 of 1 ready. r41 still served.',
    );
  });

  it('does not show as a first start what has exited before', () => {
    const starting: Claim = {
      ...sampleClaim('starting'),
      cause: { code: 'not_started', params: { ready: 0, wanted: 1 } },
      message: { code: 'starting', title: 'Starting', body: '0 of 1 ready. The app has not started yet.' },
    };
    const more = (exits: number) => verdictOf(starting, sightOf(starting, { exits })).more;
    const moreThen = (exits: number) =>
      pastVerdictOf(starting, sightOf(starting, { exits }), Date.parse(starting.now)).more;
    expect([more(0), more(1)]).toEqual(['The app has not started yet.', 'It exited once before.']);
    expect([moreThen(0), moreThen(2)]).toEqual([
      'Shown then: “The app has not started yet.”',
      'It had exited twice by then.',
    ]);
    const body = 'It exited and is ready again; we watch it longer before calling it running.';
    const unsteady = { ...starting, message: { ...starting.message, body } };
    expect(verdictOf(unsteady, sightOf(unsteady, { exits: 1 })).more, 'said already').toBe(body);
  });

  it('counts the exits of a start', () => {
    const seen = { firstExit: '2026-11-17T13:23:31.000Z', lastExit: '2026-11-17T13:25:40.000Z' };
    const cause = { code: 'crash_loop', params: { exitCode: 1, exits: 3, ...seen } } as const;
    expect(titleOf({ ...sampleClaim('starting'), cause }, { serving: null })).toBe(
      'r42 is starting, and has exited with code 1, 3 times in 2 min.',
    );
  });

  it('says that nothing serves where that is proven, and not of what nobody expects to serve yet', () => {
    const failed: Claim = {
      ...sampleClaim('failed'),
      message: { code: 'failed.ends', title: '', body: '' },
    };
    const sight = { serving: null, isNothingServing: true };
    expect(titleOf(failed, sight)).toBe('r42 does not stay up. Nothing serves.');
    const lastServing = { revision: 41, attempt: 1, asOf: failed.now, ageMs: 0 };
    expect(titleOf({ ...failed, lastServing }, sight)).toBe('r42 does not stay up. Nothing serves.');
    expect(titleOf({ ...sampleClaim('building'), serving: null }, sight)).not.toContain('Nothing serves');
    const second = { ...sampleClaim('building'), serving: null, lastServing };
    expect(titleOf(second, sight)).toContain('Nothing serves.');
  });

  it('names the step at which it failed', () => {
    const failed = { ...sampleClaim('failed'), message: { code: 'failed.ends', title: '', body: '' } };
    const at = (stoppedAt: Claim['proof']['stoppedAt']) => ({
      ...failed,
      proof: { ...failed.proof, stoppedAt },
    });
    expect(failedAt(at('starting'))).toBe('Failed at start');
    expect(failedAt(at('building'))).toBe('Failed at build');
    expect(failedAt(at('running'))).toBe('Failed at runtime');
    const wrongPort = { ...at('starting'), message: { ...failed.message, code: 'failed.wrong_port' } };
    expect(failedAt(wrongPort)).toBe('Failed at readiness');
    expect(failedAt({ ...at('starting'), message: { ...failed.message, code: 'failed.readiness' } })).toBe(
      'Failed at readiness',
    );
    expect(
      failedAt({ ...at('artifact_ready'), message: { ...failed.message, code: 'failed.apply_queue' } }),
    ).toBe('Not taken');
    expect(failedAt(sampleClaim('running'))).toBeNull();
  });

  it('puts the failure on the step that nobody took, and not on the one that was done', () => {
    const reached = ['accepted', 'waiting_for_worker', 'building', 'artifact_ready'] as const;
    const path = [...reached, 'applying_runtime_state', 'starting', 'running'] as const;
    const failed: Claim = {
      ...sampleClaim('failed'),
      message: { code: 'failed.apply_queue', title: '', body: '' },
      proof: { reached, stoppedAt: 'artifact_ready', evidence: [] },
      path: path.map((state, i) => ({ state, reached: i < 4, current: i === 3 })),
    };
    expect(failedStep(failed)).toBe('applying_runtime_state');
    expect(titleOf(failed, { serving: null })).toBe('local did not take r42.');
    expect(failedStep({ ...failed, message: { ...failed.message, code: 'failed.build' } })).toBe(
      'artifact_ready',
    );
    expect(failedStep({ ...failed, state: 'starting' })).toBeNull();
  });

  it.each(STATES)(
    'of %s in the past is told in the past tense, under its time, without a next move',
    (state) => {
      const claim = { ...sampleClaim(state), serving: null };
      const sight = { ...sightOf(claim), isNothingServing: true };
      const { title, more } = pastVerdictOf(claim, sight, Date.parse(claim.now) + 60_000);
      expect(title).toMatch(/^At \d\d:\d\d:\d\d \S.*\.$/);
      expect(title).not.toMatch(PRESENT);
      if (more !== null) expect(more).toMatch(/^Shown then: “.+”$/);
      expect(more ?? '').not.toMatch(/\bmove\b|[Rr]etry|Nothing to do/);
    },
  );

  it('in the past names what served then', () => {
    const failed = { ...sampleClaim('failed'), message: { code: 'failed.start', title: '', body: '' } };
    const said = (more: Partial<VerdictSight>) =>
      pastVerdictOf(failed, sightOf(failed, more), Date.parse(failed.now)).title.slice('At 14:02:11 '.length);
    expect(said({ serving: 41 })).toBe('r42 did not start. r41 still served.');
    expect(said({ serving: null, isNothingServing: true })).toBe('r42 did not start. Nothing served.');
    expect(said({ isFresh: false })).toBe('we did not know whether web ran.');
  });

  it('of what runs counts its copies and says no more', () => {
    expect(verdictOf(sampleClaim('running'), sightOf(sampleClaim('running')))).toMatchObject({
      title: expect.stringMatching(/^Running r42\. .* ready\.$/),
      more: null,
    });
  });

  it('says of what is degraded that it still serves, if that is proven', () => {
    const degraded = sampleClaim('degraded');
    const titleWith = (serving: number | null) =>
      verdictOf(degraded, { ...sightOf(degraded), serving }).title;
    expect(titleWith(degraded.desired.revision)).toMatch(/ It still serves\.$/);
    expect(titleWith(null)).not.toContain('serves');
  });

  it('claims nothing in silence, nor of what is too old', () => {
    const running = sampleClaim('running');
    expect(verdictOf(running, sightOf(running, { lastProofMs: 40_000 }))).toEqual({
      title: 'This page cannot see web. r42 ran 40 s ago.',
      more: 'The service may be fine: it is the page that has lost its server.',
    });
    const failed: Claim = {
      ...sampleClaim('failed'),
      message: { code: 'failed.ends', title: '', body: '' },
      serving: { revision: 41, attempt: 1, asOf: running.now, validUntil: running.now },
    };
    expect(verdictOf(failed, sightOf(failed, { lastProofMs: 40_000, serving: null }))).toEqual({
      title: 'Last known, 40 s ago: r42 did not stay up. r41 still served.',
      more: 'It may be otherwise by now. It is this page that cannot see.',
    });
    for (const claim of [running, sampleClaim('unknown')]) {
      const { title, more } = verdictOf(claim, sightOf(claim, { isFresh: false }));
      expect(title).toBe('We do not know whether web runs.');
      expect(more).toMatch(/It was running at \d\d:\d\d:\d\d/);
    }
  });
});
