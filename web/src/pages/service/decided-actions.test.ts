import { expect, it } from 'vitest';
import { sampleRow } from '../../components/sample-rows.ts';
import { withDecisions } from './decided-actions.ts';

const refused = {
  action: 'rollback',
  allowed: false,
  whyNot: { code: 'nothing_to_roll_back', detail: 'No.', mayForce: false },
} as const;
const undecided = { action: 'rollback', allowed: null } as const;
const claim = { ...sampleRow({ state: 'running' }).claim, actions: [undecided] };

it('a claim that leaves an action undecided keeps what was decided of the same attempt', () => {
  expect(withDecisions(claim, { ...claim, actions: [refused] }).actions).toEqual([refused]);
  const older = { ...claim, actions: [refused], desired: { ...claim.desired, revision: 99 } };
  expect(withDecisions(claim, older).actions).toEqual([undecided]);
  expect(withDecisions(claim, undefined)).toBe(claim);
  expect(withDecisions({ ...claim, actions: [refused] }, claim).actions).toEqual([refused]);
});
