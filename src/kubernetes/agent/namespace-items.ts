import { matchesSelector } from '../../contract/label-selector.ts';
import type { ObservationAnswer } from '../../contract/observation.ts';
import type { Instance, ServiceEntry } from '../../contract/report.ts';
import type { ScopedObservation } from '../../runtime/port.ts';
import type { ClusterObserver } from '../observe/cluster-observer.ts';
import { disagreementOf, isUnreplaced as isUnreplacedNow, unservedPods } from '../observe/disagreement.ts';
import type { ClusterRecords } from '../observe/records.ts';
import { type ToldInstants, toldWarnings, warningsByObject } from '../observe/warnings.ts';
import type { ObservedWorkload } from '../observe/workload.ts';
import type { DeployedCommits } from './deployed-commits.ts';
import { deployedItems } from './deployed-items.ts';
import type { EndingNamespaces } from './ending-namespaces.ts';
import { type AppAnswers, type ReportSources, reportItems } from './report-items.ts';
import type { ServiceNames } from './service-names.ts';
import { TakenIn } from './taken-in.ts';

/** A namespace as it was observed. */
export interface ObservedItems
  extends Pick<ScopedObservation, 'instances' | 'services' | 'uncovered' | 'stabilityMs'> {
  /** Monotonic: from then on time alone may have changed it. */
  readonly until: number;
  /** Pods are there of which nobody can say whose they are. */
  readonly hasOrphans: boolean;
}

interface NamespaceSources {
  readonly records: ClusterRecords;
  readonly observer: ClusterObserver;
  readonly names: ServiceNames;
  readonly ending: EndingNamespaces;
  readonly commits: DeployedCommits;
  /** The answers of apps that were asked; null where none may be. */
  answers(now: number, whose: 'deployed' | 'observed'): AppAnswers | null;
  /** Tells a workload that this agent deployed itself. */
  isOurs(workload: ObservedWorkload): boolean;
}

const STABILITY_MS = 3_000;
/** A namespace with warnings is observed again this often. */
const AGEING_MS = 30_000;
/** A controller takes a workload up within moments. */
const TAKE_UP_MS = 5_000;
/** Counts follow the copies within moments: what lasts longer is a contradiction. */
const DISAGREES_MS = 10_000;

/** Makes the items of a report of each namespace, and remembers since when what means nothing at once has lasted. */
export class NamespaceItems {
  readonly #sources: NamespaceSources;
  /** When a workload was first seen without a template, and since when counts contradict its copies. */
  readonly #awaited = new Map<string, number>();
  readonly #disagreeing = new Map<string, number>();
  /** Since when its controller counts pods that are gone. */
  readonly #unreplaced = new Map<string, number>();
  readonly #takenIn = new TakenIn();
  /** By namespace. */
  readonly #told = new Map<string, ToldInstants>();

  constructor(sources: NamespaceSources) {
    this.#sources = sources;
  }

  /** @param rule null: none covers the namespace, and only what was deployed is reported */
  observe(namespace: string, rule: ObservationAnswer, now: number): ObservedItems {
    const { records, observer, names, ending, commits, isOurs } = this.#sources;
    const before = this.#told.get(namespace) ?? new Map();
    const { events, told } = toldWarnings(records.records('Event', namespace), before);
    this.#told.set(namespace, told);
    const warnings = warningsByObject(events);
    const wallNow = Date.now();
    const sources = { records, warnings, now: wallNow, answers: this.#sources.answers(now, 'observed') };
    const unserved = unservedPods(namespace, records);
    // A warning gives the cause only while it is young.
    const ends = [warnings.size > 0 ? now + AGEING_MS : Number.POSITIVE_INFINITY];
    const all = observer.workloads(namespace, now, wallNow).filter(({ kind }) => kind !== 'Job');
    const ours = all.filter((one) => isOurs(one));
    const found = rule === null ? [] : all.filter((one) => !ours.includes(one));
    const leftOut = found.filter((one) => !one.isGone && !isSelected(one, rule));
    const workloads = found
      .filter((one) => isSelected(one, rule))
      .map((one) => (ending.isEnding(namespace) ? { ...one, isDeleting: true } : one))
      .map((one) => ({ ...one, commit: commits.of(one, now) }))
      .filter((one) => {
        const isNew = !one.isGone && one.template === 'unsettled' && !names.has(one);
        return this.#lasts(this.#awaited, one.uid, isNew, { now, ms: TAKE_UP_MS, ends }) !== 'begins';
      });
    const instances: Instance[] = [];
    const seen: { readonly workload: ObservedWorkload; readonly entry: ServiceEntry }[] = [];
    for (const [service, workload] of names.name(workloads)) {
      const disagreement = disagreementOf(workload, unserved);
      const timing = { now, ms: DISAGREES_MS, ends };
      const lasting = this.#lasts(this.#disagreeing, workload.uid, disagreement !== null, timing) === 'lasts';
      const isUnreplaced =
        this.#lasts(this.#unreplaced, workload.uid, isUnreplacedNow(workload, records), timing) === 'lasts';
      const signs = { disagreement: lasting ? disagreement : null, isUnreplaced };
      const items = reportItems(service, workload, sources, signs);
      for (const { countsFrom } of workload.instances)
        if (countsFrom !== null) ends.push(now + Math.max(0, countsFrom - wallNow));
      instances.push(...items.instances);
      if (items.entry !== null) seen.push({ workload, entry: items.entry });
    }
    const { entries, until } = this.#takenIn.entries(namespace, seen, now);
    const deployed = this.#deployed(ours, sources, now);
    const services = [...entries, ...deployed.services];
    return {
      until: Math.min(until, ...ends),
      hasOrphans: observer.hasOrphans(namespace),
      instances: [...instances, ...deployed.instances],
      services,
      ...(leftOut.length > 0 && { uncovered: leftOut.map(({ kind, name }) => `${kind}/${name}`).toSorted() }),
      stabilityMs: new Map(services.map(({ service }) => [service, STABILITY_MS])),
    };
  }

  #deployed(
    workloads: readonly ObservedWorkload[],
    sources: ReportSources,
    now: number,
  ): Pick<ObservedItems, 'instances' | 'services'> {
    const asked = { ...sources, answers: this.#sources.answers(now, 'deployed') };
    const items = workloads.flatMap((workload) =>
      workload.deployed === undefined ? [] : deployedItems(workload, workload.deployed, asked),
    );
    return {
      instances: items.flatMap(({ instances }) => instances),
      services: items.flatMap(({ entry }) => entry ?? []),
    };
  }

  /** Tells what has lasted for a while from what has just begun, which is looked at again when it has. */
  #lasts(
    since: Map<string, number>,
    uid: string,
    isSo: boolean,
    { now, ms, ends }: { readonly now: number; readonly ms: number; readonly ends: number[] },
  ): 'no' | 'begins' | 'lasts' {
    if (!isSo) since.delete(uid);
    if (!isSo) return 'no';
    const begun = since.get(uid) ?? now;
    since.set(uid, begun);
    if (now - begun >= ms) return 'lasts';
    ends.push(begun + ms);
    return 'begins';
  }
}

/** One that is gone is compared by the labels that it had; files of before have none. */
const isSelected = (
  { labels = {} }: Partial<Pick<ObservedWorkload, 'labels'>>,
  rule: ObservationAnswer,
): boolean => rule !== null && (rule.selector === null || matchesSelector(labels, rule.selector));
