import type { RevisionView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';

/** Revisions that are offered as the goal of a rollback. The server goes to any revision that has bytes. */
export const earlierOf = (revisions: readonly RevisionView[], wanted: number): readonly RevisionView[] =>
  revisions.filter(
    ({ revision, kind, attempts, replicas }) =>
      revision < wanted &&
      kind !== 'observed' &&
      replicas > 0 &&
      attempts.some(({ outcome }) => outcome === 'succeeded'),
  );

/** The revision that a rollback goes to if nobody chooses another. */
export const newestOf = (earlier: readonly RevisionView[]): number | null =>
  earlier.length === 0 ? null : Math.max(...earlier.map(({ revision }) => revision));

/** What is known of a rollback to a revision before it is requested. */
export const outlookOf = (
  { desired }: Claim,
  goal: RevisionView,
  serving: number | null,
  servingCopies: number | null,
) => ({
  ...{ from: desired.revision, copies: desired.replicas, serving, servingCopies },
  ...{ goal: goal.revision, goalCopies: goal.replicas },
});
