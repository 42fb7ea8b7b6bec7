import type { WarningRecord } from '../cache/network.ts';
import type { PodRecord } from '../cache/pod.ts';
import { isCauseOfPull, reasonOfEvent } from '../verdict/reasons/event-words.ts';
import type { ReasonName } from '../verdict/reasons/index.ts';
import type { ClusterRecords } from './records.ts';
import type { ObservedWorkload } from './workload.ts';

/** Warnings by the UID of the object that they are about, the newest first. */
export type Warnings = ReadonlyMap<string, readonly WarningRecord[]>;

export function warningsByObject(events: Iterable<WarningRecord>): Warnings {
  const found = new Map<string, WarningRecord[]>();
  for (const event of events) {
    if (event.about === null) continue;
    const list = found.get(event.about.uid);
    if (list === undefined) found.set(event.about.uid, [event]);
    else list.push(event);
  }
  for (const list of found.values()) list.sort(newestFirst);
  return found;
}

/** The instants of warnings as they were last told, by the UID of the event. */
export type ToldInstants = ReadonlyMap<string, number>;

const AGAIN_MS = 60_000;

/**
 * Warnings with the instants that are told: the same trouble again within a minute keeps the one before, so that one that
 * repeats each second is no news each time. Rejected: whole minutes; they lie before the trouble began. Pure.
 */
export function toldWarnings(
  events: Iterable<WarningRecord>,
  before: ToldInstants,
): { readonly events: readonly WarningRecord[]; readonly told: ToldInstants } {
  const told = new Map<string, number>();
  const kept = [...events].map((event) => {
    const now = Date.parse(at(event));
    if (Number.isNaN(now)) return event;
    const last = before.get(event.uid);
    const shown = last !== undefined && now >= last && now - last < AGAIN_MS ? last : now;
    told.set(event.uid, shown);
    return { ...event, lastAt: new Date(shown).toISOString() };
  });
  return { events: kept, told };
}

const newestFirst = (a: WarningRecord, b: WarningRecord) => (at(a) < at(b) ? 1 : at(a) > at(b) ? -1 : 0);
const at = ({ lastAt, createdAt }: WarningRecord) => lastAt ?? createdAt ?? '';

/** The newest warning of one kind of trouble, and the number of objects that have it. */
export interface Trouble {
  readonly newest: WarningRecord;
  readonly objects: number;
}

