import { expect, it } from 'vitest';
import { sampleView } from '../../../test/cli/sample-views.ts';
import type { Claim } from '../claim.ts';
import { leadOf } from './lead.ts';
import { titleAndMore } from './moves.ts';

it('says what the title says once', () => {
  const { claim } = sampleView('unknown');
  expect(claim.message).toMatchObject({
    title: 'Unknown: the target is silent',
    body: expect.stringMatching(/^Its target is silent\. When last known/),
  });
  expect(titleAndMore(claim)).toMatch(/^Unknown: the target is silent\. When last known/);
  expect(titleAndMore(sampleView('failed').claim)).toBe('The build failed. The build command failed.');
});

it('names no move that the actions of the claim refuse', () => {
  const { claim } = sampleView('degraded');
  const next = { owner: 'user', action: 'restart', retrySafe: true } as const;
  const whyNot = { code: 'retry_not_possible', detail: 'It is so.', mayForce: false } as const;
  const free: Claim = { ...claim, next, actions: [] };
  expect(leadOf(free, null)).toBe('Your move: restart it, or roll back. Retrying is safe.');
  const refusing: Claim = {
    ...free,
    actions: [
      { action: 'retry', allowed: false, whyNot },
      { action: 'rollback', allowed: false, whyNot },
    ],
  };
  expect(leadOf(refusing, null)).toBe('Your move: restart it.');
});

it('asks whoever may look at a target, and nobody else', () => {
  const { claim } = sampleView('unknown');
  const silent: Claim = {
    ...claim,
    next: { owner: 'platform', action: 'start_agent', retrySafe: true },
    actions: [],
  };
  expect(leadOf(silent, null)).toBe('The platform’s move: bring the target back online. Retrying is safe.');
  expect(leadOf(silent, null, { backTo: null, missing: [], looksAt: 'edge' })).toBe(
    'Your move as an operator: bring edge back online. Retrying is safe.',
  );
});

it('names first what the first button does', () => {
  const { claim } = sampleView('failed');
  const next = { owner: 'user', action: 'deploy', retrySafe: true, retryHelps: false } as const;
  const fix: Claim = { ...claim, next, actions: [] };
  const again = 'Retrying does no harm, but will fail the same way.';
  const unset = 'Retrying is safe, but sets no variable.';
  const missing = ['DATABASE_URL'];
  expect(leadOf(fix, null, { backTo: 41, missing: [] })).toBe(
    `Your move: roll back to r41, or fix it and deploy again. ${again}`,
  );
  const reads = { backTo: null, missing: [], mayOnlyRead: true };
  expect(leadOf(fix, null, reads)).toMatch(/^A deployer’s move: fix it/);
  expect(leadOf(fix, 41, reads)).toMatch(/^A deployer’s move, no hurry while r41 serves: fix it/);
  expect(leadOf(fix, null, { backTo: null, missing })).toBe(
    `Your move: set DATABASE_URL and deploy again. ${unset}`,
  );
  expect(leadOf(fix, 41, { backTo: null, missing: [...missing, 'CACHE_URL'] })).toBe(
    `Your move, no hurry while r41 serves: set DATABASE_URL and CACHE_URL and deploy again. ${unset}`,
  );
});
