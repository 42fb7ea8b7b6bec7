import { describe, expect, it } from 'vitest';
import type { EvidenceView, TransitionView } from '../../../../../src/contract/answers/views.ts';
import { filteredStory, nextRecord, recordsInSight } from './evidence-filter.ts';
import { evidenceStory, storyFrom } from './pieces.ts';

const T0 = Date.parse('2026-11-17T14:21:50.000Z');
const evidence = (i: number, isRejected = false): EvidenceView => ({
  id: `e${i}`,
  position: String(i),
  kind: 'build.progress',
  verdict: isRejected ? 'rejected' : 'admitted',
  reason: isRejected ? 'stale_lease' : null,
  source: { role: 'worker', name: 'builder-1', instance: 'i' },
  service: 'web@lab',
  revision: 1,
  attempt: 1,
  command: null,
  fence: null,
  observedAt: null,
  receivedAt: new Date(T0 + i * 1_000).toISOString(),
  body: {},
});
const change = { evidence: 'e2', owner: 'worker', to: 'building' } as TransitionView;
const story = storyFrom(
  evidenceStory([0, 1, 2, 3].map((i) => evidence(i)).concat(evidence(4, true)), [
    { ...change, at: new Date(T0 + 2_000).toISOString() },
  ]),
  [],
  [],
);
const CITED = new Set(['e1', 'e2']);
const ALL = { from: T0 - 1, to: T0 + 10_000 };

describe('the records in sight', () => {
  it('are listed newest first and counted for every filter', () => {
    expect(recordsInSight(story, ALL, null, { filter: 'all', kind: null }, CITED)).toEqual({
      rows: [4, 3, 2, 1, 0],
      counts: { all: 5, changed: 1, cited: 2, refused: 1 },
      kinds: [['build.progress', 5]],
    });
    expect(recordsInSight(story, ALL, null, { filter: 'refused', kind: null }, CITED).rows).toEqual([4]);
  });

  it('are those of the range, and none after the instant that is shown', () => {
    const range = { from: T0 + 1_000, to: T0 + 3_000 };
    expect(recordsInSight(story, range, null, { filter: 'all', kind: null }, CITED).rows).toEqual([3, 2, 1]);
    expect(recordsInSight(story, range, T0 + 1_500, { filter: 'all', kind: null }, CITED).counts.all).toBe(1);
  });

  it('lose their marks and not their numbers when they are filtered', () => {
    const { lanes, pieces } = filteredStory(story, { filter: 'cited', kind: null }, CITED);
    expect(lanes.flatMap(({ admitted, rejected }) => [...admitted, ...rejected])).toEqual([1, 2]);
    expect(pieces).toBe(story.pieces);
  });

  it('are walked within the filter, and end at the last', () => {
    expect(nextRecord(story, 4, -1, { filter: 'cited', kind: null }, CITED)).toBe(2);
    expect(nextRecord(story, 2, 1, { filter: 'cited', kind: null }, CITED)).toBe(2);
  });

  it('are of one kind if somebody chose it, with the numbers of that kind and of the others', () => {
    const reports = { filter: 'all', kind: 'runtime.observed' } as const;
    const two = [1, 2].map((i) => ({ ...evidence(4 + i), kind: 'runtime.observed' as const }));
    const mixed = storyFrom(
      evidenceStory(story.pieces.map((piece) => piece.evidence).concat(two), []),
      [],
      [],
    );
    expect(recordsInSight(mixed, ALL, null, reports, new Set(['e5']))).toEqual({
      rows: [6, 5],
      counts: { all: 2, changed: 0, cited: 1, refused: 0 },
      kinds: [
        ['build.progress', 5],
        ['runtime.observed', 2],
      ],
    });
    expect(filteredStory(mixed, reports, CITED).lanes.flatMap(({ admitted }) => admitted)).toEqual([5, 6]);
    expect(nextRecord(mixed, 6, -1, reports, CITED)).toBe(5);
    expect(nextRecord(mixed, 5, -1, reports, CITED), 'no other is of this kind').toBe(5);
  });

  it('keep the chosen kind in the list where none of it is in sight', () => {
    const { rows, kinds } = recordsInSight(story, ALL, null, { filter: 'all', kind: 'build.failed' }, CITED);
    expect({ rows, kinds }).toEqual({
      rows: [],
      kinds: [
        ['build.failed', 0],
        ['build.progress', 5],
      ],
    });
  });
});
