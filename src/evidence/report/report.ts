import { compareDigits, type Digits } from '../../contract/digits.ts';
import type { ObservedBody } from '../../contract/evidence.ts';
import { type Answer, invalid, problem } from '../../contract/problem.ts';
import { parseReport, type Report } from '../../contract/report.ts';
import type { Rejection } from '../../contract/vocabulary.ts';
import type { Observed, ScopeLiveness } from '../../projection/facts.ts';
import { isAboveLedger, isSeenSince } from '../../projection/recovery.ts';
import { observedEntry, observedInstances } from '../../projection/running-contract.ts';
import { isReadable, readableOrNull } from '../../store/columns.ts';
import { gt, type Tx } from '../../store/port.ts';
import type { AgentRow, ScopeRow } from '../../store/schema.ts';
import { type Caller, ended, spansTarget, tokenOf } from '../door/caller.ts';
import type { Door } from '../door/door.ts';
import type { Host } from '../door/host.ts';
import { agentLiveness, scopeLiveness } from '../door/liveness.ts';
import type { Need } from '../door/prefetch.ts';
import type { ServiceFile } from '../door/service-file.ts';
import { TARGET_SIZE, throughDoor } from '../door/through-door.ts';
import { recordObserved } from './adopt-template.ts';
import { changedBy, hasNews, mustCompareAll, named, pageOf, servicesOf, showsUnknown } from './changes.ts';
import { currentAgent, holderIn } from './current-agent.ts';
import { judgeWith } from './judge-observation.ts';
import { isNews, type RejectedItem, type Seen, type Sorted, seenBy, sortItems } from './observation.ts';
import { asOfReport, isHeardInFuture, nextScope, place, saveScope } from './scope.ts';
import { isSound } from './sound-scope.ts';
import { recordUnknownServices, stampedServices } from './unknown-services.ts';

export interface Reported {
  readonly seq: Digits;
  readonly now: number;
  readonly resync: boolean;
  readonly rejected: readonly RejectedItem[];
}

/**
 * A full, change or heartbeat report of an agent. It is compared with what is stored: one row per service whose
 * observation or claim it changes, otherwise only the span of liveness grows, so calm costs no row. A calm
 * report does not even take the head of the ledger.
 */
export async function report(
  host: Host,
  caller: Caller,
  target: string,
  input: unknown,
  /** Sorts its items; one that gives way in between is for whoever serves others meanwhile. */
  sort: (report: Report) => Sorted | Promise<Sorted> = (given) => sortItems(given, target),
): Promise<Answer<Reported>> {
  if (caller.role !== 'agent' || !spansTarget(caller, target)) {
    return problem('forbidden', 'This token may not report for this target.');
  }
  const parsed = parseReport(input);
  if (!parsed.ok) {
    await throughDoor(host, caller.org, (door) => refuseReport(door, caller, target, 'invalid'), { caller });
    return invalid(parsed.errors);
  }
  const sorting = sort(parsed.report);
  const sorted = sorting instanceof Promise ? await sorting : sorting;
  const calm = await host.store.transact(
    (tx) => reportCalm(tx, host, caller, target, parsed.report, sorted),
    'liveness',
  );
  if (calm !== null) return calm;
  const { org } = caller;
  const services = [...named(sorted)].map((service) => ({ org, service }));
  const news = (door: Door) => reportNews(door, caller, target, parsed.report, sorted);
  const needs: Need[] = [
    { table: 'agents', keys: [{ org, target }], lock: true },
    { table: 'scopes', keys: [{ org, target, scope: parsed.report.scope }] },
    // Of a full report most are named without news.
    { table: 'services', keys: parsed.report.kind === 'change' ? services : [] },
  ];
  return throughDoor(host, org, news, { needs, size: TARGET_SIZE, caller });
}

const NOT_SPEAKING = {
  unissued: 'This epoch was never issued for this target; register, and report with the epoch of the answer.',
  stale_epoch: 'A newer registration speaks for this target; stop, or register again with a new instance.',
} as const;

