import type { NothingServes } from '../contract/claim.ts';
import type { RevisionIntent } from '../contract/intent.ts';
import type { Facts, ObservedPart, RevisionFacts } from './facts.ts';
import { freshnessOf, partsAsOf } from './freshness.ts';
import { isReady, opaquenessOf } from './instances.ts';
import { byNow, rfc3339 } from './instant.ts';
import { formerCopies } from './places.ts';
import { unprovenSinceRecovery } from './recovery.ts';

/**
 * The proof that no revision answers: `serving: null` alone says only that none is proven to. Either no apply was ever
 * leased, which the ledger alone proves, or every scope has freshly shown all there is, and none of it is ready and no
 * route answers (S1). Null where that is not known, as where copies of a former place were never proven gone.
 */
export function nothingServesOf(
  intent: RevisionIntent,
  facts: Facts,
  revision: RevisionFacts,
  now: number,
): NothingServes | null {
  const { observed, leasedApply } = facts.proven;
  const { parts } = observed;
  if (unprovenSinceRecovery(facts) !== null || formerCopies(facts) !== null) return null;
  // mutant: nothing-serves-shown
  if (parts.some(mayServe)) return null;
  const isUnseen = parts.every(({ instances, corrupt }) => instances.length === 0 && !corrupt);
  // mutant: nothing-serves-ledger
  if (leasedApply === null && intent.origin.kind !== 'observe' && isUnseen)
    return { asOf: rfc3339(byNow(now, revision.recorded?.at ?? revision.activatedAt)), validUntil: null };
  // Rejected: a report without a word of the service. It may be of before anybody asked about it (seed 7).
  if (parts.length === 0 || freshnessOf(observed, facts.liveness).broken !== null) return null;
  // Unlike in the running contract every scope of the target counts, also one that never showed it: it may by now (seed 137).
  const { scopes } = facts.liveness;
  if (scopes.some(({ completeAt }) => completeAt === null)) return null;
  const asOf = Math.min(
    ...partsAsOf(observed, facts.liveness).map(([, at]) => at),
    ...scopes.map((scope) => scope.asOf),
  );
  const until = asOf + facts.liveness.settings.freshForMs;
  // mutant: nothing-serves-fresh
  if (now >= until) return null;
  return { asOf: rfc3339(byNow(now, asOf)), validUntil: rfc3339(until) };
}

/** It shows something that answers, or that may: an instance that cannot be judged, or less than all there is. */
function mayServe({ instances, entry, mark, completeMark, corrupt }: ObservedPart): boolean {
  return (
    corrupt ||
    completeMark?.id !== mark.id ||
    entry?.route?.answers === true ||
    entry?.contradiction != null ||
    instances.some((i) => isReady(i) || opaquenessOf(i) !== null)
  );
}
