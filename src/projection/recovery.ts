import { compareDigits } from '../contract/digits.ts';
import type { Facts, ObservedPart, Proven } from './facts.ts';

/** What an instance or a route says it is of. */
interface Stamp {
  readonly revision: number | null;
  readonly attempt: number | null;
  readonly fence?: string | null;
}

/**
 * After a restore or failover no claim survives without proof (F44, F54): what was seen before may have been
 * replaced in the part of the past that is lost. Until the target has reported completely since, until every
 * scope that has shown this service has done so, and as long as something runs that the ledger never issued.
 */
export function isUnprovenSinceRecovery({ proven, vitals }: Facts): boolean {
  const { recoveredAt, scopes } = vitals;
  if (recoveredAt === null) return false;
  if (!scopes.some((s) => s.completeAt !== null && s.completeAt > recoveredAt)) return true;
  const { parts } = proven.observed;
  return parts.some((part) => !isSeenSince(part, recoveredAt) || showsVoid(part, proven));
}

/** A complete report of this scope is on record since; the row itself says so, not the scope's span (S9). */
export function isSeenSince({ completeMark }: ObservedPart, recoveredAt: number): boolean {
  return completeMark !== null && completeMark.at > recoveredAt;
}

function showsVoid({ instances, entry }: ObservedPart, proven: Proven): boolean {
  if (instances.some((i) => isAboveLedger(i, proven))) return true;
  return entry?.route != null && isAboveLedger(entry.route, proven);
}

/**
 * Never handed out, or in the part of the past that is lost: a revision above the newest, an attempt above its revision's, a
 * fence above all that its attempt acknowledged. Of revisions that are history only the first can be told, and it
 * is enough: whatever is deployed since the recovery is numbered above the void.
 */
export function isAboveLedger({ revision, attempt, fence }: Stamp, { revisions }: Proven): boolean {
  const newest = revisions.at(-1);
  if (revision === null || newest === undefined) return false;
  if (revision > newest.revision) return true;
  const issued = revisions.find((r) => r.revision === revision)?.attempt;
  if (issued === undefined || attempt === null) return false;
  if (attempt !== issued.attempt) return attempt > issued.attempt;
  const fences = issued.commands.flatMap((c) => c.leases.map((l) => l.fence));
  return fence != null && fences.every((known) => compareDigits(fence, known) > 0);
}
