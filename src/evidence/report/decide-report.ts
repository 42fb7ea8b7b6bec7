import { compareDigits } from '../../contract/digits.ts';
import type { Judged, ObservedBody, ServedStamp } from '../../contract/evidence.ts';
import type { Liveness, Observed } from '../../projection/facts.ts';
import { partLastSeenAsOf } from '../../projection/freshness.ts';
import { timesInDoubt } from '../../projection/places.ts';
import { isAboveLedger, isObservedSince } from '../../projection/recovery.ts';
import { observedEntry, observedInstances, templateOf } from '../../projection/running-contract.ts';
import type { ServiceFile } from '../door/service-file.ts';
import { exitsIn } from './exits-in.ts';
import type { ItemsByService } from './items.ts';
import { judgeObservation } from './judge-observation.ts';
import { firstTemplate, type NewRevision, newTemplate } from './new-template.ts';
import {
  differenceIn,
  type Observation,
  observationOf,
  type ReportInScope,
  turnsFate,
} from './observation.ts';
import { asOfReport } from './scope.ts';

/** A reason to record an observation. */
export type Why =
  /** It shows something that is not stored. */
  | 'news'
  /** A revision was recorded for the template that it shows: the observation has to judge that revision. */
  | 'template_adopted'
  /** It is the first to show the attempt since the runtime received it, or the first to show the contract stable. */
  | 'first_of_attempt'
  /** The claim's state is another with it. */
  | 'state_changes'
  /** The running contract turns: from unmet to held, or back. */
  | 'contract_turns'
  /** It ends the attempt: what is shown as succeeded is on record, also where a template holds from the start (S11). */
  | 'attempt_settles'
  /** A partial report keeps only what it names fresh, so a row has to say how fresh. */
  | 'refreshes_named'
  /** One of several scopes: each must be observed again for the contract to be stable or for absence to be proven. */
  | 'scope_stabilizes'
  /** After a recovery the ledger itself must say that the service was observed again. */
  | 'observed_after_recovery'
  /** Another place showed it before: what that showed is moved aside, and does not count for this one. */
  | 'another_place';

/** The effect of a report on one service. */
export type ReportDecision =
  /** It changes nothing: only the span of liveness grows. */
  | { readonly kind: 'calm' }
  /** It says nothing of the service, but the liveness around it may change the claim. */
  | { readonly kind: 'rejudge' }
  /** It shows a template of no revision: that is recorded first, then the report is decided again. */
  | { readonly kind: 'adopt_template'; readonly revision: NewRevision }
  | {
      readonly kind: 'record';
      readonly why: readonly Why[];
      readonly evidence: 'runtime.observed' | 'route.observed';
      readonly body: ObservedBody;
      readonly alarm: 'unissued' | null;
    };

/** A report as it reaches one service. */
interface ReportedService extends ReportInScope {
  /** The template that the report shows was recorded as a revision just now. */
  readonly templateAdopted: boolean;
  /** The liveness before the report. */
  readonly before: Liveness;
  /** The templates of earlier revisions, where the report shows a copy of neither this one nor one that served. */
  readonly earlier?: readonly ServedStamp[];
}

/**
 * True where a ready copy is of a template that is neither the active one nor one that served: its revision has to be looked
 * up among the earlier ones. Only another tool makes copies of a revision that is no longer wanted.
 */
export function showsEarlierTemplate(
  {
    active,
    activeIntent,
    proven,
    service,
  }: Pick<ServiceFile, 'active' | 'activeIntent' | 'proven' | 'service'>,
  items: Pick<ItemsByService, 'instances' | 'entries'>,
): boolean {
  if (activeIntent?.origin.kind !== 'observe' || active === undefined) return false;
  const { served = [] } = proven.observed;
  const wanted = items.entries.get(service)?.template ?? templateOf(activeIntent, active);
  return (items.instances.get(service) ?? []).some(
    ({ template, ready }) =>
      ready && template != null && template !== wanted && !served.some((one) => one.template === template),
  );
}

