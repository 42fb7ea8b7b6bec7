import type { ObservedBody } from '../../contract/evidence.ts';
import { serviceRef, targetOf } from '../../contract/names.ts';
import {
  type Instance,
  instanceSchema,
  issues,
  type Report,
  type ServiceEntry,
  serviceEntrySchema,
} from '../../contract/report.ts';
import type { Observed, ObservedPart } from '../../projection/facts.ts';
import { sameCondition, sameContainers, sameEntry } from '../../projection/fold-observed.ts';

/** An item that could not be read, as the answer to the agent names it. */
export interface RejectedItem {
  readonly index: number;
  readonly uid?: string;
  readonly service?: string;
  readonly errors: readonly string[];
}

/** A report's items, sorted by service. What cannot be read is named, and taints the service it is about. */
export interface Sorted {
  readonly instances: ReadonlyMap<string, readonly Instance[]>;
  /** Of which service each instance is, by its uid. */
  readonly owners: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, ServiceEntry>;
  readonly removedInstances: ReadonlySet<string>;
  readonly removedEntries: ReadonlySet<string>;
  readonly rejected: readonly RejectedItem[];
  /** Services of which something could not be read; `all` if it cannot be told which. */
  readonly corrupt: { readonly all: boolean; readonly services: ReadonlySet<string> };
}

/** How far a sorting has come, so that whoever has other things to do can let it go on later (F80). */
export interface Sorting {
  /** Takes one more item; false when all of them are sorted. */
  next(): boolean;
  done(): Sorted;
}

export function sortItems(report: Report, target: string): Sorted {
  const sorting = sortingOf(report, target);
  while (sorting.next());
  return sorting.done();
}

export function sortingOf(report: Report, target: string): Sorting {
  const instances = new Map<string, Instance[]>();
  const owners = new Map<string, string>();
  const removed = report.kind === 'change' ? report.removed : { instances: [], services: [] };
  const removedInstances = new Set(removed.instances);
  const entries = new Map<string, ServiceEntry>();
  const rejected: RejectedItem[] = [];
  const corrupt = new Set<string>();
  let all = false;
  const given =
    report.kind === 'full'
      ? report
      : report.kind === 'change'
        ? report.changed
        : { instances: [], services: [] };
  const refuse = (index: number, item: unknown, errors: readonly string[]) => {
    const named = readable(item);
    // About a service of another target it says nothing here, and of that one it has no say.
    if (named.service === null) all = true;
    else if (targetOf(named.service) === target) corrupt.add(named.service);
    rejected.push({
      index,
      ...(named.uid === null ? {} : { uid: named.uid }),
      ...(named.service === null ? {} : { service: named.service }),
      errors,
    });
  };
  const takeInstance = (index: number, item: unknown) => {
    const parsed = instanceSchema.safeParse(item);
    if (!parsed.success) return refuse(index, item, issues(parsed.error));
    const service = serviceRef(parsed.data.service);
    if (service === null || targetOf(service) !== target)
      return refuse(index, item, ['service: not of this target']);
    const { uid } = parsed.data;
    if (removedInstances.has(uid)) return refuse(index, item, ['uid: changed and removed in one report']);
    const owner = owners.get(uid);
    if (owner !== undefined) {
      // It is of one service at most, and nobody can tell of which: neither is proven.
      corrupt.add(owner);
      return refuse(index, item, ['uid: twice in one report']);
    }
    owners.set(uid, service);
    const seen = instances.get(service);
    if (seen === undefined) instances.set(service, [{ ...parsed.data, service }]);
    else seen.push({ ...parsed.data, service });
  };
  const takeEntry = (index: number, item: unknown) => {
    const parsed = serviceEntrySchema.safeParse(item);
    if (!parsed.success) return refuse(index, item, issues(parsed.error));
    const service = serviceRef(parsed.data.service);
    if (service === null || targetOf(service) !== target)
      return refuse(index, item, ['service: not of this target']);
    if (entries.has(service)) return refuse(index, item, ['service: twice in one report']);
    entries.set(service, { ...parsed.data, service });
  };
  let at = 0;
  const next = () => {
    const entry = at - given.instances.length;
    if (entry >= given.services.length) return false;
    if (entry < 0) takeInstance(at, given.instances[at]);
    else takeEntry(entry, given.services[entry]);
    at += 1;
    return true;
  };
  const done = () => {
    return {
      instances,
      owners,
      entries,
      removedInstances,
      removedEntries: new Set(removed.services.flatMap((s) => serviceRef(s) ?? [])),
      rejected,
      corrupt: { all, services: corrupt },
    };
  };
  return { next, done };
}

