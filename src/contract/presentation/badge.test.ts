import { expect, it } from 'vitest';
import { STATES } from '../vocabulary.ts';
import { badgeOf } from './badge.ts';

const CLAIM = {
  ...{ service: 'web@prod', since: '2026-05-01T12:00:00.000Z', now: '2026-05-01T12:04:30.000Z' },
  serving: { revision: 12, attempt: 1, asOf: '', validUntil: '' },
};

it('says what is known, and names the revision that serves', () => {
  expect(badgeOf({ ...CLAIM, state: 'running' })).toEqual({
    ...{ label: 'web@prod', message: 'running r12', color: 'brightgreen', isKnown: true },
  });
});

it('is grey and says since when nothing is known', () => {
  expect(badgeOf({ ...CLAIM, state: 'unknown' })).toMatchObject({
    ...{ message: 'unknown for 4 min', color: 'lightgrey', isKnown: false },
  });
});

it('is green for nothing but running (S1)', () => {
  const green = STATES.filter((state) => badgeOf({ ...CLAIM, state }).color === 'brightgreen');
  expect(green).toEqual(['running']);
});
