import { expect, it } from 'vitest';
import type { RevisionView } from '../../contract/answers/views.ts';
import { historyTable } from './history.ts';

const revision = (n: number, gaps: readonly (string | null)[]): RevisionView => ({
  revision: n,
  kind: 'deploy',
  actor: 'ana',
  git: null,
  artifact: null,
  replicas: 1,
  provenance: null,
  createdAt: '2026-11-14T14:00:00.000Z',
  attempts: [1, 2].map((attempt) => ({
    attempt,
    outcome: 'succeeded',
    startedAt: '2026-11-14T14:00:00.000Z',
    endedAt: '2026-11-14T14:00:01.000Z',
    stages: [],
  })),
  recoveries: gaps.map((lostSince, i) => ({
    at: `2026-11-15T03:00:0${i}.000Z`,
    lostSince,
    void: { from: '53', to: '1000053' },
    evidence: 'e1',
  })),
});

it('shows a recovery gap between the revisions, at its place (F54)', () => {
  const lines = historyTable(
    [revision(1_000_002, []), revision(1, ['2026-11-14T20:00:00.000Z', null])],
    false,
  ).split('\n');
  expect(lines.map((line) => line.replace(/ {2}.*/, ''))).toEqual([
    'REVISION',
    'r1000002.2',
    'r1000002.1',
    'The records were restored at 2026-11-15 03:00:01Z: what was recorded before that may be lost.',
    'The records were restored at 2026-11-15 03:00:00Z: what was recorded from 2026-11-14 20:00:00Z until then is lost.',
    'r1.2',
    'r1.1',
  ]);
});

it('shows tool, commit and images of what others deployed', () => {
  const provenance = {
    ...{
      managedBy: 'Helm (web)',
      fieldManager: 'helm',
      release: 'web (web-1.4.2)',
      commit: '3f9c2e1a77bb00',
    },
    images: [{ container: 'app', image: 'shop/web:2' }],
  };
  const observed: RevisionView = { ...revision(2, []), kind: 'observed', actor: 'observe', provenance };
  const [head, row] = historyTable([observed, revision(1, [])], false).split('\n');
  expect(head).toMatch(/WHO +COMMIT +FROM$/);
  expect(row).toMatch(/Helm \(web\) +3f9c2e1 +shop\/web:2 \(release web \(web-1\.4\.2\), written by helm\)$/);
  expect(historyTable([revision(1, [])], false), 'what we deploy has no such column').not.toContain('FROM');
});
