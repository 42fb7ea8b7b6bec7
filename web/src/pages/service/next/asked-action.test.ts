import { expect, it } from 'vitest';
import { actionAddress, askedAction } from './asked-action.ts';

const asked = (address: string) => askedAction(new URL(address, 'http://x').searchParams.get('do') ?? '');

it('an address asks for an action, and of a rollback it may name the revision', () => {
  expect(asked(actionAddress('web@lab', 'retry'))).toEqual({ action: 'retry', goal: null });
  expect(asked(actionAddress('web@lab', 'rollback'))).toEqual({ action: 'rollback', goal: null });
  expect(asked(actionAddress('web@lab', 'rollback', 41))).toEqual({ action: 'rollback', goal: 41 });
});

it.each(['', 'explode', 'rollback:', 'rollback:0', 'rollback:41x', 'teardown:41'])(
  '%o asks for nothing',
  (text) => {
    expect(askedAction(text)).toBeNull();
  },
);
