import { expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import type { Claim } from '../../contract/claim.ts';
import { nextCommandLines } from './next-step.ts';

it('names the log of a failure only where Evident has one', () => {
  const claim: Claim = {
    ...sampleClaim('failed'),
    next: { owner: 'user', action: 'deploy', retrySafe: true },
    proof: { reached: ['accepted', 'starting'], stoppedAt: 'starting', evidence: [] },
    actions: [],
  };
  expect(nextCommandLines(claim)).toEqual([`evident logs ${claim.service}`, 'evident deploy']);
  const whyNot = {
    code: 'managed_elsewhere',
    detail: 'Helm manages this service.',
    mayForce: false,
  } as const;
  const elsewhere: Claim = {
    ...claim,
    next: { owner: 'user', action: 'mend_there', retrySafe: true },
    actions: [{ action: 'retry', allowed: false, whyNot }],
  };
  expect(nextCommandLines(elsewhere)).toEqual([`evident explain ${claim.service}`]);
});

it('never names a command that starts an agent of another kind at a cluster', () => {
  const whyNot = {
    code: 'managed_elsewhere',
    detail: 'Helm manages this service.',
    mayForce: false,
  } as const;
  const claim: Claim = {
    ...sampleClaim('unknown'),
    next: { owner: 'platform', action: 'restart_agent', retrySafe: true },
    actions: [{ action: 'retry', allowed: false, whyNot }],
  };
  expect(nextCommandLines(claim)).toEqual(['evident agents -o wide']);
});