/** Who an unreadable item is about, if even that can be told. */
function readable(item: unknown): { service: string | null; uid: string | null } {
  const given = typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
  return {
    service: typeof given.service === 'string' ? serviceRef(given.service) : null,
    uid: typeof given.uid === 'string' ? given.uid.slice(0, 200) : null,
  };
}

export type Seen = Pick<ObservedBody, 'scope' | 'complete' | 'corrupt' | 'instances' | 'entry'>;

/**
 * What a report shows of one service in its scope: a complete one is all there is, a change or an incomplete one
 * adds to and updates what was there. What is corrupt shows nothing: what was there stays, marked until a complete
 * report; an incomplete one may have left out just what could not be read.
 * A change or heartbeat on a complete base proves absence too, but only of what existed when the base was made.
 */
export function seenBy(
  report: Report,
  sorted: Sorted,
  service: string,
  observed: Observed,
  baseCovers: boolean,
): Seen {
  const before = observed.parts.find((p) => p.scope === report.scope);
  const corrupt = sorted.corrupt.all || sorted.corrupt.services.has(service);
  const named = sorted.instances.get(service) ?? [];
  const scope = report.scope;
  if (corrupt) {
    return { scope, complete: false, corrupt, instances: bare(before), entry: before?.entry ?? null };
  }
  if (report.kind === 'full' && report.complete) {
    return {
      scope,
      complete: true,
      corrupt,
      instances: [...named],
      entry: sorted.entries.get(service) ?? null,
    };
  }
  // What is shown of another service has left this one: an instance is of one at a time.
  const kept = bare(before).filter((i) => !sorted.owners.has(i.uid) && !sorted.removedInstances.has(i.uid));
  const entry =
    sorted.entries.get(service) ?? (sorted.removedEntries.has(service) ? null : (before?.entry ?? null));
  return {
    scope,
    complete: report.kind !== 'full' && baseCovers,
    corrupt: before?.corrupt ?? false,
    instances: [...kept, ...named],
    entry,
  };
}

function bare(part: ObservedPart | undefined): Instance[] {
  return (part?.instances ?? []).map(({ steady: _steady, ...instance }) => instance);
}

/** Whether it shows anything that is not stored already: calm costs no row. */
export function isNews(seen: Seen, observed: Observed): 'instances' | 'entry' | null {
  const before = observed.parts.find((p) => p.scope === seen.scope);
  const elsewhere = seen.scope === '*' && seen.complete && observed.parts.some((p) => p.scope !== '*');
  if (before === undefined) {
    return seen.corrupt || seen.instances.length > 0 || elsewhere
      ? 'instances'
      : seen.entry !== null
        ? 'entry'
        : null;
  }
  if (elsewhere || before.corrupt !== seen.corrupt) return 'instances';
  if (before.instances.length !== seen.instances.length) return 'instances';
  // By uid: a service may have thousands of instances.
  const byUid = new Map(before.instances.map((instance) => [instance.uid, instance]));
  for (const instance of seen.instances) {
    const known = byUid.get(instance.uid);
    // Another fence is no change of condition, but after a recovery it may be one that was never issued.
    if (known === undefined || known.fence !== instance.fence || !sameCondition(known, instance))
      return 'instances';
    if (!sameWords(known, instance)) return 'instances';
  }
  return sameEntry(before.entry, seen.entry) && sameUrls(before.entry, seen.entry) ? null : 'entry';
}

/**
 * Nothing is judged by these and people are told them: kept from an older report, they would be told as seen just now
 * (S2). `startedAt` is not among them: a start that is another one shows in `restarts`, and an agent that reckons it from
 * an age says another one with every report.
 */
function sameWords(a: Instance, b: Instance): boolean {
  return (
    a.name === b.name &&
    (a.node ?? null) === (b.node ?? null) &&
    (a.message ?? null) === (b.message ?? null) &&
    sameContainers(a.containers, b.containers) &&
    a.containers.every(({ reason }, i) => (reason ?? null) === (b.containers[i]?.reason ?? null))
  );
}

function sameUrls(a: ServiceEntry | null, b: ServiceEntry | null): boolean {
  const [before, now] = [a?.urls ?? [], b?.urls ?? []];
  return before.length === now.length && before.every((url, i) => url === now[i]);
}