/** Warnings about the workload, its ReplicaSets and its pods: each kind of trouble once, the newest first. */
export function warningsOf(
  workload: ObservedWorkload,
  records: ClusterRecords,
  warnings: Warnings,
): readonly Trouble[] {
  if (warnings.size === 0) return [];
  const pods = workload.instances.map(({ uid }) => uid);
  const claims = pods.flatMap((uid) => pendingClaims(records.record('Pod', uid), records));
  const uids = new Set([...ownersOf(workload, records), ...pods, ...claims]);
  const found = new Map<string, { newest: WarningRecord; objects: Set<string | undefined> }>();
  for (const warning of [...uids].flatMap((uid) => warnings.get(uid) ?? []).toSorted(newestFirst)) {
    const { about, reason } = warning;
    const key = `${about?.kind} ${reason}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { newest: warning, objects: new Set([about?.uid]) });
    else known.objects.add(about?.uid);
  }
  return [...found.values()].map(({ newest, objects }) => ({ newest, objects: objects.size }));
}

/** The workload and, of a Deployment, its ReplicaSets: these create the pods. */
function ownersOf({ kind, uid, namespace }: ObservedWorkload, records: ClusterRecords): readonly string[] {
  if (kind !== 'Deployment') return [uid];
  const sets = [...records.records('ReplicaSet', namespace)].filter(
    ({ controller }) => controller?.uid === uid,
  );
  return [uid, ...sets.map((set) => set.uid)];
}

/** The cluster repeats a warning about a pod at least this often, and one about creating pods at least every 17 min. */
const POD_MS = 6 * 60_000;
const CREATE_MS = 20 * 60_000;

/** The cause that a warning gives for a pod that is not ready and says nothing itself; null: none that still holds. */
export function warnedReason(uid: string, warnings: Warnings, now: number): ReasonName | null {
  return reasonSince(warnings.get(uid) ?? [], now - POD_MS);
}

/** The probe for which its node may have ended a copy, whatever else has been warned of since; null: none. */
export function warnedKill(uid: string, warnings: Warnings, now: number): ReasonName | null {
  return reasonSince(warnings.get(uid) ?? [], now - KILL_MS, (reason) => KILLS.has(reason));
}

/** A node that repeats a warning too often tells it no more; the cluster keeps it for an hour. */
const KILL_MS = 60 * 60_000;

const KILLS: ReadonlySet<ReasonName> = new Set(['liveness_failed', 'startup_failed']);

/** The cause that a warning gives for an image that cannot be pulled; null: none that still holds. */
export function warnedPull(uid: string, warnings: Warnings, now: number): ReasonName | null {
  return reasonSince(warnings.get(uid) ?? [], now - POD_MS, isCauseOfPull);
}

/** Why the storage that a pod waits for is not there; null: no warning about its claims says it. */
export function warnedClaim(
  pod: PodRecord,
  records: ClusterRecords,
  warnings: Warnings,
  now: number,
): ReasonName | null {
  const about = pendingClaims(pod, records).flatMap((uid) => warnings.get(uid) ?? []);
  return reasonSince(about.toSorted(newestFirst), now - CREATE_MS);
}

function pendingClaims(pod: PodRecord | null, records: ClusterRecords): readonly string[] {
  if (pod === null || pod.claims.length === 0) return [];
  return [...records.records('PersistentVolumeClaim', pod.namespace)]
    .filter(({ name, phase }) => phase !== 'Bound' && pod.claims.includes(name))
    .map(({ uid }) => uid);
}

/** How its readiness probe fails, since it is not ready: the answers that the warning counts; null: no such warning. */
export function warnedReadiness(
  { uid, conditions }: PodRecord,
  warnings: Warnings,
): { readonly status: number | null } | null {
  const since = Date.parse(conditions.find(({ type }) => type === 'Ready')?.changedAt ?? '');
  const isOfNow = (warning: WarningRecord) => Number.isNaN(since) || !(Date.parse(at(warning)) < since);
  const failed = (warnings.get(uid) ?? []).find(
    (warning) => isOfNow(warning) && reasonOfEvent(warning.reason, warning.message) === 'probe_failed',
  );
  if (failed === undefined) return null;
  const status = Number(/statuscode: (\d{3})\b/.exec(failed.message ?? '')?.[1]);
  return { status: status >= 100 ? status : null };
}

/** The reason for which pods of a workload cannot be created; null: none that still holds. */
export function missingReason(
  workload: ObservedWorkload,
  records: ClusterRecords,
  warnings: Warnings,
  now: number,
): ReasonName | null {
  const { desired, instances } = workload;
  const isThere = instances.filter(({ isTerminating, revision }) => !isTerminating && revision === 'current');
  if (desired === null || isThere.length >= desired) return null;
  const own = ownersOf(workload, records).flatMap((uid) => warnings.get(uid) ?? []);
  return reasonSince(own.toSorted(newestFirst), now - CREATE_MS) ?? refusedReason(workload, records);
}

/** Events may be forbidden or over; the condition of a Deployment or ReplicaSet says it for as long as it is so. */
function refusedReason({ kind, uid }: ObservedWorkload, records: ClusterRecords): ReasonName | null {
  if (kind !== 'Deployment' && kind !== 'ReplicaSet') return null;
  const { conditions = [] } = records.record(kind, uid) ?? {};
  const refused = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (refused === undefined) return null;
  return refused.said ?? (refused.reason === 'FailedDelete' ? null : 'create_failed');
}

/** The newest warning whose word or message is in the catalogue. One without an instant is of no use. */
function reasonSince(
  newest: readonly WarningRecord[],
  since: number,
  counts: (reason: ReasonName) => boolean = () => true,
): ReasonName | null {
  for (const warning of newest) {
    if (!(Date.parse(at(warning)) >= since)) return null;
    const reason = reasonOfEvent(warning.reason, warning.message);
    if (reason !== null && counts(reason)) return reason;
  }
  return null;
}
