import type { LastServing, ServingRevision } from '../contract/claim.ts';
import type { ObservedBody, ServedStamp } from '../contract/evidence.ts';
import type { RevisionIntent, Stamp } from '../contract/intent.ts';
import type {
  Facts,
  Mark,
  Observed,
  ObservedInstance,
  Proven,
  RevisionFacts,
  ServedRevision,
} from './facts.ts';
import { freshnessOf, lastSeenAsOf } from './freshness.ts';
import { isReady } from './instances.ts';
import { ageMs, byNow, rfc3339 } from './instant.ts';
import { isAboveLedger, isLeftOut, unprovenSinceRecovery } from './recovery.ts';
import { hasPort, observedEntry, observedInstances, templateOf } from './running-contract.ts';
import { isProvenGone, isSameStamp } from './served.ts';
import { commandOf } from './workload.ts';

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
  const fresh = freshnessOf(facts.proven.observed, facts.liveness);
  if (fresh.broken !== null || fresh.asOf === null || !(now < fresh.until)) return null;
  const shown = knownServing(intent, facts, revision);
  if (shown === null) return null;
  const { revision: number, attempt } = shown;
  const asOf = Math.max(fresh.asOf, firstShown(shown, facts));
  return { revision: number, attempt, asOf: rfc3339(byNow(now, asOf)), validUntil: rfc3339(fresh.until) };
}

/**
 * The same as `shownServing`, if its attempts are known or a row says that it served. Otherwise it did not serve while
 * its own revision was active, and a newer revision, beside which its attempts are forgotten, makes it no truer: it may
 * be an attempt that was never issued (F24, seed 3874).
 */
function knownServing(intent: RevisionIntent, facts: Facts, revision: RevisionFacts): ServedStamp | null {
  const shown = shownServing(intent, facts, revision);
  if (shown === null) return null;
  const { revisions, observed } = facts.proven;
  const isKnown = revisions.some((known) => known.revision === shown.revision);
  return isKnown || observed.served?.some((served) => isSameStamp(served, shown)) ? shown : null;
}

/** The revision that the recorded observation shows serving, fresh or not. */
function shownServing(
  intent: RevisionIntent,
  facts: Facts,
  revision: RevisionFacts,
  earlier: readonly ServedStamp[] = [],
): ServedStamp | null {
  const up = observedInstances(facts.proven.observed).filter(isReady);
  const ready = up.filter((i) => isIssued(i, facts));
  return intent.origin.kind === 'observe'
    ? byTemplate(intent, revision, facts, ready, earlier)
    : byRoute(intent, revision, facts, ready, ready.length < up.length);
}

/** The last revision that was seen serving and is not proven gone, and the row that says so; null if there is none. */
export function lastServed(
  intent: RevisionIntent,
  facts: Facts,
  revision: RevisionFacts,
): ServedRevision | null {
  const { observed } = facts.proven;
  const shown = knownServing(intent, facts, revision);
  const remembered = observed.served ?? [];
  const candidates: ServedRevision[] = remembered.filter(
    (served) => !isProvenGone(served, observed, facts.liveness.agent?.places ?? null),
  );
  if (shown !== null) {
    const evidence = remembered.find((served) => isSameStamp(served, shown))?.evidence ?? '';
    const { revision: number, attempt, template } = shown;
    const stamp = { revision: number, attempt, ...(template !== undefined && { template }) };
    candidates.push({ asOf: 0, isCurrent: true, evidence, ...stamp });
  }
  let last: ServedRevision | null = null;
  for (const served of candidates) {
    const asOf = served.isCurrent
      ? Math.max(served.asOf, seenAsOf(facts), firstShown(served, facts))
      : served.asOf;
    // mutant: last-served
    if (last === null || asOf >= last.asOf) last = { ...served, asOf };
  }
  return last;
}

export function lastServingOf(last: ServedRevision | null, now: number): LastServing | null {
  if (last === null) return null;
  const { revision, attempt, asOf } = last;
  return { revision, attempt, asOf: rfc3339(byNow(now, asOf)), ageMs: ageMs(now, asOf) };
}

/**
 * The change by a report of what serves, to be recorded with it: undefined if nothing. `before` has the liveness before
 * the report, which says how long the former one was seen. `earlier` are the templates of revisions before this one, as far
 * as somebody has read them: what the row says then needs no such list.
 */
