import type { ObservedBody } from '../../contract/evidence.ts';
import type { ClusterWarning, ObservationRule, Workload } from '../../contract/observation.ts';
import type { Instance, Report, ServiceEntry } from '../../contract/report.ts';
import type { Observed, ObservedPart } from '../../projection/facts.ts';
import { sameCondition, sameContainers, sameEntry } from '../../projection/fold-observed.ts';
import { workloadFate } from '../../projection/workload-seen.ts';
import type { ScopeRow } from '../../store/schema.ts';
import type { ItemsByService } from './items.ts';
import { coversNamespace } from './observation-rule.ts';

/** One service as a report shows it in its scope. */
export type Observation = Pick<
  ObservedBody,
  'scope' | 'complete' | 'corrupt' | 'instances' | 'entry' | 'observation'
>;

/** A report with its items and its scope: `completeAt` is the last complete report, on which a change stands. */
export interface ReportInScope {
  readonly report: Report;
  readonly items: ItemsByService;
  readonly scope: Pick<ScopeRow, 'asOf' | 'completeAt'>;
  /** The rule of the target now. */
  readonly rule: ObservationRule | null;
}

/** A service as it is stored before the report. */
interface StoredService {
  readonly service: string;
  readonly createdAt: number;
  readonly observed: Observed;
}

/**
 * Computes the observation of a service. A complete report shows all there is; a change or an incomplete
 * report adds to the earlier observation of its scope (F58). A corrupt item shows nothing: the earlier observation
 * stays, and stays marked until a complete report, because an incomplete one may leave out just the
 * unreadable item. A change or heartbeat proves absence only of services that existed when its base was
 * created.
 */
export function observationOf(
  { report, items, scope: { completeAt }, rule: ruleNow }: ReportInScope,
  { service, createdAt, observed }: StoredService,
): Observation {
  const { scope } = report;
  const before = observed.parts.find((p) => p.scope === scope);
  const corrupt = items.corrupt.all || items.corrupt.services.has(service);
  const version = versionOf({ report, items, rule: ruleNow, corrupt }, { service, createdAt, observed });
  const rule = version === null ? {} : { observation: version };
  const named = items.instances.get(service) ?? [];
  if (corrupt) {
    return {
      scope,
      ...rule,
      complete: false,
      corrupt,
      instances: bare(before),
      entry: before?.entry ?? null,
    };
  }
  // mutant: complete-report
  if (report.kind === 'full' && report.complete) {
    return {
      scope,
      ...rule,
      complete: true,
      corrupt,
      // mutant: complete-prunes
      instances: [...named],
      entry: items.entries.get(service) ?? null,
    };
  }
  // An instance belongs to one service at a time: one that is shown of another service has left this one.
  // mutant: removed-instances
  const remaining = bare(before).filter(
    (i) => !items.owners.has(i.uid) && !items.removedInstances.has(i.uid),
  );
  const entry =
    items.entries.get(service) ?? (items.removedEntries.has(service) ? null : (before?.entry ?? null));
  return {
    scope,
    ...rule,
    complete: report.kind !== 'full' && (completeAt ?? 0) >= createdAt,
    corrupt: before?.corrupt ?? false,
    instances: [...remaining, ...named],
    entry,
  };
}

/** No rule has this version: what counts under it is not observed any more. */
const NO_RULE = 0;

/**
 * The version of the rule that the observation counts under. A workload that was proven to be removed, with its last
 * instance, stays so under every later rule that covers its namespace and does not show it: its UID cannot come back.
 * Where no rule covers the namespace, nobody would see it created anew. One that a rule ceased to cover is removed as
 * well, once a rule that covers everything in its namespace does not show it. One that is there and whose labels the rule
 * does not select counts under none, also if somebody created it anew: the service is the name. A report that says
 * nothing of it proves nothing under the rule that it follows.
 */
function versionOf(
  {
    report,
    items,
    rule,
    corrupt,
  }: Pick<ReportInScope, 'report' | 'items' | 'rule'> & { readonly corrupt: boolean },
  { service, observed }: StoredService,
): number | null {
  const entry = items.entries.get(service) ?? null;
  const isRemoved = items.removedEntries.has(service);
  const { workload } = observed;
  const followed = report.observation ?? null;
  if (workload === undefined || (entry !== null && !corrupt)) return followed;
  // Only a full report says what the rule leaves out: until the next one it is as the last one had it.
  const isSilent = report.kind === 'full' ? !report.complete : !isRemoved;
  if (corrupt || isSilent) return workload.scopeVersion;
  if (report.kind === 'full' && isLeftOut(report.uncovered ?? [], workload.workload)) return NO_RULE;
  const followedRule = rule !== null && followed === rule.version ? rule : null;
  const { namespace } = workload.workload;
  // mutant: left-out-for-good
  if (followed === null || (followedRule !== null && !coversNamespace(followedRule, namespace)))
    return NO_RULE;
  // By its labels one workload of a namespace may be covered and another not.
  const isCovered = followedRule !== null && followedRule.selector === null;
  return isGoneForGood(observed) || isCovered ? workload.version : followed;
}

/** By its name, whichever object has it now; or by its uid, as agents of before did. */
const isLeftOut = (uncovered: readonly string[], { uid, kind, name }: Workload): boolean =>
  uncovered.includes(`${kind}/${name}`) || uncovered.includes(uid);

