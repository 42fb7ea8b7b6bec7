import { expect, it } from 'vitest';
import type { Claim } from '../../contract/claim.ts';
import type { Proven } from '../../projection/facts.ts';
import { servingCopies } from './wanted-view.ts';

const one = (revision: number | null, ready = true) =>
  ({ revision, ready, phase: 'running', reason: null, containers: [] }) as const;
const seen = (...instances: ReturnType<typeof one>[]) =>
  ({ observed: { parts: [{ instances }] } }) as unknown as Proven;
const claim = { serving: { revision: 2 }, desired: { revision: 3 } } as unknown as Claim;

it('counts the ready copies of what serves, and says nothing where a scaling may have kept others', () => {
  expect(servingCopies(seen(one(2), one(2), one(3), one(2, false)), claim)).toBe(2);
  expect(servingCopies(seen(one(1), one(2), one(2), one(3, false)), claim), 'r1 may count for r2').toBeNull();
  expect(servingCopies(seen(one(null)), claim)).toBeNull();
  expect(servingCopies(seen(), claim)).toBeNull();
});
