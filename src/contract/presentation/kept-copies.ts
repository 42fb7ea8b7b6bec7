import type { RevisionView } from '../answers/views.ts';

/**
 * The earlier revisions whose copies count for a revision: a scaling keeps those of the one that it derives from, and of
 * the scalings before that. Pure.
 */
export function keptRevisions(
  revisions: readonly Pick<RevisionView, 'revision' | 'kind'>[],
  desired: number,
): ReadonlySet<number> {
  const kinds = new Map(revisions.map(({ revision, kind }) => [revision, kind]));
  const kept = new Set<number>();
  for (let one = desired; kinds.get(one) === 'scale' && kinds.has(one - 1); one--) kept.add(one - 1);
  return kept;
}