/** Pure: `file` already has the liveness of the report's scope, and `scope` is the scope's row after the report. */
export function decideReport(file: ServiceFile, reported: ReportedService, at: number): ReportDecision {
  const { report, items, scope } = reported;
  const { observed } = file.proven;
  const { service, createdAt } = file;
  const observation = observationOf(reported, { service, createdAt, observed });
  const isPartial = observation.corrupt || (report.kind === 'full' && !observation.complete);
  if (report.unavailable != null) return { kind: 'rejudge' };
  if (isPartial && !speaksOf(service, items, observation, observed)) return { kind: 'rejudge' };
  // Adopted only from a report that speaks of the service: the new revision must be judged, and settled if it holds (S11).
  const revision = reported.templateAdopted ? null : newTemplate(file, observation.entry);
  if (revision !== null) return { kind: 'adopt_template', revision };

  const namesAll = isNamed(service, items) && !observation.corrupt && coversAll(service, items, observation);
  // A change or heartbeat says as much as the snapshot that it stands on; a partial report that leaves out something
  // stored makes the whole no younger than the calm reports before it did.
  const asOf = !isPartial ? scope.asOf : namesAll ? asOfReport(report, at) : lastSeenAsOf(observed, reported);
  const changedAsOf = Math.max(asOf, asOfReport(report, at));
  const identity = identityOf(file);
  const adopts = firstTemplate(file, observation.entry);
  const body = {
    epoch: report.epoch,
    seq: report.seq,
    asOf,
    changedAsOf,
    silentSince: silenceOf(file),
    ...observation,
    ...(adopts !== null && { adopts }),
    ...exitsIn(observation, { file, heard: reported.before.scopes, asOf: changedAsOf, ...identity }),
    ...identity,
  };
  const { state, judged, isFirst, served, known, stabilizesScope } = judgeObservation(
    file,
    body,
    reported.before,
    at,
    reported.earlier,
  );
  const difference = differenceIn(observation, observed);
  const contract = judged?.contract ?? 'opaque';
  const applies: Record<Why, boolean> = {
    news: difference !== null || turnsFate(observation, observed),
    template_adopted: reported.templateAdopted,
    first_of_attempt: isFirst,
    state_changes: state !== file.recorded?.state,
    contract_turns: contract !== 'opaque' && contract !== (observed.lastJudged ?? 'unmet'),
    attempt_settles: judged !== null && judged.settles !== null,
    refreshes_named: isPartial && namesAll,
    scope_stabilizes: stabilizesScope && observed.parts.length > 1,
    another_place: body.identityEpoch !== undefined,
    observed_after_recovery: observation.complete && isUnobservedSinceRecovery(file, report.scope),
  };
  const why = (Object.keys(applies) as Why[]).filter((reason) => applies[reason]);
  if (why.length === 0) return { kind: 'calm' };
  return {
    kind: 'record',
    why,
    evidence: difference === 'entry' ? 'route.observed' : 'runtime.observed',
    body: {
      judged,
      ...body,
      ...pauseEnded(observed, judged),
      ...(served !== undefined && { served }),
      ...(known !== undefined && { known }),
    },
    alarm: showsUnissued(file, observation) ? 'unissued' : null,
  };
}

/** Deadlines do not count the time in which nothing but the window was missing: the row that ends it says since when. */
function pauseEnded({ pausedSince }: Observed, judged: Judged | null): Pick<ObservedBody, 'pausedSince'> {
  return pausedSince === undefined || judged?.paused ? {} : { pausedSince };
}

const partOf = ({ parts }: Observed, scope: string) => parts.find((part) => part.scope === scope);

function lastSeenAsOf(observed: Observed, { report, before }: ReportedService): number {
  const part = partOf(observed, report.scope);
  return part === undefined ? 0 : partLastSeenAsOf(part, before);
}

const isNamed = (service: string, { instances, entries }: ItemsByService) =>
  instances.has(service) || entries.has(service);

/** A partial report speaks of a service if it names it, taints it, or shows one of its instances of another service. */
function speaksOf(
  service: string,
  items: ItemsByService,
  { scope, corrupt }: Observation,
  observed: Observed,
): boolean {
  if (corrupt || isNamed(service, items)) return true;
  const before = partOf(observed, scope)?.instances ?? [];
  return before.some(({ uid }) => items.owners.has(uid) && items.owners.get(uid) !== service);
}

/** The report itself names everything that is observed of the service: nothing is kept from an older report. */
function coversAll(service: string, items: ItemsByService, { instances, entry }: Observation): boolean {
  const named = items.instances.get(service)?.length ?? 0;
  return named === instances.length && (entry === null || items.entries.has(service));
}

/** The beginning of the silence that this report ends, if the claim was `unknown`: observation deadlines do not count it. */
function silenceOf({ recorded }: ServiceFile): number | null {
  return recorded?.state === 'unknown' ? recorded.since : null;
}

/** The places of the name, where something was observed of another one before. */
function identityOf({ facts }: ServiceFile): Pick<ObservedBody, 'identityEpoch' | 'places' | 'inDoubt'> {
  const { observed } = facts.proven;
  const { agent } = facts.liveness;
  if (agent === null || !agent.identityChanged) return {};
  const { identityEpoch } = agent;
  const isOther = observed.parts.some(({ epoch }) => compareDigits(epoch, identityEpoch) < 0);
  if (!isOther && observed.left === undefined) return {};
  const { runs, retired } = agent.places;
  const places = runs.map(({ identity, epoch }) => ({
    identity,
    epoch,
    isRetired: retired.some((place) => place.identity === identity),
  }));
  const inDoubt = [...timesInDoubt(facts)];
  return { places, ...(isOther && { identityEpoch }), ...(inDoubt.length > 0 && { inDoubt }) };
}

function isUnobservedSinceRecovery(
  { proven, liveness: { recoveredAt } }: ServiceFile,
  scope: string,
): boolean {
  const part = partOf(proven.observed, scope);
  return recoveredAt !== null && part !== undefined && !isObservedSince(part, recoveredAt);
}

/**
 * Something new runs or answers under numbers that were never issued (F24): a forgery, or a restored store.
 * It counts for no revision, and is still shown: it is not absent.
 */
function showsUnissued({ proven }: ServiceFile, { instances, entry }: Observation): boolean {
  const stored = observedInstances(proven.observed).filter((i) => isAboveLedger(i, proven));
  if (instances.some((i) => isAboveLedger(i, proven) && !stored.some(({ uid }) => uid === i.uid)))
    return true;
  const [route, storedRoute] = [entry?.route, observedEntry(proven.observed)?.route];
  if (route == null || !isAboveLedger(route, proven)) return false;
  return storedRoute == null || !isAboveLedger(storedRoute, proven);
}
