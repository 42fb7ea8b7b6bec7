import { expect, it } from 'vitest';
import { sampleClaim } from '../../../test/cli/sample-views.ts';
import type { Claim } from '../claim.ts';
import { limitWords } from './limit-words.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const inMs = (ms: number) => new Date(NOW + ms).toISOString();
const until = (state: Claim['state'], by: string | null, endsAt?: string): Claim => ({
  ...sampleClaim(state),
  expecting: { evidence: 'runtime.observed', from: 'watcher', by, endsAt },
});

it('says that the platform gives up at the limit, and not that something arrives then', () => {
  expect(limitWords(until('starting', inMs(250_000)), NOW)).toBe('gives up in 4 min');
  expect(limitWords(until('cancelling', inMs(20_000)), NOW)).toBe('ends it in 20 s');
});

it('names the end of the stage, and not the instant after which it goes on', () => {
  expect(limitWords(until('artifact_ready', inMs(13_000), inMs(493_000)), NOW)).toBe('gives up in 8 min');
});

it('says nothing where no limit is ahead', () => {
  expect(limitWords(until('starting', null), NOW)).toBeNull();
  expect(limitWords(until('starting', inMs(-1)), NOW)).toBeNull();
  expect(limitWords(until('running', inMs(9_000)), NOW)).toBeNull();
});