/** The common case: nothing new, nobody waits for it, the span goes on. Null: it has to go through the door. */
async function reportCalm(
  tx: Tx,
  host: Host,
  caller: Caller,
  target: string,
  given: Report,
  sorted: Sorted,
): Promise<Answer<Reported> | null> {
  const { org } = caller;
  if (sorted.rejected.length > 0 || (given.kind === 'full' && !given.complete)) return null;
  const of = { org, target };
  const [[agent], [kept], now, [head], awaiting, tokens] = await tx.readAll([
    { table: 'agents', keys: [of], lock: true },
    { table: 'scopes', keys: [{ ...of, scope: given.scope }] },
    'now',
    { table: 'heads', keys: [{ org }] },
    { table: 'services', where: { ...of, awaitsReport: true }, options: { limit: 1 } },
    { table: 'tokens', keys: tokenOf(caller) },
  ]);
  if (ended(caller, tokens, now) !== null) return null;
  const scope = readable(kept, now);
  if (place(given, epochOf(agent), scope).kind !== 'applies' || agent === undefined || scope === undefined)
    return null;
  if (isHeardInFuture(given, now)) return null;
  if (!isReadable(agentLiveness(agent) ?? {}) || head === undefined || !isReadable(head)) return null;
  if (scope.silenced || scope.epoch !== given.epoch || now >= scope.asOf + host.settings.freshForMs)
    return null;
  if (head.recoveredAt !== null && (scope.completeAt ?? 0) <= head.recoveredAt) return null;
  if (
    given.kind !== 'heartbeat' &&
    (await hasNews(tx, { org, target, report: given, sorted }, scope, host.giveWay))
  )
    return null;
  if (awaiting.length > 0) return null;
  if (await isUncovered(tx, org, target, scope)) return null;
  const next = nextScope(scope, given, { org, target, now: Math.max(now, scope.receivedAt) }, true);
  // Without the head a service may be recorded unseen meanwhile: calm covers no more than was covered before (S1).
  const { completeAt } = scope;
  const expect = { seqEpoch: given.epoch, seq: scope.seq, silenced: false, completeAt };
  const seen = { seenAt: now, skewMs: skewOf(given, now) };
  const [extended] = await tx.updateAll([
    { table: 'scopes', key: { ...of, scope: given.scope }, expect, set: { ...next, completeAt } },
    { table: 'agents', key: of, expect: { epoch: given.epoch }, set: seen },
  ]);
  if (extended === 0) return null;
  return { ok: true, seq: given.seq, now, resync: false, rejected: [] };
}

/** A scope of which not everything can be read begins anew, with the next full report. */
const readable = (scope: ScopeRow | undefined, now: number) =>
  scope && isSound(scope, now) ? scope : undefined;

/** None if it cannot be read: then nobody speaks for the target until an agent registers again. */
const epochOf = (agent: AgentRow | undefined) => readableOrNull(agent?.epoch) ?? undefined;

/** How far ahead of ours the agent's clock is; null: it does not say. Nothing is ever decided by it (F63). */
function skewOf({ at }: Report, now: number): number | null {
  const told = at == null ? Number.NaN : Date.parse(at);
  return Number.isNaN(told) ? null : told - now;
}

/** A service is younger than the last full report: the agent is asked for another. */
async function isUncovered(tx: Tx, org: string, target: string, scope: ScopeRow): Promise<boolean> {
  const since = gt(scope.completeAt ?? 0);
  return (await tx.select('services', { org, target, createdAt: since }, { limit: 1 })).length > 0;
}

/** Through the door: rows for what changed, then the span. */
async function reportNews(
  door: Door,
  caller: Caller,
  target: string,
  given: Report,
  sorted: Sorted,
): Promise<Answer<Reported>> {
  const { org, tx } = door;
  const agent = await currentAgent(door, target);
  const scope = readable(await tx.get('scopes', { org, target, scope: given.scope }), door.at);
  const placed = place(given, epochOf(agent), scope);
  if (placed.kind === 'refused') {
    await refuseReport(door, caller, target, placed.reason);
    if (placed.reason === 'out_of_order')
      return { ok: true, seq: placed.stored, now: door.at, resync: false, rejected: [] };
    const holder = placed.reason === 'stale_epoch' ? holderIn(agent) : {};
    return problem('stale_epoch', NOT_SPEAKING[placed.reason], holder);
  }
  if (isHeardInFuture(given, door.at)) {
    await refuseReport(door, caller, target, 'invalid');
    return invalid(['heard: in the future']);
  }
  if (placed.kind === 'resync')
    return { ok: true, seq: placed.stored, now: door.at, resync: true, rejected: [] };

  // Every file that it touches is opened, and so settled under the liveness before this report, before it counts.
  const files: ServiceFile[] = [];
  const strangers = stampedServices(sorted);
  const services = await touched(door, target, given, sorted, scope, strangers);
  const page = pageOf(sorted);
  for (const [i, service] of services.entries()) {
    if (i % page === 0) await door.prefetch(services.slice(i, i + page));
    const file = await door.file(service);
    if (file !== null) strangers.delete(service);
    if (file !== null && !file.unreadable) files.push(file);
    await door.giveWay?.();
  }
  const complete = given.kind !== 'full' || (given.complete && !sorted.corrupt.all);
  const next = nextScope(scope, given, { org, target, now: door.at }, complete, sorted.rejected.length > 0);
  await saveScope(door, scope, next, door.settings.freshForMs);
  await tx.update(
    'agents',
    { org, target },
    { epoch: given.epoch },
    { seenAt: door.at, skewMs: skewOf(given, door.at) },
  );
  const liveness = scopeLiveness(next);
  for (const file of files) {
    await observe(door, caller, file, given, sorted, next, liveness);
    await door.giveWay?.();
  }
  await recordUnknownServices(door, target, given, strangers);
  // The base was made before one of the services was: only a full report can prove that nothing of it runs.
  const resync = given.kind !== 'full' && files.some((file) => (next.completeAt ?? 0) < file.createdAt);
  return { ok: true, seq: given.seq, now: door.at, resync, rejected: sorted.rejected };
}

