import { describe, expect, it } from 'vitest';
import { SENT } from '../contract/evidence.ts';
import { KINDS, ROLES } from '../contract/vocabulary.ts';
import { isAbout, isSubmittable, KIND_TABLE, mayCreate } from '../projection/kinds.ts';
import { type Model, model, publicModel } from './model.ts';
import { assertModel, BrokenModel, verifyModel } from './verify-model.ts';

const whole = model();

describe('the model', () => {
  it('is complete', () => {
    expect(verifyModel(whole)).toEqual([]);
    expect(() => assertModel()).not.toThrow();
  });

  it('can be sent as JSON, with the schema of every body', () => {
    const sent = JSON.parse(JSON.stringify(publicModel()));
    expect(Object.keys(sent)).toEqual(
      expect.arrayContaining(['states', 'kinds', 'transitions', 'reasons', 'causes']),
    );
    for (const kind of sent.kinds) expect(kind.body.type).toBe('object');
  });

  it('admission checks in the order of the model', () => {
    expect(whole.reasons.map((r) => r.reason)).toEqual([
      'invalid',
      'conflicting_duplicate',
      'not_owner',
      'unissued',
      'stale_revision',
      'stale_attempt',
      'stale_lease',
      'stale_epoch',
      'out_of_order',
      'artifact_missing',
      'admitted',
    ]);
    expect(whole.reasons.filter((r) => r.alarm).map((r) => r.reason)).toEqual([
      'conflicting_duplicate',
      'unissued',
    ]);
  });
});

describe('a broken model is refused with what it lacks', () => {
  it('and the server does not start', () => {
    expect(() => assertModel()).not.toThrow();
    const causes = whole.causes.filter((c) => c.code !== 'worker_lost');
    expect(() => assertModel({ ...whole, causes })).toThrow(BrokenModel);
    expect(() => assertModel({ ...whole, causes })).toThrow('cause worker_lost: has no row');
  });

  const withState = (state: string, change: object): Model => ({
    ...whole,
    states: whole.states.map((s) => (s.state === state ? { ...s, ...change } : s)),
  });

  it.each([
    ['meaning', { meaning: ' ' }, 'state degraded: lacks its meaning'],
    ['proof', { proof: '' }, 'state degraded: lacks its proof'],
    ['owner', { owner: [] }, 'state degraded: lacks its owner'],
    ['deadline', { deadline: { names: [], rule: '' } }, 'state degraded: lacks its deadline rule'],
    ['freshness', { freshness: '' }, 'state degraded: lacks its freshness rule'],
    ['repair', { repair: { actions: [], how: 'x' } }, 'state degraded: lacks its repair action'],
  ])('%s', (_, change, problem) => {
    expect(verifyModel(withState('degraded', change))).toEqual([problem]);
  });

  it('message', () => {
    const problems = verifyModel(withState('degraded', { message: [] }));
    expect(problems).toContain('state degraded: lacks its message');
    expect(problems).toContain('message degraded: no state says it');
    expect(
      verifyModel(
        withState('running', {
          message: [
            'running',
            'running.job',
            'running.by_connecting',
            'running.by_node',
            'running.change_waits',
            'running.certificate_ends',
            'nonsense',
          ],
        }),
      ),
    ).toEqual(['state running: message names nonsense, which does not exist']);
  });

  it('a state without a row, without an entrance, without an exit', () => {
    expect(verifyModel({ ...whole, states: whole.states.filter((s) => s.state !== 'stopped') })).toContain(
      'state stopped: has no row',
    );
    const cut = (keep: (from: string | null, to: string) => boolean): Model => ({
      ...whole,
      transitions: whole.transitions.filter((t) => keep(t.from, t.to)),
    });
    expect(verifyModel(cut((_, to) => to !== 'degraded'))).toContain(
      'state degraded: no transition leads to it',
    );
    expect(verifyModel(cut((from) => from !== 'building'))).toContain(
      'state building: no transition leads out of it',
    );
  });

  it('a transition that names what does not exist, or an owner that may not cause it', () => {
    const [first, ...rest] = whole.transitions;
    if (first === undefined) throw new Error('the table is empty');
    const planted = (change: object): string[] =>
      verifyModel({ ...whole, transitions: [{ ...first, ...change }, ...rest] });
    expect(planted({ on: ['intent.invented'] })).toContain(
      'transition birth to accepted: on names intent.invented, which does not exist',
    );
    expect(planted({ owner: ['worker'] })).toContain(
      'transition birth to accepted: none of its owners may create intent.recorded',
    );
  });

  it('a cause without an owner', () => {
    const causes = whole.causes.map((c) => (c.code === 'oom_killed' ? { ...c, owner: '' } : c));
    expect(verifyModel({ ...whole, causes })).toContain('cause oom_killed: lacks its mover');
  });

  it('a cause that waits for an owner who does not take its action', () => {
    const causes = whole.causes.map((c) => (c.code === 'worker_lost' ? { ...c, owner: 'platform' } : c));
    expect(verifyModel({ ...whole, causes })).toEqual([
      'cause worker_lost: waits for platform, but retry is taken by user',
    ]);
  });
});

describe('evidence kinds', () => {
  it('have an owner each, and only that one may create them', () => {
    for (const kind of KINDS) expect(ROLES.some((role) => mayCreate(role, kind))).toBe(true);
    expect(mayCreate('worker', 'artifact.stored')).toBe(true);
    expect(mayCreate('agent', 'artifact.stored')).toBe(false);
    expect(mayCreate('worker', 'runtime.applied')).toBe(false);
    expect(mayCreate('worker', 'runtime.observed')).toBe(false);
    expect(mayCreate('api', 'command.published')).toBe(false);
  });

  it('are accepted by the evidence route only where a worker or agent sends them', () => {
    expect(KINDS.filter(isSubmittable)).toEqual([
      'command.released',
      'cancel.acknowledged',
      'build.progress',
      'build.failed',
      'artifact.stored',
      'runtime.applied',
      'runtime.apply_failed',
      'runtime.removed',
    ]);
    for (const kind of KINDS.filter(isSubmittable)) expect(KIND_TABLE[kind].fenced).toBe(true);
    expect([...SENT].sort(), 'what the API describes').toEqual(KINDS.filter(isSubmittable).sort());
  });

  it('are about the commands that they can prove something of', () => {
    expect(isAbout('artifact.stored', 'build')).toBe(true);
    expect(isAbout('artifact.stored', 'apply')).toBe(false);
    expect(isAbout('runtime.removed', 'apply')).toBe(false);
  });
});
