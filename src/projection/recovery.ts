import { compareDigits } from '../contract/digits.ts';
import type { Facts, ObservedPart, Proven, RevisionGap } from './facts.ts';
import type { Interval } from './intervals.ts';

/** The stamp of an instance or a route. */
interface ObservedStamp {
  readonly revision: number | null;
  readonly attempt: number | null;
  readonly fence?: string | null;
}

/**
 * The reason why a recovered store has no claim: not every scope was observed again; an instance that is not on record was
 * observed; or the requested instant lies in the lost part of the past.
 */
export type Unproven =
  | { readonly kind: 'unseen' }
  | { readonly kind: 'lost'; readonly lost: Interval }
  | { readonly kind: 'not_on_record'; readonly observed: Attempted; readonly recorded: Attempted };

interface Attempted {
  readonly revision: number;
  readonly attempt: number;
}

/**
 * After a restore or failover no claim survives without proof (F44, F54): an observed instance may have been
 * replaced in the lost part of the past. The service is unproven until the target has reported completely
 * since, until every scope that has shown this service has done so, and while an instance runs that the
 * ledger never issued. Such an instance is claimed as soon as it is observed, because no further report
 * resolves it.
 */
export function unprovenSinceRecovery({ proven, liveness }: Facts): Unproven | null {
  const { lost, recoveredAt, scopes } = liveness;
  if (lost !== null) return { kind: 'lost', lost };
  if (recoveredAt === null) return null;
  if (!scopes.some((s) => s.completeAt !== null && s.completeAt > recoveredAt)) return { kind: 'unseen' };
  const { parts } = proven.observed;
  const observedSince = parts.filter((part) => isObservedSince(part, recoveredAt));
  const unissued = highest(observedSince.flatMap((part) => unissuedIn(part, proven)));
  if (unissued !== null)
    return { kind: 'not_on_record', observed: unissued, recorded: recordedFor(unissued, proven) };
  return observedSince.length < parts.length ? { kind: 'unseen' } : null;
}

/**
 * A complete report of this scope is on record since the recovery; the row itself says so, not the scope's
 * span (S9).
 */
export function isObservedSince({ completeMark }: ObservedPart, recoveredAt: number): boolean {
  return completeMark !== null && completeMark.at > recoveredAt;
}

function unissuedIn({ instances, entry }: ObservedPart, proven: Proven): Attempted[] {
  const stamps: readonly ObservedStamp[] = entry?.route == null ? instances : [...instances, entry.route];
  return stamps
    .filter((stamp) => isAboveLedger(stamp, proven))
    .flatMap(({ revision, attempt }) => (revision === null ? [] : [{ revision, attempt: attempt ?? 1 }]));
}

/** Caps how far a reported revision may push the next number, so that no agent makes numbers run out. */
const FURTHEST = 1_000_000;

/**
 * The highest revision that is observed, issued or not. Its number is taken: after a restore that nobody
 * declared, a running instance would otherwise be mistaken for the next requested revision (S1, F24).
 */
export function highestInUse(proven: Proven): number {
  const newest = proven.revisions.at(-1)?.revision ?? 0;
  const unissued = proven.observed.parts.flatMap((part) => unissuedIn(part, proven));
  return highest(unissued.filter(({ revision }) => revision <= newest + FURTHEST))?.revision ?? newest;
}

function highest(stamps: readonly Attempted[]): Attempted | null {
  return stamps.toSorted((a, b) => b.revision - a.revision || b.attempt - a.attempt)[0] ?? null;
}

/** The ledger's attempt of that revision; where it has no such revision, of the newest before it. */
function recordedFor({ revision }: Attempted, { revisions }: Proven): Attempted {
  const recorded = revisions.findLast((r) => r.revision <= revision);
  return { revision: recorded?.revision ?? 0, attempt: recorded?.attempt.attempt ?? 1 };
}

/** The number lies in a gap between two revisions: it was skipped, because it is lost or was observed. */
export const isLeftOut = (revision: number | null, proven: Proven): boolean =>
  gapOf(revision, proven) !== undefined;

export function gapOf(revision: number | null, { leftOut = [] }: Proven): RevisionGap | undefined {
  if (revision === null) return undefined;
  return leftOut.find(({ above, below }) => above < revision && revision < below);
}

/**
 * The stamp was never issued, or lies in the lost part of the past: a revision above the newest, an attempt
 * above its revision's, a fence above all that its attempt acknowledged. For revisions that are history only
 * the revision can be checked, and that is enough: every deployment since the recovery is numbered above the
 * void.
 */
export function isAboveLedger({ revision, attempt, fence }: ObservedStamp, { revisions }: Proven): boolean {
  const newest = revisions.at(-1);
  if (revision === null || newest === undefined) return false;
  if (revision > newest.revision) return true;
  const issued = revisions.find((r) => r.revision === revision)?.attempt;
  if (issued === undefined || attempt === null) return false;
  if (attempt !== issued.attempt) return attempt > issued.attempt;
  const fences = issued.commands.flatMap((c) => c.leases.map((l) => l.fence));
  return fence != null && fences.every((recorded) => compareDigits(fence, recorded) > 0);
}
