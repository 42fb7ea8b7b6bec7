import { describe, expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import { SERVICE_ACTIONS, type ServiceAction } from '../actions.ts';
import type { Claim } from '../claim.ts';
import type { Button } from './buttons.ts';
import { impossibleLines, nextStepOf } from './next-step.ts';

const buttons = (...allowed: readonly ServiceAction[]): Button[] =>
  SERVICE_ACTIONS.map((action) => ({
    action,
    whyNot: allowed.includes(action) ? null : 'it is not possible',
    ...{ forcible: null, isNext: false },
  }));
const moving = (next: Partial<Claim['next']>, outcome: Claim['outcome'] = 'failed') => ({
  service: 'web@local',
  next: { ...sampleClaim('failed').next, ...next },
  outcome,
});
const chosen = (
  claim: Parameters<typeof nextStepOf>[0],
  offered: readonly Button[],
  { maySee = true, isOtherServing = false } = {},
) => {
  const step = nextStepOf(claim, offered, maySee, isOtherServing);
  return step?.kind === 'action' ? step.button.action : (step?.kind ?? null);
};

describe('the one step that a page offers first', () => {
  it('is what the claim names, if it can be pressed', () => {
    const claim = moving({ owner: 'user', action: 'retry' });
    expect(chosen(claim, buttons('retry', 'rollback'))).toBe('retry');
  });

  it('is to go back while nothing serves, and the line to type while another revision serves', () => {
    const claim = moving({ owner: 'user', action: 'deploy' });
    const all = buttons('retry', 'rollback', 'teardown');
    expect(chosen(claim, all)).toBe('rollback');
    expect(nextStepOf(claim, all, true, true)).toEqual({
      kind: 'deploy',
      command: 'evident deploy --service web',
    });
  });

  it('is no retry of what has to be corrected, and one where the words of the move end with it', () => {
    expect(chosen(moving({ owner: 'user', action: 'deploy' }), buttons('retry', 'teardown'))).toBe('deploy');
    const quota = { owner: 'user', action: 'raise_quota' } as const;
    expect(chosen(moving(quota), buttons('retry'))).toBe('retry');
    expect(chosen(moving({ ...quota, retryHelps: false }), buttons('retry'))).toBeNull();
    expect(chosen(moving({ owner: 'user', action: 'investigate' }), buttons('retry'))).toBeNull();
  });

  it('is never a teardown, and nothing while all goes on by itself', () => {
    expect(chosen(moving({ owner: 'user', action: 'deploy' }), buttons('teardown'))).toBe('deploy');
    const goesOn = moving({ owner: 'user', action: 'deploy' }, 'in_progress');
    expect(chosen(goesOn, buttons('teardown'))).toBeNull();
    expect(chosen(moving({ owner: 'platform', action: null }, 'in_progress'), buttons('cancel'))).toBeNull();
    expect(chosen(moving({ owner: 'none', action: null }), buttons('restart', 'scale'))).toBeNull();
  });

  it('is a look at the target where only that settles it, for those who may', () => {
    const claim = moving({ owner: 'platform', action: 'start_agent' }, 'succeeded');
    expect(chosen(claim, buttons('rollback'))).toBe('look_at_target');
    expect(chosen(claim, buttons('rollback'), { maySee: false })).toBeNull();
  });
});

it('what cannot be requested is said in whole sentences, each reason once', () => {
  const labels = { retry: 'Retry', rollback: 'Roll back', restart: 'Restart', scale: 'Scale' };
  const all = { ...labels, cancel: 'Cancel', teardown: 'Tear down' };
  expect(impossibleLines({ outcome: 'failed' }, buttons(...SERVICE_ACTIONS), all)).toEqual([]);
  const some = buttons('retry', 'rollback', 'restart', 'scale');
  expect(impossibleLines({ outcome: 'in_progress' }, some, all)).toEqual([
    'Cancel and tear down are not possible now: it is not possible.',
  ]);
  expect(
    impossibleLines({ outcome: 'failed' }, some, all),
    'nobody looks for a cancel of what ended',
  ).toEqual(['Tear down is not possible now: it is not possible.']);
  expect(impossibleLines({ outcome: 'succeeded' }, some, all)).toEqual([]);
  expect(impossibleLines({ outcome: 'succeeded' }, buttons(), all)).toEqual([
    'Nothing can be requested here: it is not possible.',
  ]);
  const elsewhere = buttons().map((button) =>
    button.action === 'teardown'
      ? { ...button, forcible: 'It only leaves the lists.', isOffLists: true as const }
      : { ...button, whyNot: `${button.action}: Helm manages it` },
  );
  expect(impossibleLines({ outcome: 'in_progress' }, elsewhere, all), 'once').toEqual([
    'Nothing can be requested here: restart: Helm manages it.',
  ]);
});
