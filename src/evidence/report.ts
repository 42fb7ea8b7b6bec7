import { compareDigits, type Digits } from '../contract/digits.ts';
import type { Judged, ObservedBody } from '../contract/evidence.ts';
import type { RevisionIntent } from '../contract/intent.ts';
import { type Answer, invalid, problem } from '../contract/problem.ts';
import { parseReport, type Report } from '../contract/report.ts';
import type { Rejection } from '../contract/vocabulary.ts';
import type { Observed, RevisionFacts, ScopeVitals } from '../projection/facts.ts';
import { fold } from '../projection/fold.ts';
import { judge, viewOf } from '../projection/judge.ts';
import { isAbsentIn, toldMark } from '../projection/judge-runtime.ts';
import { isSeenSince } from '../projection/recovery.ts';
import { type ContractReading, readContract } from '../projection/running-contract.ts';
import { neededCommand } from '../projection/workload.ts';
import { gt, type Tx } from '../store/port.ts';
import type { ScopeRow } from '../store/schema.ts';
import { type Caller, covers } from './caller.ts';
import { type Door, type Need, TARGET_SIZE, throughDoor } from './door.ts';
import type { Host } from './host.ts';
import { isNews, type RejectedItem, type Seen, type Sorted, seenBy, sortItems } from './observation.ts';
import { recordObserved } from './observe-mode.ts';
import { changedBy, hasNews, mustCompareAll, named, pageOf, servicesOf } from './report-news.ts';
import type { ServiceFile } from './service-file.ts';
import { scopeVitals } from './vitals.ts';

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
  if (caller.role !== 'agent' || !covers(caller.target, target)) {
    return problem('forbidden', 'This token may not report for this target.');
  }
  const parsed = parseReport(input);
  if (!parsed.ok) {
    await throughDoor(host, caller.org, (door) => refuseReport(door, caller, target, 'invalid'));
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
  return throughDoor(host, org, news, { needs, size: TARGET_SIZE });
}

type Misplaced = 'unissued' | 'stale_epoch' | 'out_of_order';

const NOT_SPEAKING = {
  unissued: 'This epoch was never issued for this target; register, and report with the epoch of the answer.',
  stale_epoch: 'A newer registration speaks for this target; stop, or register again with a new instance.',
} as const;

/** What a report may do, by epoch, sequence number and base. */
type Placed =
  | { readonly kind: 'refused'; readonly reason: Misplaced; readonly stored: Digits }
  | { readonly kind: 'resync'; readonly stored: Digits }
  | { readonly kind: 'applies' };

function place(report: Report, epoch: Digits | undefined, scope: ScopeRow | undefined): Placed {
  const stored = scope?.seq ?? '0';
  const order = epoch === undefined ? 1 : compareDigits(report.epoch, epoch);
  if (order > 0) return { kind: 'refused', reason: 'unissued', stored };
  if (order < 0) return { kind: 'refused', reason: 'stale_epoch', stored };
  const continued = scope !== undefined && scope.seqEpoch === report.epoch;
  if (continued && compareDigits(report.seq, scope.seq) <= 0)
    return { kind: 'refused', reason: 'out_of_order', stored };
  if (report.kind !== 'full' && (!continued || scope.base !== report.base)) return { kind: 'resync', stored };
  return { kind: 'applies' };
}

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
  const agent = await tx.lock('agents', { org, target });
  const scope = await tx.get('scopes', { org, target, scope: given.scope });
  if (place(given, agent?.epoch, scope).kind !== 'applies' || agent === undefined || scope === undefined)
    return null;
  const now = await tx.now();
  if (scope.silenced || scope.epoch !== given.epoch || now >= scope.asOf + host.settings.freshForMs)
    return null;
  const head = await tx.get('heads', { org });
  if (head?.recoveredAt != null && (scope.completeAt ?? 0) <= head.recoveredAt) return null;
  if (
    given.kind !== 'heartbeat' &&
    (await hasNews(tx, { org, target, report: given, sorted }, scope, host.giveWay))
  )
    return null;
  if (await isAwaited(tx, org, target)) return null;
  if (await isUncovered(tx, org, target, scope)) return null;
  const next = nextScope(scope, given, { org, target, now: Math.max(now, scope.receivedAt) }, true);
  // Without the head a service may be recorded unseen meanwhile: calm covers no more than was covered before (S1).
  const { completeAt } = scope;
  const expect = { seqEpoch: given.epoch, seq: scope.seq, silenced: false, completeAt };
  const key = { org, target, scope: given.scope };
  if ((await tx.update('scopes', key, expect, { ...next, completeAt })) === 0) return null;
  await tx.update(
    'agents',
    { org, target },
    { epoch: given.epoch },
    { seenAt: now, skewMs: skewOf(given, now) },
  );
  return { ok: true, seq: given.seq, now, resync: false, rejected: [] };
}

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

