import { isSameWorkload, type ObservationRule } from '../../contract/observation.ts';
import type { Instance, ServiceEntry } from '../../contract/report.ts';
import { withDefaults } from '../../projection/deadlines.ts';
import { isReady } from '../../projection/instances.ts';
import type { Door } from '../door/door.ts';
import { recordRevision } from '../door/record-revision.ts';
import type { ServiceFile } from '../door/service-file.ts';
import type { ItemsByService, RejectedItem } from './items.ts';
import { type NewRevision, observedOrigin } from './new-template.ts';
import { coversNamespace } from './observation-rule.ts';
import type { ReceivedReport } from './received-report.ts';

/** The workloads of a report, compared with the services that are on record. */
interface FoundWorkloads {
  /** The services that begin with this report. */
  readonly created: readonly ServiceFile[];
  /** The report without items of workloads whose names belong to others. */
  readonly items: ItemsByService;
  readonly refused: readonly RejectedItem[];
}

const STABILITY_MS = 3_000;

/**
 * Makes a service in observe mode of every workload that the target's rule covers, with the report that first shows it.
 * A name belongs for ever to the workload that was first seen with it: another one is told so, and comes again under
 * another name.
 */
export async function takeWorkloads(
  door: Door,
  { report, items }: ReceivedReport,
  rule: ObservationRule | null,
): Promise<FoundWorkloads> {
  const found = [...items.entries].filter(([, { workload }]) => workload != null);
  // An agent that cannot look shows nothing, whatever else it says.
  if (found.length === 0 || report.unavailable != null) return { created: [], items, refused: [] };
  await door.prefetch(found.map(([service]) => service));
  const created: ServiceFile[] = [];
  const taken = new Set<string>();
  for (const [service, entry] of found) {
    const file = await door.file(service);
    if (file !== null && !isOwnName(file, entry)) taken.add(service);
    if (file === null && isCovered(entry, report.observation ?? null, rule))
      created.push(await create(door, service, entry, items.instances.get(service) ?? []));
    await door.yieldIfDue?.();
  }
  if (taken.size === 0) return { created, items, refused: [] };
  return { created, items: without(items, taken), refused: [...taken].map(nameTaken) };
}

/** A report that follows an older rule may show what is not to be observed any more: it begins nothing. */
function isCovered(
  { workload }: ServiceEntry,
  followed: number | null,
  rule: ObservationRule | null,
): boolean {
  if (rule === null || workload == null || followed !== rule.version) return false;
  return coversNamespace(rule, workload.namespace);
}

function isOwnName({ activeIntent, proven }: ServiceFile, { workload }: ServiceEntry): boolean {
  if (activeIntent?.origin.kind !== 'observe' || workload == null) return false;
  const known = proven.observed.workload?.workload;
  return known === undefined || isSameWorkload(known, workload);
}

const nameTaken = (service: string, index: number): RejectedItem => ({
  index,
  service,
  errors: ['service: name_taken; this name belongs to another workload, report it under another one'],
});

function without(items: ItemsByService, taken: ReadonlySet<string>): ItemsByService {
  const others = <T>(map: ReadonlyMap<string, T>) => new Map([...map].filter(([name]) => !taken.has(name)));
  const owners = [...items.owners].filter(([, service]) => !taken.has(service));
  return {
    ...items,
    instances: others(items.instances),
    entries: others(items.entries),
    owners: new Map(owners),
  };
}

async function create(
  door: Door,
  service: string,
  entry: ServiceEntry,
  instances: readonly Instance[],
): Promise<ServiceFile> {
  const file = await door.newFile(service);
  const source = { role: 'api', name: 'observe', instance: 'report' } as const;
  const before = templateBefore(entry, instances);
  if (before !== null) await recordRevision(door, file, before, source, { queued: false, observed: true });
  await recordRevision(door, file, revisionOf(entry), source, { queued: false, observed: true });
  return file;
}

/**
 * First seen in the middle of a rollout: what is ready of one older template is the revision before, so that what serves
 * has a number. Its images are not known: the workload names those of its newest template.
 */
function templateBefore(entry: ServiceEntry, instances: readonly Instance[]): NewRevision | null {
  const { template, heldBack, workload } = entry;
  if (template == null || heldBack != null || workload == null || instances.some(isReadyOf(template)))
    return null;
  const older = new Set(instances.flatMap((one) => (isReady(one) ? (one.template ?? []) : [])));
  const [only] = older;
  if (only === undefined || older.size > 1) return null;
  const { images: _, commit: __, fieldManager: ___, ...unnamed } = workload;
  return revisionOf({ ...entry, template: only, workload: unnamed });
}

const isReadyOf = (template: string) => (one: Instance) => isReady(one) && one.template === template;

/** Nobody requested it here: the rule did, and the other tool decides how many there are. */
function revisionOf({ template, replicas, workload }: ServiceEntry): NewRevision {
  return {
    kind: 'observed',
    origin: observedOrigin(workload),
    template: template ?? null,
    replicas: replicas ?? 1,
    port: null,
    command: null,
    stabilityMs: STABILITY_MS,
    deadlines: withDefaults(undefined),
    accepts: [],
    spec: {},
    git: null,
    actor: 'observe',
    correlation: null,
  };
}
