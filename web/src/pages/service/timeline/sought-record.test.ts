import { expect, it } from 'vitest';
import type { EvidenceView, TransitionView } from '../../../../../src/contract/answers/views.ts';
import { SAMPLE_PIECES } from '../../../components/sample-pieces.ts';
import { evidenceStory, storyFrom } from './pieces.ts';
import { soughtIndex, soughtName } from './sought-record.ts';

const T0 = Date.parse('2026-11-17T13:00:00.000Z');
const iso = (ms: number) => new Date(T0 + ms).toISOString();
const record = (
  position: number,
  kind: string,
  ms: number,
  more: Partial<EvidenceView> = {},
): EvidenceView => ({
  ...(SAMPLE_PIECES[0]?.evidence as EvidenceView),
  ...{ id: `e${position}`, position: String(position), kind: kind as EvidenceView['kind'] },
  receivedAt: iso(ms),
  ...more,
});
/** Received a moment after what it shows. */
const report = (position: number, ms: number) =>
  record(position, 'runtime.observed', ms + 40, { body: { changedAsOf: T0 + ms } });

const story = storyFrom(
  evidenceStory(
    [
      record(1, 'intent.recorded', 0),
      report(2, 2_000),
      report(3, 9_000),
      { ...report(4, 10_000), verdict: 'rejected', reason: 'stale_epoch' },
      record(5, 'intent.recorded', 20_000),
      report(6, 30_000),
    ],
    [{ at: iso(9_000), evidence: 'e3', to: 'running' } as TransitionView],
  ),
  [],
  [],
);
const positionOf = (text: string) => {
  const index = soughtIndex(story, text);
  return index === null ? null : story.pieces[index]?.evidence.position;
};

it('an age leads to the record that showed it then, or that a later report confirmed', () => {
  expect(positionOf(soughtName('report', T0 + 2_000))).toBe('2');
  expect(positionOf(soughtName('report', T0 + 25_000)), 'confirmed, and not the rejected one').toBe('3');
  expect(positionOf(soughtName('change', T0 + 9_000))).toBe('3');
  expect(positionOf(soughtName('request', T0 + 20_000))).toBe('5');
});

it('what no record shows leads nowhere', () => {
  expect(positionOf(soughtName('report', T0 + 1_000))).toBeNull();
  expect(positionOf(soughtName('change', T0 + 9_001))).toBeNull();
  expect(positionOf('99')).toBeNull();
  expect(positionOf('report@nonsense')).toBeNull();
  expect(positionOf('6')).toBe('6');
});
