import { expect, it } from 'vitest';
import type { SpanView } from '../../../../../src/contract/answers/views.ts';
import { evidenceStory, extendLiveness, storyFrom } from './pieces.ts';

const T0 = Date.parse('2026-11-14T14:02:11.000Z');
const at = (ms: number) => new Date(T0 + ms).toISOString();
const FRESH = 15_000;

/** The end of each band, in milliseconds from the start. */
function bands(asOf: number | null, ...spans: [number, number][]): number[] {
  const views = spans.map(([from, until]) => ({ from: at(from), until: at(until) }) as SpanView);
  const story = extendLiveness(
    storyFrom(evidenceStory([], []), [], views),
    asOf === null ? null : T0 + asOf,
    FRESH,
  );
  return story.alive.map(({ until }) => until - T0);
}

it('the open band reaches to the last observation displayed', () => {
  expect(bands(9_000, [0, 2_000], [5_000, 6_000])).toEqual([2_000, 9_000]);
  expect(bands(null, [0, 2_000])).toEqual([2_000]);
  expect(bands(1_000, [0, 2_000])).toEqual([2_000]);
});

it('no band bridges a silence: later contact has yet to be read (S2)', () => {
  expect(bands(2_000 + FRESH - 1, [0, 2_000])).toEqual([2_000 + FRESH - 1]);
  expect(bands(2_000 + FRESH, [0, 2_000])).toEqual([2_000]);
});