export function servedChange(
  intent: RevisionIntent,
  revision: RevisionFacts,
  before: Facts,
  after: Proven,
  earlier: readonly ServedStamp[] = [],
): ObservedBody['served'] {
  const now = shownServing(intent, { ...before, proven: after }, revision, earlier);
  const { served = [] } = before.proven.observed;
  const remembered = served.find(({ isCurrent }) => isCurrent) ?? null;
  const current = remembered ?? shownServing(intent, before, revision);
  if (now !== null && current !== null && isSameStamp(now, current))
    return remembered === null ? { now, until: null } : undefined;
  if (current === null) return now === null ? undefined : { now, until: null };
  const { revision: number, attempt, template } = current;
  const asOf = Math.max(remembered?.asOf ?? 0, seenAsOf(before), firstShown(current, before));
  const stamp =
    template === undefined ? { revision: number, attempt } : { revision: number, attempt, template };
  return { now, until: { ...stamp, asOf } };
}

/** After a recovery only the recorded rows count: a report since may show what the ledger never issued. */
function seenAsOf(facts: Facts): number {
  const { observed } = facts.proven;
  if (unprovenSinceRecovery(facts) === null) return lastSeenAsOf(observed, facts.liveness);
  return observed.parts.reduce((latest, { asOf }) => Math.max(latest, asOf), 0);
}

/**
 * The first instant at which the revision can have been seen: when a report first showed it so, and never before the
 * target took its order. One slow part of a report does not make it older than itself.
 */
function firstShown(shown: ServedStamp, { proven }: Facts): number {
  const steady = steadySince(shown, proven.observed);
  return Math.max(steady, ...orderOf(shown, proven).map(({ at }) => at));
}

/** The rows before which it cannot have served: its revision was recorded, its attempt requested and taken. */
function orderOf(shown: ServedStamp, { revisions }: Proven): readonly Mark[] {
  const facts = revisions.find(({ revision }) => revision === shown.revision);
  if (facts === undefined) return [];
  const { recorded, attempt } = facts;
  const isOwn = attempt.attempt === shown.attempt;
  const leases = isOwn ? (commandOf(attempt, 'apply')?.leases ?? []) : [];
  const taken = leases.find((lease) => lease.acknowledged !== null)?.acknowledged ?? null;
  return [recorded, isOwn ? attempt.requested : null, taken].filter((mark) => mark !== null);
}

/**
 * The evidence for the instant since when it served, where it serves still. An attempt that is cited is over, or it would
 * be the active one again by what is cited alone (S14).
 */
export function orderEvidence(served: ServedRevision, proven: Proven): readonly string[] {
  if (!served.isCurrent) return [];
  const end = proven.revisions.find(({ revision }) => revision === served.revision)?.attempt.settled ?? null;
  return [...orderOf(served, proven), ...(end === null ? [] : [end])].map(({ id }) => id);
}

function steadySince({ revision, attempt, template }: ServedStamp, observed: Observed): number {
  const routed = observed.parts.filter(({ entry }) => entry?.route != null);
  if (routed.length > 0) return Math.max(...routed.map(({ entries }) => entries.at(-1)?.steady.since ?? 0));
  const sinces = observedInstances(observed)
    .filter((i) => isReady(i) && (template === undefined ? i.revision === revision : i.template === template))
    .filter((i) => template !== undefined || (i.attempt ?? 1) === attempt)
    .map(({ steady }) => steady.since);
  return sinces.length === 0 ? 0 : Math.min(...sinces);
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
  earlier: readonly ServedStamp[],
): ServedStamp | null {
  const template = templateOf(intent, revision);
  if (template === null) return null;
  const entry = observedEntry(facts.proven.observed);
  // One that was asked and no longer answers serves nobody: where such a one is, only those count that answered.
  const up = entry?.contradiction === 'silent_port' ? ready.filter((i) => i.saidBy === 'request') : ready;
  const own = up.filter((i) => i.template === template);
  const active = { revision: revision.revision, attempt: revision.attempt.attempt, template };
  if (!hasPort(intent, revision) && !entry?.route)
    return own.length > 0 ? active : formerTemplate(facts, up, earlier);
  const named = (entry?.template ?? template) === template;
  return entry?.route?.answers && named && own.length > 0 && own.length === up.length ? active : null;
}

/**
 * While the new template has nothing ready, an earlier one serves, if its copies are the only ready ones. Its revision is
 * the one that served before; else one of those `earlier` on record, which may have become ready since it was replaced.
 */
function formerTemplate(
  { proven }: Facts,
  ready: readonly ObservedInstance[],
  earlier: readonly ServedStamp[],
): ServedStamp | null {
  const [first] = ready;
  if (first === undefined || ready.some((i) => i.template !== first.template)) return null;
  const { served = [] } = proven.observed;
  const isIts = ({ template }: ServedStamp) => template !== undefined && template === first.template;
  const former = served.findLast(isIts) ?? earlier.find(isIts);
  if (former === undefined) return null;
  const { revision, attempt, template } = former;
  return { revision, attempt, ...(template !== undefined && { template }) };
}
