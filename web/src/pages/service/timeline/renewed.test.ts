import { expect, it } from 'vitest';
import { SAMPLE_PIECES } from '../../../components/sample-pieces.ts';
import { renewedBy } from './renewed.ts';

it('a record that a later report confirmed says so, and no other does', () => {
  const [piece] = SAMPLE_PIECES;
  if (piece === undefined) throw new Error('no sample');
  const seenAt = Date.parse('2026-11-19T14:03:59.254Z');
  const report = {
    ...piece.evidence,
    id: 'e438',
    kind: 'runtime.observed' as const,
    observedAt: null,
    body: { changedAsOf: seenAt },
  };
  expect(renewedBy(report, ['e12', 'e438'], seenAt + 270_000)).toBe(seenAt + 270_000);
  expect(renewedBy(report, ['e12', 'e438'], seenAt), 'it is as old as the claim').toBe(null);
  expect(renewedBy(report, ['e438', 'e440'], seenAt + 270_000), 'a newer one is cited').toBe(null);
  expect(renewedBy(report, ['e12'], seenAt + 270_000), 'it is not cited').toBe(null);
  expect(renewedBy({ ...report, kind: 'build.log' as never }, ['e438'], seenAt + 1)).toBe(null);
});
