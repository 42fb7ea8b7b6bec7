import type { Evidence } from '../contract/evidence.ts';
import type { Outcome } from '../contract/vocabulary.ts';
import type { Proven } from './facts.ts';
import { fold } from './fold.ts';
import { activeOf } from './queue.ts';

/** An attempt that evidence ended, or that gave way to another one. */
interface EndedAttempt {
  readonly revision: number;
  readonly attempt: number;
  readonly outcome: Outcome;
  /** Another attempt is active now: nobody waits for this one's work any more. */
  readonly replaced: boolean;
}

/** Lists the attempts that a piece of evidence ended, by comparing the facts before it with the facts after it. */
export function endingsBy(before: Proven, after: Proven, e: Evidence): EndedAttempt[] {
  const endings: EndedAttempt[] = [];
  const active = activeOf(after)?.revision ?? 0;
  for (const old of before.revisions) {
    const { revision } = old;
    const { attempt } = old.attempt;
    const now = after.revisions.find((r) => r.revision === revision);
    if (now !== undefined && now.attempt.attempt === attempt) {
      const { settled } = now.attempt;
      // An abandoned attempt may still be at work: its removal must not be offered once the next revision is active.
      const replaced = revision < active;
      if (settled !== null && (replaced || old.attempt.settled === null))
        endings.push({ revision, attempt, outcome: settled.outcome, replaced });
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
