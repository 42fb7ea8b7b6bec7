import { serviceRef, targetOf } from '../../src/contract/names.ts';
import { PHASES } from '../../src/contract/vocabulary.ts';
import type { OriginalReport } from '../oracle-port.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An instance as a report shows it, with what the running contract asks of it. */
export interface ReportedInstance {
  readonly uid: string;
  /** Its runtime's name for it, which one that takes its place may have too; empty where it has none. */
  readonly name: string;
  readonly service: string;
  readonly revision: number | null;
  readonly attempt: number | null;
  readonly template: string | null;
  readonly artifact: string | null;
  readonly phase: string;
  /** Itself and every container beside it that is not ephemeral. */
  readonly ready: boolean;
  readonly restarts: number;
  readonly reason: string | null;
  /** The images that its containers run, by container name. */
  readonly digests: ReadonlyMap<string, string>;
}

export interface ReportedEntry {
  readonly service: string;
  readonly answers: boolean;
  readonly revision: number | null;
  readonly attempt: number | null;
  readonly generationBehind: boolean;
  readonly hasGeneration: boolean;
  /** Desired and observed generation as text: another one that is not behind is news, but nothing contrary. */
  readonly generation: string;
  readonly template: string | null;
  readonly replicas: number | null;
  /** The cluster's own counts say less than its instances. */
  readonly isContradicted: boolean;
  /** Kind and name of the workload that it stands for; empty where it names none. */
  readonly object: string;
}

/** The items of a report, read by docs/protocol.md 5. What cannot be read taints the service it is about. */
export interface ReportItems {
  readonly instances: readonly ReportedInstance[];
  readonly entries: readonly ReportedEntry[];
  readonly removedInstances: readonly string[];
  readonly removedEntries: readonly string[];
  readonly corrupt: ReadonlySet<string>;
  readonly corruptAll: boolean;
}

const NOTHING: ReportItems = {
  instances: [],
  entries: [],
  removedInstances: [],
  removedEntries: [],
  corrupt: new Set(),
  corruptAll: false,
};
const KNOWN_PHASES: ReadonlySet<unknown> = new Set(PHASES);

/** The bytes are what arrived, whatever the agent meant. */
export function bodyOf(report: OriginalReport): Fields {
  return fieldsOf(report.body);
}

export function readItems(body: Fields, kind: OriginalReport['kind'], target: string): ReportItems {
  if (kind === 'heartbeat') return NOTHING;
  const given = kind === 'full' ? body : fieldsOf(body.changed);
  const removed = kind === 'full' ? {} : fieldsOf(body.removed);
  const corrupt = new Set<string>();
  let corruptAll = false;
  const taint = (item: Fields) => {
    const service = typeof item.service === 'string' ? serviceRef(item.service) : null;
    if (service === null) corruptAll = true;
    else if (targetOf(service) === target) corrupt.add(service);
  };
  const names = (list: unknown) => listOf(list).filter((x) => typeof x === 'string');
  const removedInstances = names(removed.instances);
  const instances: ReportedInstance[] = [];
  for (const item of listOf(given.instances)) {
    const read = readInstance(fieldsOf(item), target);
    const isRemoved = read !== null && removedInstances.includes(read.uid);
    const other = isRemoved ? undefined : instances.find((i) => i.uid === read?.uid);
    if (other !== undefined) corrupt.add(other.service);
    if (read === null || isRemoved || other !== undefined) taint(fieldsOf(item));
    else instances.push(read);
  }
  const entries: ReportedEntry[] = [];
  for (const item of listOf(given.services)) {
    const read = readEntry(fieldsOf(item), target);
    if (read === null || entries.some((e) => e.service === read.service)) taint(fieldsOf(item));
    else entries.push(read);
  }
  return {
    instances,
    entries,
    removedInstances,
    removedEntries: names(removed.services),
    corrupt,
    corruptAll,
  };
}

function readInstance(item: Fields, target: string): ReportedInstance | null {
  const service = ofTarget(item.service, target);
  const { uid, phase, ready } = item as { uid?: unknown; phase?: unknown; ready?: unknown };
  if (service === null || typeof uid !== 'string' || uid === '') return null;
  if (!KNOWN_PHASES.has(phase) || typeof ready !== 'boolean') return null;
  const beside = listOf(item.containers).map(fieldsOf);
  return {
    uid,
    name: textOr(item.name) ?? '',
    service,
    revision: numberOr(item.revision),
    attempt: numberOr(item.attempt),
    template: textOr(item.template),
    artifact: textOr(item.artifact),
    phase: String(phase),
    ready: ready && beside.every((c) => c.ready === true || c.kind === 'ephemeral'),
    restarts: numberOr(item.restarts) ?? 0,
    reason: textOr(item.reason),
    digests: new Map(
      beside.flatMap((c): [string, string][] =>
        c.kind === 'ephemeral' || typeof c.digest !== 'string' ? [] : [[String(c.name), c.digest]],
      ),
    ),
  };
}

function readEntry(item: Fields, target: string): ReportedEntry | null {
  const service = ofTarget(item.service, target);
  if (service === null) return null;
  const route = fieldsOf(item.route);
  const generation = fieldsOf(item.generation);
  const hasGeneration = item.generation != null;
  return {
    service,
    answers: route.answers === true,
    revision: numberOr(route.revision),
    attempt: numberOr(route.attempt),
    hasGeneration,
    generation: `${generation.desired}/${generation.observed}`,
    generationBehind: hasGeneration && Number(generation.observed) < Number(generation.desired),
    template: textOr(item.template),
    replicas: numberOr(item.replicas),
    isContradicted: item.contradiction != null,
    object: item.workload == null ? '' : `${fieldsOf(item.workload).kind}/${fieldsOf(item.workload).name}`,
  };
}

function ofTarget(service: unknown, target: string): string | null {
  const ref = typeof service === 'string' ? serviceRef(service) : null;
  return ref !== null && targetOf(ref) === target ? ref : null;
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numberOr = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);
