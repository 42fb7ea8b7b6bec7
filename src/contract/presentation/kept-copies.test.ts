import { expect, it } from 'vitest';
import { keptRevisions } from './kept-copies.ts';

const KINDS = ['deploy', 'scale', 'scale', 'restart', 'scale'] as const;
const revisions = KINDS.map((kind, i) => ({ revision: i + 1, kind }));

it('a scaling counts the copies of what it derives from, and nothing else does', () => {
  expect([...keptRevisions(revisions, 2)]).toEqual([1]);
  expect([...keptRevisions(revisions, 3)]).toEqual([2, 1]);
  expect([...keptRevisions(revisions, 4)]).toEqual([]);
  expect([...keptRevisions(revisions, 5)]).toEqual([4]);
  expect([...keptRevisions([], 2)]).toEqual([]);
});