/**
 * The services whose claim a report may change; whichever there is is taken from the strangers. One that only lets the span go on touches those that it shows
 * something new of, those that wait for a report, and those that no full report has covered yet; one that begins,
 * breaks or reopens a span touches every service of the target.
 */
async function touched(
  door: Door,
  target: string,
  given: Report,
  sorted: Sorted,
  scope: ScopeRow | undefined,
  strangers: Set<string>,
): Promise<readonly string[]> {
  const { org, tx } = door;
  const all = { org, target, report: given, sorted };
  if (scope === undefined || sorted.corrupt.all || !goesOn(door, given, scope)) {
    const services: string[] = [];
    for await (const { service } of servicesOf(tx, all, door.giveWay)) services.push(service);
    return services;
  }
  const found = new Set<string>();
  const since = gt(scope.completeAt ?? 0);
  for (const which of [{ awaitsReport: true }, { createdAt: since }])
    for await (const { service } of servicesOf(tx, all, door.giveWay, which)) found.add(service);
  if (mustCompareAll(given, sorted) || (await showsUnknown(tx, all)))
    for (const service of await changedBy(tx, all, scope, door.giveWay, strangers)) found.add(service);
  // A complete report says nothing of those it names that the comparison has not found; any other one refreshes them.
  const complete = given.kind === 'full' && given.complete;
  for (const service of complete ? sorted.corrupt.services : named(sorted)) found.add(service);
  return [...found].sort();
}

/** The span of liveness simply continues: no claim changes by that alone. */
function goesOn(door: Door, given: Report, scope: ScopeRow): boolean {
  if (scope.silenced || scope.epoch !== given.epoch || door.at >= scope.asOf + door.settings.freshForMs)
    return false;
  if (given.unavailable != null || scope.unavailable !== null) return false;
  const { recoveredAt } = door.head;
  return recoveredAt === null || (scope.completeAt ?? 0) > recoveredAt;
}

/** One service under the report: a row if its observation or its claim changes. */
async function observe(
  door: Door,
  caller: Caller,
  file: ServiceFile,
  given: Report,
  sorted: Sorted,
  scope: ScopeRow,
  liveness: ScopeLiveness,
): Promise<void> {
  const { observed } = file.proven;
  const seen = seenBy(given, sorted, file.service, observed, (scope.completeAt ?? 0) >= file.createdAt);
  const named = sorted.instances.has(file.service) || sorted.entries.has(file.service);
  const news = isNews(seen, observed);
  const partial = seen.corrupt || (given.kind === 'full' && !seen.complete);
  const speaks = !partial || named || seen.corrupt || leaves(observed, given.scope, sorted, file.service);
  file.liveness = {
    ...file.liveness,
    scopes: [...file.liveness.scopes.filter((s) => s.scope !== given.scope), liveness],
    unread: file.liveness.unread.filter((scope) => scope !== given.scope),
  };
  if (!speaks || given.unavailable != null)
    return door.rejudge(file, 'watcher', file.active?.recorded?.id ?? '');
  // Only by a report that speaks of it: what is recorded here must be judged, and if it holds settled, below (S11).
  const isNew = await recordObserved(door, file, seen.entry);
  const naming = named && !seen.corrupt && namesAll(sorted, file.service, seen);
  const known = observed.parts.find((p) => p.scope === given.scope)?.asOf ?? 0;
  // A change or heartbeat on its base says as much as the snapshot that it stands on; a partial report that leaves
  // out something known makes the whole no younger.
  const asOf = !partial ? scope.asOf : naming ? asOfReport(given, door.at) : known;
  const changedAsOf = Math.max(asOf, asOfReport(given, door.at));
  const body = {
    epoch: given.epoch,
    seq: given.seq,
    asOf,
    changedAsOf,
    silentSince: silenceOf(file),
    ...seen,
    ...identityOf(file),
  };
  const judged = judgeWith(file, body, door.at);
  const contract = judged.judged?.contract ?? 'opaque';
  const turns = contract !== 'opaque' && contract !== (observed.lastJudged ?? 'unmet');
  // A template seen before may hold from its first moment: what is told as succeeded is then on record too (S11).
  const ends = judged.judged !== null && judged.judged.settles !== null;
  const changes = isNew || judged.isFirst || judged.state !== file.recorded?.state || turns || ends;
  // A partial report keeps only what it names fresh, and so leaves a row that says how fresh.
  const refreshes = partial && naming;
  // With several scopes, each must be seen again for the contract to be stable, or for absence to be proven.
  const settles = judged.settling && observed.parts.length > 1;
  // After a recovery the ledger itself must say that a service was seen again.
  const again = seen.complete && isUnseen(file, given.scope);
  if (news === null && !changes && !refreshes && !settles && !again) return;
  await door.admit(file, {
    kind: news === 'entry' ? 'route.observed' : 'runtime.observed',
    // The watcher of a target is one source, whichever agent speaks for it: its epochs are its own order.
    source: { role: 'watcher', name: scope.target, instance: `${caller.name}/${given.epoch}` },
    seq: given.seq,
    body: { ...body, judged: judged.judged },
  });
  if (hasUnissued(file, seen, observed)) await door.alarm('unissued', file.service);
}

