import { describe, expect, it } from 'vitest';
import type { ActionDecision } from '../actions.ts';
import type { Claim } from '../claim.ts';
import { buttonsOf, effectOf, OFF_LISTS_EFFECT, UNKNOWN_STATE_WARNING } from './buttons.ts';

const claim = (actions: readonly ActionDecision[], more: Partial<Claim> = {}): Claim =>
  ({ state: 'running', next: { owner: 'none', action: null, retrySafe: true }, actions, ...more }) as Claim;
const refused = (
  action: ActionDecision['action'],
  code: 'state_unknown' | 'managed_elsewhere' | 'retry_not_possible',
  mayForce = false,
): ActionDecision => ({
  action,
  allowed: false,
  whyNot: { code, detail: 'It is so; act there.', mayForce },
});

describe('the effect of an action', () => {
  it('says what becomes of what serves only where something is proven to serve', () => {
    expect(effectOf('restart', 41)).toContain('r41 serves until that one is ready.');
    expect(effectOf('restart', null)).toBe('Starts the same app again, as a new revision.');
  });
});

describe('buttons', () => {
  it('show why an action is refused, as the claim does', () => {
    expect(buttonsOf(claim([refused('retry', 'retry_not_possible')]), true, false)).toEqual([
      { action: 'retry', whyNot: 'it is so; act there', forcible: null, isNext: false },
    ]);
  });

  it('can be forced where the claim allows it, with a warning that fits', () => {
    const unknown = buttonsOf(claim([refused('teardown', 'state_unknown', true)]), true, false);
    expect(unknown[0]?.forcible).toBe(UNKNOWN_STATE_WARNING);
    const elsewhere = buttonsOf(claim([refused('teardown', 'managed_elsewhere', true)]), true, false);
    expect(elsewhere[0]?.forcible).toBe(OFF_LISTS_EFFECT);
    expect(elsewhere[0]?.isOffLists).toBe(true);
    expect(elsewhere[0]?.whyNot, 'the name of a tool keeps its capital').toBe('It is so; act there');
  });

  it('take off the lists what another tool manages, whatever is known of it', () => {
    const actions = [refused('restart', 'managed_elsewhere'), refused('teardown', 'state_unknown', true)];
    const [, teardown] = buttonsOf(claim(actions), true, false);
    expect(teardown).toMatchObject({ isOffLists: true, forcible: OFF_LISTS_EFFECT });
  });

  it('offer an undecided rollback where there is a revision to choose', () => {
    const undecided = claim([{ action: 'rollback', allowed: null }]);
    expect(buttonsOf(undecided, true, true)[0]?.whyNot).toBeNull();
    expect(buttonsOf(undecided, true, false)[0]?.whyNot).toBe('no earlier revision has succeeded');
  });

  it('offer what the claim allows, in every state, and mark the next action', () => {
    const actions: ActionDecision[] = [{ action: 'cancel', allowed: true }];
    const next = { owner: 'user', action: 'cancel', retrySafe: true } as const;
    expect(buttonsOf(claim(actions, { next }), true, false)).toMatchObject([{ whyNot: null, isNext: true }]);
    expect(buttonsOf(claim(actions, { state: 'cancelling' }), true, false)[0]?.whyNot).toBeNull();
  });

  it('are hidden from callers who may only read', () => {
    const all = claim([{ action: 'restart', allowed: true }, refused('teardown', 'state_unknown', true)]);
    expect(buttonsOf(all, false, true).map(({ whyNot, forcible }) => [whyNot, forcible])).toEqual([
      ['your token may only read', null],
      ['your token may only read', null],
    ]);
  });
});
