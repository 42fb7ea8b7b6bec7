import type { ServingRevision } from '../contract/claim.ts';
import type { RevisionIntent, Stamp } from '../contract/intent.ts';
import type { Facts, ObservedInstance, RevisionFacts } from './facts.ts';
import { freshnessOf } from './freshness.ts';
import { isReady } from './instances.ts';
import { rfc3339 } from './instant.ts';
import { isAboveLedger, isLeftOut } from './recovery.ts';
import { hasPort, observedEntry, observedInstances } from './running-contract.ts';

/**
 * The revision that answers users now: a third fact beside claim and outcome. It is the one that the fresh route names;
 * without a port, the highest with a ready instance; null if the route is mixed or stale (S1). A number that was never
 * issued is no revision, whoever reports it (F24): a route that names it gives null.
 * It has a freshness of its own: a newer revision may build, fail or wait meanwhile.
 */
export function servingOf(
  intent: RevisionIntent,
  facts: Facts,
  revision: RevisionFacts,
  now: number,
): ServingRevision | null {
  const { observed } = facts.proven;
  const fresh = freshnessOf(observed, facts.liveness);
  if (fresh.broken !== null || fresh.asOf === null || !(now < fresh.until)) return null;
  const up = observedInstances(observed).filter(isReady);
  const ready = up.filter((i) => isIssued(i, facts));
  const stamp =
    intent.origin.kind === 'observe'
      ? byTemplate(intent, revision, facts, ready)
      : byRoute(intent, revision, facts, ready, ready.length < up.length);
  if (stamp === null) return null;
  return { ...stamp, asOf: rfc3339(fresh.asOf), validUntil: rfc3339(fresh.until) };
}

function byRoute(
  intent: RevisionIntent,
  revision: RevisionFacts,
  facts: Facts,
  ready: readonly ObservedInstance[],
  hasStrays: boolean,
): Stamp | null {
  const entry = observedEntry(facts.proven.observed);
  const route = entry?.route ?? null;
  // Until the build ends, it is not recorded whether there is a port. A stamp that was never issued may have
  // the route meanwhile, in a report that has not come yet (seed 143136).
  const isOpen = intent.port === 'auto' && revision.artifact === null && entry === null;
  if (route === null) return hasPort(intent, revision) || (isOpen && hasStrays) ? null : highest(ready);
  // A route that answers without naming a revision is answered by several.
  // mutant: route-issued
  if (!route.answers || route.revision === null || !isIssued(route, facts)) return null;
  const of = ready.filter((i) => i.revision === route.revision);
  const active = revision.revision === route.revision ? revision.attempt.attempt : 1;
  return {
    revision: route.revision,
    attempt: route.attempt ?? highest(of)?.attempt ?? active,
  };
}

/** By revision and attempt, which are all that is named here: a fence is provenance, as in the running contract. */
function isIssued({ revision, attempt }: Pick<ObservedInstance, 'revision' | 'attempt'>, { proven }: Facts) {
  return !isAboveLedger({ revision, attempt }, proven) && !isLeftOut(revision, proven);
}

function highest(ready: readonly ObservedInstance[]): Stamp | null {
  let found: Stamp | null = null;
  for (const { revision, attempt } of ready) {
    if (revision === null) continue;
    const stamp = { revision, attempt: attempt ?? 1 };
    if (found === null || (stamp.revision - found.revision || stamp.attempt - found.attempt) > 0)
      found = stamp;
  }
  return found;
}

/** Observe mode: the hash of the template takes the place of the stamp; two templates at once are mixed. */
function byTemplate(
  intent: RevisionIntent,
  revision: RevisionFacts,
  facts: Facts,
  ready: readonly ObservedInstance[],
): Stamp | null {
  const { template } = intent;
  if (template === null) return null;
  const entry = observedEntry(facts.proven.observed);
  const own = ready.filter((i) => i.template === template);
  const active = { revision: revision.revision, attempt: revision.attempt.attempt };
  if (!hasPort(intent, revision) && !entry?.route) return own.length > 0 ? active : null;
  const named = (entry?.template ?? template) === template;
  return entry?.route?.answers && named && own.length > 0 && own.length === ready.length ? active : null;
}