/**
 * Something new runs or answers under numbers that were never handed out (F24): a forgery, or a store that was put
 * back. It counts for no revision, and stays in sight: what is there is not absent.
 */
function hasUnissued({ proven }: ServiceFile, { instances, entry }: Seen, before: Observed): boolean {
  const shown = observedInstances(before).filter((i) => isAboveLedger(i, proven));
  if (instances.some((i) => isAboveLedger(i, proven) && !shown.some(({ uid }) => uid === i.uid))) return true;
  const [route, named] = [entry?.route, observedEntry(before)?.route];
  return route != null && isAboveLedger(route, proven) && !(named != null && isAboveLedger(named, proven));
}

function isUnseen({ proven, liveness: { recoveredAt } }: ServiceFile, scope: string): boolean {
  const part = proven.observed.parts.find((p) => p.scope === scope);
  return recoveredAt !== null && part !== undefined && !isSeenSince(part, recoveredAt);
}

/** Since which epoch it is this cluster, where something was seen of another one. */
function identityOf({ proven, liveness: { agent } }: ServiceFile): Pick<ObservedBody, 'identityEpoch'> {
  if (agent === null || !agent.identityChanged) return {};
  const { identityEpoch } = agent;
  const isOther = proven.observed.parts.some(({ epoch }) => compareDigits(epoch, identityEpoch) < 0);
  return isOther ? { identityEpoch } : {};
}

/** Whether something that was of this service is shown of another one. */
function leaves({ parts }: Observed, scope: string, { owners }: Sorted, service: string): boolean {
  const before = parts.find((part) => part.scope === scope)?.instances ?? [];
  return before.some(({ uid }) => owners.has(uid) && owners.get(uid) !== service);
}

function namesAll(sorted: Sorted, service: string, seen: Seen): boolean {
  const named = sorted.instances.get(service)?.length ?? 0;
  return named === seen.instances.length && (seen.entry === null || sorted.entries.has(service));
}

/** The silence that this report ends, if the claim was `unknown`: observation deadlines do not count it. */
function silenceOf(file: ServiceFile): number | null {
  return file.recorded?.state === 'unknown' ? file.recorded.since : null;
}

/** A rejected report is one row, then a counter per source and reason. */
async function refuseReport(door: Door, caller: Caller, target: string, reason: Rejection): Promise<void> {
  const { org, tx } = door;
  const source = `watcher/${caller.name}`;
  const counted = await tx.get('counters', { org, source, reason });
  if (counted !== undefined) {
    await tx.update(
      'counters',
      { org, source, reason },
      {},
      { count: (readableOrNull(counted.count) ?? 0) + 1 },
    );
    return;
  }
  await tx.insert('counters', { org, source, reason, count: 1 });
  const from = { role: 'watcher', name: caller.name, instance: caller.instance } as const;
  await door.reject({ kind: 'runtime.observed', source: from, target, body: {} }, reason);
  if (reason === 'unissued') await door.alarm(reason, null);
}