async function isAwaited(tx: Tx, org: string, target: string): Promise<boolean> {
  const waiting = await tx.select('services', { org, target, awaitsReport: true }, { limit: 1 });
  return waiting.length > 0;
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
  const agent = await tx.lock('agents', { org, target });
  const scope = await tx.get('scopes', { org, target, scope: given.scope });
  const placed = place(given, agent?.epoch, scope);
  if (placed.kind === 'refused') {
    await refuseReport(door, caller, target, placed.reason);
    if (placed.reason === 'out_of_order')
      return { ok: true, seq: placed.stored, now: door.at, resync: false, rejected: [] };
    return problem('stale_epoch', NOT_SPEAKING[placed.reason]);
  }
  if (placed.kind === 'resync')
    return { ok: true, seq: placed.stored, now: door.at, resync: true, rejected: [] };

  // Every file that it touches is opened, and so settled under the liveness before this report, before it counts.
  const files: ServiceFile[] = [];
  const services = await touched(door, target, given, sorted, scope);
  const page = pageOf(sorted);
  for (const [i, service] of services.entries()) {
    if (i % page === 0) await door.gather(services.slice(i, i + page));
    const file = await door.file(service);
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
  const vitals = scopeVitals(next);
  for (const file of files) {
    await observe(door, caller, file, given, sorted, next, vitals);
    await door.giveWay?.();
  }
  // The base was made before one of the services was: only a full report can prove that nothing of it runs.
  const resync = given.kind !== 'full' && files.some((file) => (next.completeAt ?? 0) < file.createdAt);
  return { ok: true, seq: given.seq, now: door.at, resync, rejected: sorted.rejected };
}

/**
 * The services whose claim a report may change. One that only lets the span go on touches those that it shows
 * something new of, those that wait for a report, and those that no full report has covered yet; one that begins,
 * breaks or reopens a span touches every service of the target.
 */
async function touched(
  door: Door,
  target: string,
  given: Report,
  sorted: Sorted,
  scope: ScopeRow | undefined,
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
  if (mustCompareAll(given, sorted))
    for (const service of await changedBy(tx, all, scope, door.giveWay)) found.add(service);
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

/** How old a report is: never younger than its watch, never younger than what the agent last heard from us. */
export function asOfReport(given: Report, now: number): number {
  const heard = given.heard == null ? now : Date.parse(given.heard) + (given.heardAgoMs ?? 0);
  return Math.max(0, Math.min(now - given.watchAgeMs, heard));
}

function nextScope(
  scope: ScopeRow | undefined,
  given: Report,
  at: { org: string; target: string; now: number },
  complete: boolean,
  tainted = false,
): ScopeRow {
  const same = scope !== undefined && scope.epoch === given.epoch;
  const proves = complete && given.unavailable == null;
  const asOf = proves ? asOfReport(given, at.now) : 0;
  const full = given.kind === 'full' && proves;
  return {
    org: at.org,
    target: at.target,
    scope: given.scope,
    epoch: proves || scope === undefined ? given.epoch : scope.epoch,
    seqEpoch: given.epoch,
    seq: given.seq,
    base: tainted
      ? null
      : full || (given.kind === 'change' && proves)
        ? given.seq
        : same && scope.seqEpoch === given.epoch
          ? scope.base
          : null,
    // Within an epoch knowledge only grows; another epoch starts from its own (F61).
    asOf: proves ? (same ? Math.max(scope.asOf, asOf) : asOf) : (scope?.asOf ?? 0),
    receivedAt: at.now,
    completeAt: full ? at.now : (scope?.completeAt ?? null),
    spanFrom: scope?.spanFrom ?? at.now,
    firstSeq: scope?.firstSeq ?? given.seq,
    unavailable: given.unavailable ?? null,
    silenced: false,
    swept: false,
  };
}

/** A report that goes on as the last one did extends the span; another closes it and opens its own. */
async function saveScope(
  door: Door,
  before: ScopeRow | undefined,
  next: ScopeRow,
  freshForMs: number,
): Promise<void> {
  const { org, target, scope } = next;
  if (before === undefined) {
    await door.tx.insert('scopes', next);
    return;
  }
  const broken = isBroken(door, before, next, freshForMs);
  if (broken) {
    const key = { org, subject: `scope/${target}/${scope}`, from: before.spanFrom };
    const span = {
      until: before.asOf,
      firstSeq: before.firstSeq,
      lastSeq: before.seq,
      epoch: before.epoch,
      receivedAt: before.receivedAt,
      completeAt: before.completeAt,
      unavailable: before.unavailable,
    };
    // Of two that began in the same millisecond the later is what that instant is remembered by.
    if (!(await door.tx.insert('spans', { ...key, ...span }))) await door.tx.update('spans', key, {}, span);
  }
  const row = broken ? { ...next, spanFrom: door.at, firstSeq: next.seq } : next;
  await door.tx.update('scopes', { org, target, scope }, { seq: before.seq, seqEpoch: before.seqEpoch }, row);
}

/**
 * Whether the next report is another stretch: another epoch, heard after a silence, fresh where the last was old,
 * or unreadable for another reason. Inside a stretch every instant has the same answer to "fresh?" and "if not,
 * why?", so that the past needs no row per report.
 */
function isBroken(door: Door, before: ScopeRow, next: ScopeRow, freshForMs: number): boolean {
  if (before.epoch !== next.epoch || door.at >= before.receivedAt + freshForMs) return true;
  const wasFresh = before.asOf + freshForMs > before.receivedAt;
  if (wasFresh) return door.at >= before.asOf + freshForMs;
  return next.asOf + freshForMs > door.at || next.unavailable !== before.unavailable;
}

/** One service under the report: a row if its observation or its claim changes. */
async function observe(
  door: Door,
  caller: Caller,
  file: ServiceFile,
  given: Report,
  sorted: Sorted,
  scope: ScopeRow,
  vitals: ScopeVitals,
): Promise<void> {
  const { observed } = file.proven;
  const seen = seenBy(given, sorted, file.service, observed, (scope.completeAt ?? 0) >= file.createdAt);
  const named = sorted.instances.has(file.service) || sorted.entries.has(file.service);
  const news = isNews(seen, observed);
  const partial = seen.corrupt || (given.kind === 'full' && !seen.complete);
  const speaks = !partial || named || seen.corrupt;
  file.vitals = {
    ...file.vitals,
    scopes: [...file.vitals.scopes.filter((s) => s.scope !== given.scope), vitals],
  };
  if (!speaks || given.unavailable != null)
    return door.rejudge(file, 'watcher', file.active?.recorded?.id ?? '');
  // Only by a report that speaks of it: what is recorded here must be judged, and if it holds settled, below (S11).
  const isNew = await recordObserved(door, file, seen.entry);
  const naming = !seen.corrupt && namesAll(sorted, file.service, seen);
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
  };
  const judged = judgeWith(file, body, door.at);
  const contract = judged.judged?.contract ?? 'opaque';
  const turns = contract !== 'opaque' && contract !== (observed.lastJudged ?? 'unmet');
  // A template seen before may hold from its first moment: what is told as succeeded is then on record too (S11).
  const ends = judged.judged !== null && judged.judged.settles !== null;
  const changes = isNew || judged.state !== file.recorded?.state || turns || ends;
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
}

function isUnseen({ proven, vitals: { recoveredAt } }: ServiceFile, scope: string): boolean {
  const part = proven.observed.parts.find((p) => p.scope === scope);
  return recoveredAt !== null && part !== undefined && !isSeenSince(part, recoveredAt);
}

function namesAll(sorted: Sorted, service: string, seen: Seen): boolean {
  const named = sorted.instances.get(service)?.length ?? 0;
  return named === seen.instances.length && (seen.entry === null || sorted.entries.has(service));
}

/** The silence that this report ends, if the claim was `unknown`: observation deadlines do not count it. */
function silenceOf(file: ServiceFile): number | null {
  return file.recorded?.state === 'unknown' ? file.recorded.since : null;
}

/** Where a row that is not written yet would stand: above every position of the ledger, whatever it will be. */
const AFTER_ALL: Digits = '9'.repeat(30);

/** The claim as it would be with this observation, and what that means for the active attempt. */
function judgeWith(file: ServiceFile, body: Omit<ObservedBody, 'judged'>, at: number) {
  const tentative = fold(file.proven, {
    kind: 'runtime.observed',
    id: 'tentative',
    position: AFTER_ALL,
    receivedAt: at,
    body: { ...body, judged: null },
  } as Parameters<typeof fold>[1]);
  const standing = judge(file.intent, { ...file.facts, proven: tentative }, at);
  const { state, reading } = standing;
  // Held, but not on record: while another scope is silent the claim cannot tell, and this one may not come again.
  const before = file.standing(at).reading;
  const holds = reading?.held && before?.held && isSettled(before, reading, body.scope);
  const settling =
    (reading !== null && reading.unmet === null && !holds) ||
    provesAbsence(file, tentative.observed, body.scope, at);
  return { state, settling, judged: judgedOf(file, standing) };
}

/** What a scope has shown for long enough is on record: it may have to take the place of what another scope shows. */
function isSettled(before: ContractReading, reading: ContractReading, scope: string): boolean {
  return !before.settling.includes(scope) || reading.settling.includes(scope);
}

/** Nothing should run, and this is the first report of its scope since the runtime was told that shows nothing. */
function provesAbsence(file: ServiceFile, shown: Observed, scope: string, at: number): boolean {
  const view = viewOf(file.intent, file.facts, at);
  if (view === null || (view.intent.kind !== 'teardown' && view.intent.replicas > 0)) return false;
  const told = toldMark(view);
  const isProof = ({ parts }: Observed) =>
    told !== null && parts.some((p) => p.scope === scope && isAbsentIn(p, told));
  return isProof(shown) && !isProof(file.proven.observed);
}

function judgedOf(file: ServiceFile, standing: ReturnType<typeof judge>): Judged | null {
  const { active, asked } = file;
  if (active === undefined || asked === undefined) return null;
  if (asked.kind !== 'teardown' && neededCommand(asked, active) !== null) return null;
  const { attempt } = active;
  const holds = standing.state === 'running' || standing.state === 'stopped';
  // Where nothing is wanted, nothing that comes up is progress.
  const { ready, furthest } = standing.reading?.wanted ? standing.reading : { ready: 0, furthest: 0 };
  const known = attempt.progress === null ? knownOf(file, asked, active) : null;
  const best = attempt.progress ?? known ?? { ready: 0, furthest: 0 };
  const further = ready > best.ready || furthest > best.furthest;
  const open = attempt.settled === null && attempt.cancel === null;
  const settles = !open ? null : holds ? 'succeeded' : standing.state === 'failed' ? 'failed' : null;
  return {
    revision: active.revision,
    attempt: attempt.attempt,
    contract: holds
      ? 'held'
      : active.recorded?.absent
        ? 'contradicted'
        : standing.reading?.wanted && standing.reading.opaque !== null
          ? 'opaque'
          : 'unmet',
    progress:
      further || known !== null
        ? {
            ready: Math.max(ready, best.ready),
            furthest: Math.max(furthest, best.furthest),
            known: !further,
          }
        : null,
    settles,
    stage: settles === 'failed' ? standing.stage : null,
    cause: settles === 'failed' ? (standing.cause?.code ?? null) : null,
  };
}

/**
 * How far this attempt had come before anything was judged for it: seen before the runtime was told, or instances that
 * a `scale` keeps. It is the mark to beat. What was seen under another identity was something else.
 */
function knownOf({ proven, vitals }: ServiceFile, asked: RevisionIntent, active: RevisionFacts) {
  const { identityEpoch } = vitals.agent ?? { identityEpoch: '0' };
  if (proven.observed.parts.some((p) => compareDigits(p.epoch, identityEpoch) < 0)) return null;
  const { ready, furthest, wanted } = readContract(asked, active, proven.observed);
  return wanted === 0 || furthest === 0 ? null : { ready, furthest };
}

/** A rejected report is one row, then a counter per source and reason. */
async function refuseReport(door: Door, caller: Caller, target: string, reason: Rejection): Promise<void> {
  const { org, tx } = door;
  const source = `watcher/${caller.name}`;
  const counted = await tx.get('counters', { org, source, reason });
  if (counted !== undefined) {
    await tx.update('counters', { org, source, reason }, {}, { count: counted.count + 1 });
    return;
  }
  await tx.insert('counters', { org, source, reason, count: 1 });
  const from = { role: 'watcher', name: caller.name, instance: caller.instance } as const;
  await door.refuse({ kind: 'runtime.observed', source: from, target, body: {} }, reason);
  if (reason === 'unissued') await door.alarm(reason, null);
}