/** Proven by a complete report, with its last instance; a later one that could not be read takes nothing back. */
function isGoneForGood({ workload, parts }: Observed): boolean {
  if (workload === undefined || workload.isElsewhere || workload.scopeVersion !== workload.version)
    return false;
  const isNothing = ({ entry, completeMark, instances }: ObservedPart) =>
    entry === null && completeMark !== null && instances.length === 0;
  return parts.some(({ scope }) => scope === workload.scope) && parts.every(isNothing);
}

/** Nobody could say of it whether it is there, and this says that it is not; or it was gone, and is there after all. */
export function turnsFate({ complete, entry, observation }: Observation, observed: Observed): boolean {
  const { workload } = observed;
  if (workload === undefined || workload.isElsewhere || !complete || entry !== null) return false;
  const fate = workloadFate(observed);
  if (fate === 'removed') return observation === NO_RULE;
  return fate === 'not_observed' && observation === workload.version;
}

function bare(part: ObservedPart | undefined): Instance[] {
  return (part?.instances ?? []).map(({ steady: _steady, ...instance }) => instance);
}

/** The part of an observation that differs from what is stored; null if none does. */
export function differenceIn(observation: Observation, observed: Observed): 'instances' | 'entry' | null {
  const { scope, complete, corrupt, instances, entry } = observation;
  const before = observed.parts.find((p) => p.scope === scope);
  const replacesScopes = scope === '*' && complete && observed.parts.some((p) => p.scope !== '*');
  if (before === undefined) {
    if (corrupt || instances.length > 0 || replacesScopes) return 'instances';
    return entry !== null ? 'entry' : null;
  }
  if (replacesScopes || before.corrupt !== corrupt) return 'instances';
  if (before.instances.length !== instances.length) return 'instances';
  // Compared by uid in a map: a service may have thousands of instances.
  const storedByUid = new Map(before.instances.map((instance) => [instance.uid, instance]));
  for (const instance of instances) {
    const stored = storedByUid.get(instance.uid);
    // Another fence changes no condition, but after a recovery it may be one that was never issued.
    if (stored === undefined || stored.fence !== instance.fence || !sameCondition(stored, instance))
      return 'instances';
    if (!sameWords(stored, instance)) return 'instances';
  }
  if (!sameEntry(before.entry, entry) || !sameEntryWords(before.entry, entry)) return 'entry';
  return followsOtherRule(observation, observed) ? 'entry' : null;
}

/** A workload under another version of the rule is recorded anew: else its end under that version would prove nothing. */
function followsOtherRule({ entry, observation }: Observation, { workload }: Observed): boolean {
  return entry?.workload != null && workload?.version !== (observation ?? 0);
}

/**
 * Compares what is no condition of the instance itself, such as texts that people read: kept from an older report, it
 * would be shown as observed just now (S2). `startedAt` is left out: another start shows in `restarts`, and an agent that
 * derives the start from an age reports another one each time.
 */
function sameWords(a: Instance, b: Instance): boolean {
  return (
    a.name === b.name &&
    (a.node ?? null) === (b.node ?? null) &&
    (a.saidBy ?? null) === (b.saidBy ?? null) &&
    (a.message ?? null) === (b.message ?? null) &&
    (a.probed ?? null) === (b.probed ?? null) &&
    (a.countsFrom == null) === (b.countsFrom == null) &&
    sameContainers(a.containers, b.containers) &&
    a.containers.every(
      ({ reason, digest }, i) =>
        (reason ?? null) === (b.containers[i]?.reason ?? null) &&
        (digest ?? null) === (b.containers[i]?.digest ?? null),
    )
  );
}

function sameEntryWords(a: ServiceEntry | null, b: ServiceEntry | null): boolean {
  const [before, now] = [a?.urls ?? [], b?.urls ?? []];
  if (before.length !== now.length || !before.every((url, i) => url === now[i])) return false;
  return sameProvenance(a?.workload, b?.workload) && sameWarnings(a?.warnings ?? [], b?.warnings ?? []);
}

function sameProvenance(a: ServiceEntry['workload'], b: ServiceEntry['workload']): boolean {
  const [before, now] = [a?.images ?? [], b?.images ?? []];
  return (
    (a?.commit ?? null) === (b?.commit ?? null) &&
    (a?.release ?? null) === (b?.release ?? null) &&
    (a?.fieldManager ?? null) === (b?.fieldManager ?? null) &&
    before.length === now.length &&
    before.every(({ container, image }, i) => container === now[i]?.container && image === now[i].image)
  );
}

const REPEATED_MS = 5 * 60_000;

/** A warning that repeats every few seconds is recorded every few minutes: its own instant says how old it is. */
function sameWarnings(before: readonly ClusterWarning[], now: readonly ClusterWarning[]): boolean {
  const isStored = ({ about, reason, at, objects }: ClusterWarning) =>
    before.some(
      (one) =>
        one.about === about &&
        one.reason === reason &&
        (one.objects ?? 1) === (objects ?? 1) &&
        Math.abs(Date.parse(one.at ?? '') - Date.parse(at ?? '') || 0) < REPEATED_MS,
    );
  return before.length === now.length && now.every(isStored);
}
