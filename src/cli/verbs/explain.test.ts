import { expect, it } from 'vitest';
import type { Claim } from '../../contract/claim.ts';
import { claimWithInstances } from './explain.ts';

it.each([
  [null, '2026-11-19T20:36:40.123Z'],
  ['2026-11-18T00:00:00Z', '2026-11-18T00:00:00Z'],
])('reads the instances of the instant of the claim (--at %s)', async (at, expected) => {
  const asked: (string | null)[] = [];
  const people = {
    status: async () => ({ now: '2026-11-19T20:36:40.123Z' }) as Claim,
    instances: async (_: string, when: string | null) => {
      asked.push(when);
      return [];
    },
  };
  await claimWithInstances(people, 'web@local', at);
  expect(asked).toEqual([expected]);
});
