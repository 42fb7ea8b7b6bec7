import type { Evidence } from '../contract/evidence.ts';
import type { Outcome } from '../contract/vocabulary.ts';
import type { Proven } from './facts.ts';
import { fold } from './fold.ts';

/** An attempt that evidence ended, or that gave way to another one. */
export interface Ending {
  readonly revision: number;
  readonly attempt: number;
  readonly outcome: Outcome;
  /** Facts speak about another attempt now: nobody waits for this one's work any more. */
  readonly replaced: boolean;
}

/** Which attempts a piece of evidence ended, and how: what the facts before it said, and what they say with it. */
export function endingsBy(before: Proven, after: Proven, e: Evidence): Ending[] {
  const endings: Ending[] = [];
  for (const old of before.revisions) {
    const { revision } = old;
    const { attempt } = old.attempt;
    const now = after.revisions.find((r) => r.revision === revision);
    if (now !== undefined && now.attempt.attempt === attempt) {
      if (now.attempt.settled !== null && old.attempt.settled === null)
        endings.push({ revision, attempt, outcome: now.attempt.settled.outcome, replaced: false });
      continue;
    }
    const alone = fold({ ...after, from: revision, revisions: [old] }, e).revisions.find(
      (r) => r.revision === revision && r.attempt.attempt === attempt,
    );
    const outcome = old.attempt.settled?.outcome ?? alone?.attempt.settled?.outcome ?? 'superseded';
    endings.push({ revision, attempt, outcome, replaced: true });
  }
  return endings;
}
