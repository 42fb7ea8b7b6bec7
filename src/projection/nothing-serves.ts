import type { NothingServes } from '../contract/claim.ts';
import type { RevisionIntent } from '../contract/intent.ts';
import type { Facts, ObservedPart, RevisionFacts } from './facts.ts';
import { freshnessOf, partsAsOf } from './freshness.ts';
import { isReady, opaquenessOf } from './instances.ts';
import { byNow, rfc3339, rfc3339OrNull } from './instant.ts';
import { formerCopies } from './places.ts';
import { unprovenSinceRecovery } from './recovery.ts';
import { scopeOfWorkload, workloadFate } from './workload-seen.ts';

/** The recorded proof that no revision answers, fresh or not; `until` is null where no time changes it. */
interface SeenNothing {
  readonly asOf: number;
  readonly until: number | null;
}

/**
 * The proof that no revision answers: `serving: null` alone says only that none is proven to. Either no apply was ever
 * leased, which the ledger alone proves, or every scope has shown all there is, and none of it is ready and no route
 * answers (S1). Null where that is not known, as where copies of a former place were never proven gone.
 */
export function nothingSeen(
  intent: RevisionIntent,
  facts: Facts,
  revision: RevisionFacts,
): SeenNothing | null {
  const { observed, leasedApply } = facts.proven;
  const { parts } = observed;
  if (unprovenSinceRecovery(facts) !== null || formerCopies(facts) !== null) return null;
  // What a rule leaves out may answer all the while: reports under the rule show nothing of it.
  if (workloadFate(observed) === 'not_observed') return null;
  // Its runs end when they are done: that nothing serves would say that something should.
  if (observed.workload?.workload.kind === 'CronJob') return null;
  // mutant: nothing-serves-shown
  if (parts.some(mayServe)) return null;
  const isUnseen = parts.every(({ instances, corrupt }) => instances.length === 0 && !corrupt);
  // mutant: nothing-serves-ledger
  if (leasedApply === null && intent.origin.kind !== 'observe' && isUnseen)
    return { asOf: revision.recorded?.at ?? revision.activatedAt, until: null };
  // Rejected: a report without a word of the service. It may be of before anybody asked about it (seed 7).
  if (parts.length === 0 || freshnessOf(observed, facts.liveness).broken !== null) return null;
  // Unlike in the running contract every scope of the target counts, also one that never showed it: it may by now (seed
  // 137). Of a workload that a rule found only its namespace shows anything, so that no other one has to be readable.
  const own = scopeOfWorkload(observed);
  const scopes = facts.liveness.scopes.filter(({ scope }) => own === '*' || scope === own || scope === '*');
  if (scopes.some(({ completeAt }) => completeAt === null)) return null;
  const asOf = Math.min(
    ...partsAsOf(observed, facts.liveness).map(([, at]) => at),
    ...scopes.map((scope) => scope.asOf),
  );
  return { asOf, until: asOf + facts.liveness.settings.freshForMs };
}

/** The same as the claim has it: only while it is fresh. */
export function nothingServesOf({ asOf, until }: SeenNothing, now: number): NothingServes | null {
  // mutant: nothing-serves-fresh
  if (until !== null && now >= until) return null;
  return { asOf: rfc3339(byNow(now, asOf)), validUntil: rfc3339OrNull(until) };
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
