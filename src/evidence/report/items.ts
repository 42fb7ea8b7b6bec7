import { serviceRef, targetOf } from '../../contract/names.ts';
import {
  type Instance,
  instanceSchema,
  issues,
  type Report,
  type ServiceEntry,
  serviceEntrySchema,
} from '../../contract/report.ts';

/** An item that cannot be read, as the answer names it to the agent. */
export interface RejectedItem {
  readonly index: number;
  readonly uid?: string;
  readonly service?: string;
  readonly errors: readonly string[];
}

/** The items of a report, grouped by the service that they are about. */
export interface ItemsByService {
  readonly instances: ReadonlyMap<string, readonly Instance[]>;
  /** The service of each instance, by the instance's uid. */
  readonly owners: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, ServiceEntry>;
  readonly removedInstances: ReadonlySet<string>;
  readonly removedEntries: ReadonlySet<string>;
  readonly rejected: readonly RejectedItem[];
  /** Services with a rejected item; `all` is true if a rejected item does not name its service. */
  readonly corrupt: { readonly all: boolean; readonly services: ReadonlySet<string> };
}

/** A grouping in progress: the caller takes items in slices, so that a large report does not block the loop (F80). */
interface ItemGrouping {
  /** Takes one more item; false when none is left. */
  next(): boolean;
  done(): ItemsByService;
}

export function groupItems(report: Report, target: string): ItemsByService {
  const grouping = startGrouping(report, target);
  while (grouping.next());
  return grouping.done();
}

/** Validates each item by itself: one that cannot be read is rejected and taints only the service that it names. */
export function startGrouping(report: Report, target: string): ItemGrouping {
  const instances = new Map<string, Instance[]>();
  const owners = new Map<string, string>();
  const removed = report.kind === 'change' ? report.removed : { instances: [], services: [] };
  const removedInstances = new Set(removed.instances);
  const entries = new Map<string, ServiceEntry>();
  const rejected: RejectedItem[] = [];
  const corrupt = new Set<string>();
  let all = false;
  const listed = listedIn(report);
  const reject = (index: number, item: unknown, errors: readonly string[]) => {
    const { service, uid } = subjectOf(item);
    // An item about a service of another target taints nothing: this agent does not observe that target.
    if (service === null) all = true;
    else if (targetOf(service) === target) corrupt.add(service);
    rejected.push({
      index,
      ...(uid === null ? {} : { uid }),
      ...(service === null ? {} : { service }),
      errors,
    });
  };
  const takeInstance = (index: number, item: unknown) => {
    const parsed = instanceSchema.safeParse(item);
    if (!parsed.success) return reject(index, item, issues(parsed.error));
    const service = serviceRef(parsed.data.service);
    if (service === null || targetOf(service) !== target)
      return reject(index, item, ['service: not of this target']);
    const { uid } = parsed.data;
    if (removedInstances.has(uid)) return reject(index, item, ['uid: changed and removed in one report']);
    const owner = owners.get(uid);
    if (owner !== undefined) {
      // An instance belongs to one service; two claims to it prove neither.
      corrupt.add(owner);
      return reject(index, item, ['uid: twice in one report']);
    }
    owners.set(uid, service);
    const ofService = instances.get(service);
    if (ofService === undefined) instances.set(service, [{ ...parsed.data, service }]);
    else ofService.push({ ...parsed.data, service });
  };
  const takeEntry = (index: number, item: unknown) => {
    const parsed = serviceEntrySchema.safeParse(item);
    if (!parsed.success) return reject(index, item, issues(parsed.error));
    const service = serviceRef(parsed.data.service);
    if (service === null || targetOf(service) !== target)
      return reject(index, item, ['service: not of this target']);
    if (entries.has(service)) return reject(index, item, ['service: twice in one report']);
    entries.set(service, { ...parsed.data, service });
  };
  let at = 0;
  const next = () => {
    const entry = at - listed.instances.length;
    if (entry >= listed.services.length) return false;
    if (entry < 0) takeInstance(at, listed.instances[at]);
    else takeEntry(entry, listed.services[entry]);
    at += 1;
    return true;
  };
  const done = () => ({
    instances,
    owners,
    entries,
    removedInstances,
    removedEntries: new Set(removed.services.flatMap((s) => serviceRef(s) ?? [])),
    rejected,
    corrupt: { all, services: corrupt },
  });
  return { next, done };
}

/** Every service that a report speaks of. */
export function namedServices({
  instances,
  entries,
  removedEntries,
  corrupt,
}: ItemsByService): ReadonlySet<string> {
  return new Set([...instances.keys(), ...entries.keys(), ...removedEntries, ...corrupt.services]);
}

function listedIn(report: Report): { instances: readonly unknown[]; services: readonly unknown[] } {
  switch (report.kind) {
    case 'full':
      return report;
    case 'change':
      return report.changed;
    case 'heartbeat':
      return { instances: [], services: [] };
  }
}

/** The service and uid that an unreadable item names, as far as these can be read. */
function subjectOf(item: unknown): { service: string | null; uid: string | null } {
  const fields = typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {};
  return {
    service: typeof fields.service === 'string' ? serviceRef(fields.service) : null,
    uid: typeof fields.uid === 'string' ? fields.uid.slice(0, 200) : null,
  };
}
