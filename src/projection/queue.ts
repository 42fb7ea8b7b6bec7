import { compareDigits } from '../contract/digits.ts';
import type { Mark, Proven, RevisionFacts } from './facts.ts';

/** The revision that the claim is about, and those that wait behind it. */
interface RevisionQueue {
  readonly active: RevisionFacts | undefined;
  readonly waiting: readonly RevisionFacts[];
}

/**
 * The active revision is the newest that did not have to queue; one that queued becomes active when every
 * earlier one is terminal, and its clocks start then. Among cited evidence alone, an observation may name an
 * earlier revision whose intent is not cited: that one is never active (S14).
 */
export function queueOf({ revisions }: Proven): RevisionQueue {
  let at = Math.max(
    0,
    revisions.findIndex((r) => r.recorded !== null),
  );
  let active = revisions[at];
  for (
    let next = nextOf(revisions, at);
    active !== undefined && next !== null;
    next = nextOf(revisions, at)
  ) {
    active = { ...next.revision, activatedAt: Math.max(active.activatedAt, next.since) };
    at = next.at;
  }
  return { active, waiting: revisions.slice(at + 1) };
}

export const activeOf = (proven: Proven): RevisionFacts | undefined =>
  proven.revisions.length === 1 ? proven.revisions[0] : queueOf(proven).active;

/**
 * Drops revisions that can never be active again: all before the newest that did not queue, and all before
 * one that queued and is proven to have begun. Until then the revision that it waited for is kept, because
 * the queued one may prove to be cancelled in the queue and never active (S9).
 */
export function forgetPast(proven: Proven): Proven {
  let { from, revisions } = proven;
  // mutant: queued-not-newest
  const newest = revisions.findLast((r) => r.recorded !== null && !r.recorded.queued);
  if (newest !== undefined && newest.revision > from) from = newest.revision;
  if ((revisions[0]?.revision ?? from) < from) revisions = revisions.filter((r) => r.revision >= from);
  let at = 0;
  let activatedAt = revisions[0]?.activatedAt ?? 0;
  for (let next = nextOf(revisions, at); next !== null; next = nextOf(revisions, at)) {
    activatedAt = Math.max(activatedAt, next.since);
    at = next.at;
    const begun = next.revision.attempt.attempt > 1 || next.revision.attempt.commands.length > 0;
    if (!begun) continue;
    from = next.revision.revision;
    revisions = [{ ...next.revision, activatedAt }, ...revisions.slice(at + 1)];
    at = 0;
  }
  return from === proven.from && revisions === proven.revisions ? proven : { ...proven, from, revisions };
}

interface Next {
  readonly at: number;
  readonly revision: RevisionFacts;
  readonly since: number;
}

/**
 * The revision that became active with the end of this one. None while a revision between them is not folded
 * yet. An attempt that ended before the next revision queued is not the one that it waits for: that attempt
 * is still to be folded.
 */
function nextOf(revisions: readonly RevisionFacts[], from: number): Next | null {
  const ended = terminal(revisions[from]);
  if (ended === null) return null;
  for (let at = from + 1; at < revisions.length; at++) {
    const revision = revisions[at];
    const ahead = revisions[at - 1]?.revision;
    if (!revision?.recorded || (revision.recorded.behind ?? ahead) !== ahead) return null;
    if (revision.attempt.cancel?.queued) continue;
    if (compareDigits(ended.position, revision.recorded.position) < 0) return null;
    return { at, revision, since: Math.max(revision.activatedAt, ended.at) };
  }
  return null;
}

/**
 * The end of a revision; null while it is open. A revision that was cancelled in the queue was never active,
 * and makes no other active.
 */
function terminal(r: RevisionFacts | undefined): Mark | null {
  if (!r?.recorded || r.attempt.cancel?.queued) return null;
  // mutant: queue-waits
  return r.recorded.absent ? r.recorded : r.attempt.settled;
}
