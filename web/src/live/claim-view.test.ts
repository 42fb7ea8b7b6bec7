import { expect, it } from 'vitest';
import type { ServerContact } from '../../../src/contract/presentation/server-contact.ts';
import { SAMPLE_NOW, sampleRow } from '../components/sample-rows.ts';
import { claimViewOf } from './claim-view.ts';

const at = (secondsAgo: number) => new Date(SAMPLE_NOW - secondsAgo * 1000).toISOString();
/** A page that heard its server for the last time at the instant of the samples, and has read claims long before. */
const contact: ServerContact = {
  ...{ contactAt: 0, serverAt: SAMPLE_NOW, lost: true },
  fresh: { prod: { asOf: at(2), validUntil: at(-13) } },
};
const LOST_MS = 20_000;
const read = (freshForMs: number | null) => {
  const { claim } = sampleRow({ state: 'failed', sinceAgo: 900 });
  return { ...claim, freshness: { asOf: at(600), ageMs: 0, freshForMs, validUntil: null } };
};

it('a page without its server counts from the last report of the target, whenever the claim was read', () => {
  const { state, was } = claimViewOf(read(15_000), contact, LOST_MS);
  expect([state, was]).toEqual(['unknown', { state: 'failed', agoMs: 22_000 }]);
});

it('what does not age was known until the server was lost', () => {
  expect(claimViewOf(read(null), contact, LOST_MS).was).toEqual({ state: 'failed', agoMs: LOST_MS });
});
