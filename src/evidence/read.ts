import type { Claim } from '../contract/claim.ts';
import { compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import { serviceRef, targetOf } from '../contract/names.ts';
import { type Answer, noService, problem } from '../contract/problem.ts';
import type { State } from '../contract/vocabulary.ts';
import { claim, standingOf } from '../projection/claim.ts';
import { rfc3339 } from '../projection/instant.ts';
import { neededCommand } from '../projection/workload.ts';
import { isIntact, pick, readable, type Stored } from '../store/broken-row.ts';
import { gt, gte, lt, lte, type ReadTx } from '../store/port.ts';
import type { AnyLedgerRow, AttemptRow, RevisionRow, TransitionRow } from '../store/schema.ts';
import { readFacts } from './door/facts-cache.ts';
import type { Host } from './door/host.ts';
import { readWorkers, type TargetWorkers, workersAmong } from './door/liveness.ts';
import { type FilesQuery, fileNow, filesNow, type ServiceFile } from './door/service-file.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { headAt } from './past/head-at.ts';
import { lastGood } from './past/last-good.ts';
import { fileAt } from './past/past.ts';
import { type Gap, gapsSince } from './past/recoveries.ts';
import { settingsAt } from './past/settings-then.ts';
import { type StageTime, stageTimes } from './past/stage-times.ts';

/** The claim of now, from one snapshot. What time alone changes is computed here and needs no write (S2). */
export function claimNow(
  host: Host,
  org: string,
  ref: string,
  audience: 'user' | 'operator' = 'user',
  { readsLastGood = false }: ClaimReadOptions = {},
): Promise<Answer<{ claim: Claim }>> {
  return host.store.read(async (tx): Promise<Answer<{ claim: Claim }>> => {
    const service = serviceRef(ref);
    const found = service === null ? null : await fileNow(tx, host.settings, org, service);
    if (found === null) return noService();
    const { file, now, position } = found;
    await addWorkers(tx, file, now);
    const options = {
      position,
      ...(audience === 'operator' && { operator: await operatorDetail(tx, file, position) }),
      ...(readsLastGood && { lastGood: await lastGoodOf(tx, file) }),
    };
    return { ok: true, claim: claim(file.intent, file.facts, now, options) };
  });
}

/** A service as of one snapshot. Its claim is computed where it is wanted, for either audience. */
export interface CurrentService {
  readonly service: string;
  readonly row: Stored<'services'>;
  /** The intent of the active revision. */
  readonly revision: RevisionRow | undefined;
  readonly file: ServiceFile;
  /** The instant of the snapshot. */
  readonly now: number;
  /** An operator's claim has its details only if the services were read for operators. */
  claimFor(audience: 'user' | 'operator'): Claim;
}

interface CurrentServicesQuery extends FilesQuery {
  readonly audience: 'user' | 'operator';
  /** Only services that are in one of these states now. */
  readonly states?: readonly State[] | undefined;
  readonly limit?: number;
}

/**
 * Many services of one snapshot, in as many round trips as one. Judges each before it reads the rest: a claim
 * costs more than the state alone, and a filter leaves most of them out (F125).
 */
export function servicesNow(
  host: Host,
  org: string,
  { audience, states, limit = Number.POSITIVE_INFINITY, ...query }: CurrentServicesQuery,
): Promise<{ readonly found: readonly CurrentService[]; readonly rows: readonly Stored<'services'>[] }> {
  return host.store.read(async (tx) => {
    const { files, rows, now, position } = await filesNow(tx, host.settings, org, query);
    const wanted: ServiceFile[] = [];
    for (const file of files) {
      if (wanted.length >= limit) break;
      if (states === undefined || states.includes(standingOf(file.intent, file.facts, now).standing.state))
        wanted.push(file);
      await host.yieldIfDue?.();
    }
    const workers = new Map<string, TargetWorkers>();
    for (const file of wanted) await addWorkers(tx, file, now, workers);
    const asOf = wanted.map((file) => ({ file, position }));
    const details = audience === 'user' ? [] : await operatorDetails(tx, asOf);
    const found = wanted.map((file, i): CurrentService => {
      const operator = details[i];
      return {
        service: file.service,
        row: file.stored as Stored<'services'>,
        revision: file.activeIntent,
        file,
        now,
        claimFor: (of) =>
          claim(file.intent, file.facts, now, {
            position,
            ...(of === 'operator' && operator !== undefined && { operator }),
          }),
      };
    });
    return { found, rows };
  });
}

/** The claims of a service whose transition is sent, by the audience of the viewer. */
export interface TransitionClaims {
  /** The claim as text, where it was prepared. */
  textFor?(audience: 'user' | 'operator'): string;
  claimFor(audience: 'user' | 'operator'): Claim | null | Promise<Claim | null>;
}

/**
 * The services of these transitions by position, where a commit of this process has just recorded them: as it left them,
 * without a read but of the operators' details where `newest` has none. A claim that says why it waits needs the
 * workers, and is left out.
 */
export async function servicesLeft(
  host: Host,
  org: string,
  rows: readonly Pick<TransitionRow, 'service' | 'position' | 'recordedAt'>[],
  audience: 'user' | 'operator',
  newest: ReadonlyMap<Digits, NewestEvidence> = new Map(),
): Promise<Map<Digits, TransitionClaims>> {
  const left = rows.flatMap((row) => {
    const found = host.recent?.after(org, row);
    if (found === undefined) return [];
    const { active, activeIntent } = found.file;
    if (active === undefined || activeIntent === undefined) return [];
    return neededCommand(activeIntent, active) === null ? [{ ...found, position: row.position }] : [];
  });
  if (left.length === 0) return new Map();
  const unread =
    audience === 'user' ? [] : left.filter(({ position, told }) => told === null && !newest.has(position));
  const read = unread.length === 0 ? [] : await host.store.read((tx) => operatorDetails(tx, unread));
  const details = new Map(unread.map(({ position }, i) => [position, read[i]]));
  return new Map(
    left.map(({ file, at, position, told }) => {
      const operator = details.get(position) ?? detailOf(file, newest.get(position));
      const claimFor = (of: 'user' | 'operator') =>
        claim(file.intent, file.facts, at, {
          position,
          judged: file.standing(at),
          ...(of === 'operator' && operator !== undefined && { operator }),
        });
      const textFor = (of: 'user' | 'operator') => told?.textFor(of, position) ?? '';
      return [position, told === null ? { claimFor } : { claimFor, textFor }];
    }),
  );
}

export interface ClaimReadOptions {
  /**
   * Reads which revision a rollback goes to, so that the claim can decide on it. Lists and streams leave it out: it
   * would cost them two more reads for each claim.
   */
  readonly readsLastGood?: boolean;
}

async function lastGoodOf(tx: ReadTx, { org, service, activeIntent }: ServiceFile): Promise<number | null> {
  if (activeIntent === undefined) return null;
  return (await lastGood(tx, org, service, activeIntent))?.revision ?? null;
}

/** The details that only operators are shown beside the claim, as of a position. */
async function operatorDetail(tx: ReadTx, file: ServiceFile, position: Digits) {
  const [detail] = await operatorDetails(tx, [{ file, position }]);
  return detail ?? { correlation: '', lastEvidence: null, rejected: file.rejected };
}

/** The newest evidence about a service, as operators are shown it. */
export type NewestEvidence = Pick<AnyLedgerRow, 'id' | 'kind' | 'receivedAt'>;

export async function operatorDetails(
  tx: ReadTx,
  files: readonly { readonly file: ServiceFile; readonly position: Digits }[],
) {
  const newest = await tx.readAll(
    files.map(({ file: { org, service }, position }) => ({
      table: 'ledger' as const,
      where: { org, service, position: lte(position) },
      options: { order: 'position' as const, descending: true, limit: 1 },
    })),
  );
  return files.map(({ file }, i) => detailOf(file, pick(newest[i]?.[0], 'id', 'kind', 'receivedAt')));
}

function detailOf({ activeIntent, rejected }: ServiceFile, newest: NewestEvidence | undefined) {
  const lastEvidence =
    newest === undefined ? null : { id: newest.id, kind: newest.kind, at: rfc3339(newest.receivedAt) };
  return { correlation: activeIntent?.correlation ?? '', lastEvidence, rejected };
}

/**
 * Adds the workers that could take the command that the attempt waits for, only where the claim says why it waits. They are
 * read once for each target in `read`.
 */
async function addWorkers(
  tx: ReadTx,
  file: ServiceFile,
  now: number,
  read = new Map<string, TargetWorkers>(),
): Promise<void> {
  const { active, activeIntent } = file;
  const kind = active && activeIntent ? neededCommand(activeIntent, active) : null;
  if (kind === null) return;
  const target = targetOf(file.service);
  const workers = read.get(target) ?? (await readWorkers(tx, file.org, target, now, file.liveness.settings));
  read.set(target, workers);
  file.liveness = { ...file.liveness, workers: workersAmong(workers, file.service, kind) };
}

/** The claim at a past instant, recomputed from the ledger up to then and the spans that were alive then. */
export function claimAt(
  host: Host,
  org: string,
  ref: string,
  at: number,
  audience: 'user' | 'operator' = 'user',
): Promise<Answer<{ claim: Claim }>> {
  return host.store.read(async (tx): Promise<Answer<{ claim: Claim }>> => {
    const service = serviceRef(ref);
    if (service === null) return noService();
    const { keptFrom } = readable(await tx.get('retention', { org }));
    if (keptFrom !== undefined && at < keptFrom) {
      if ((await tx.get('services', { org, service })) === undefined) return noService();
      const earliest = rfc3339(keptFrom);
      return problem('before_retention', `Records from before ${earliest} are no longer kept here.`, {
        earliest,
      });
    }
    const position = await headAt(tx, org, at);
    const settings = await settingsAt(tx, at, host.settings);
    const file = await fileAt(tx, settings, org, service, { at, head: position });
    if (file === null) return noService();
    const options = {
      position,
      isPast: true,
      ...(audience === 'operator' && { operator: await operatorDetail(tx, file, position) }),
    };
    return { ok: true, claim: claim(file.intent, file.facts, at, options) };
  });
}

/**
 * The claim as a transition left it. Later rows do not count, not even those of the same commit. A transition that time
 * brought is judged at the instant at which its rule fired, though it was recorded later.
 */
export function claimAfter(
  host: Host,
  org: string,
  row: TransitionRow,
  audience: 'user' | 'operator' = 'user',
): Promise<Claim | null> {
  return host.store.read(async (tx) => {
    const { service, at, position } = row;
    const settings = await settingsAt(tx, row.recordedAt, host.settings);
    const file = await fileAt(tx, settings, org, service, { at, head: position });
    if (file === null) return null;
    const operator = audience === 'user' ? {} : { operator: await operatorDetail(tx, file, position) };
    return claim(file.intent, file.facts, at, { position, ...operator });
  });
}

export interface RevisionEntry {
  readonly intent: RevisionRow;
  /** Restores and failovers while it was the newest on record: what came between it and the next may be lost. */
  readonly recoveries: readonly Gap[];
  readonly attempts: readonly AttemptEntry[];
  /** The commit that the cluster named for it, in observe mode. */
  readonly commit: string | null;
}

/** A revision of which its row, or that of an attempt, cannot be read. */
export interface BrokenEntry {
  readonly revision: number | undefined;
  /** The numbers of its attempts, as far as they can be read. */
  readonly tried: readonly number[];
}

export interface AttemptEntry extends AttemptRow {
  readonly stages: readonly StageTime[];
  /** The position at which its build began, if it has one. */
  readonly buildingFrom: Digits | null;
}

/** Revisions below `before`, 0 for all, with their attempts and how long each stage of them took, newest first. */
export function history(
  host: Host,
  org: string,
  service: string,
  limit: number,
  before = 0,
): Promise<(RevisionEntry | BrokenEntry)[]> {
  return host.store.read(async (tx) => {
    const rows = await tx.select(
      'revisions',
      { org, service, ...(before === 0 ? {} : { revision: lt(before) }) },
      { order: 'revision', descending: true, limit },
    );
    const head = await tx.get('heads', { org });
    const now = Math.max(await tx.now(), readable(head).at ?? 0);
    const { proven } = readable(await tx.get('services', { org, service }));
    const commits = readFacts(proven)?.observed.commits ?? [];
    const numbers = rows.map((row) => readable(row).revision).filter((revision) => revision !== undefined);
    const changes = await transitionsSince(tx, org, service, numbers.at(-1) ?? 0);
    const gaps = await gapsSince(tx, org, readable(rows.at(-1)).createdAt ?? 0);
    const [above] =
      before === 0 ? [] : await tx.select('revisions', { org, service, revision: gte(before) }, FIRST);
    const tries = await tx.readAll(
      numbers.map((revision) => ({
        table: 'attempts' as const,
        where: { org, service, revision },
        options: { order: 'attempt' as const },
      })),
    );
    return rows.map((intent, i) => {
      const attempts = tries[numbers.indexOf(readable(intent).revision ?? 0)] ?? [];
      if (!isIntact(intent) || !attempts.every(isIntact)) return brokenEntry(intent, attempts);
      const { revision } = intent;
      const entries = attempts.map((row) => {
        const own = changes.filter((t) => t.revision === revision && t.attempt === row.attempt);
        const buildingFrom = own.find((t) => t.to === 'building')?.position ?? null;
        return { ...row, stages: stageTimes(row, own, now), buildingFrom };
      });
      const until = readable(rows[i - 1]).createdAt ?? readable(above).createdAt ?? Number.POSITIVE_INFINITY;
      const recoveries = gaps.filter(({ at }) => intent.createdAt <= at && at < until);
      const commit = commits.find((one) => one.revision === revision)?.commit ?? null;
      return { intent, attempts: entries, recoveries, commit };
    });
  });
}

function brokenEntry(intent: Stored<'revisions'>, attempts: readonly Stored<'attempts'>[]): BrokenEntry {
  const tried = attempts.map((row) => readable(row).attempt).filter((attempt) => attempt !== undefined);
  return { revision: readable(intent).revision, tried };
}

const FIRST = { order: 'revision', limit: 1 } as const;

const CHANGES = 100;

/**
 * Changes of the claim from a revision on, in ledger order. Read from the newest back: a claim is about the active
 * revision, which never goes back, so that what came before the revision was recorded need not be looked at.
 */
async function transitionsSince(
  tx: ReadTx,
  org: string,
  service: string,
  revision: number,
): Promise<TransitionRow[]> {
  const found: TransitionRow[] = [];
  let before = {};
  for (;;) {
    const page = await tx.select(
      'transitions',
      { org, service, ...before },
      { order: 'position', descending: true, limit: CHANGES },
    );
    const later = page.filter((row) => (readable(row).revision ?? 0) >= revision);
    found.unshift(...later.filter(isIntact).reverse());
    const { position } = readable(later.at(-1));
    if (later.length < CHANGES || position === undefined) return found;
    before = { position: lt(position) };
  }
}

/** Recorded changes of the claim, in ledger order. */
export function transitionsOf(host: Host, org: string, service: string): Promise<Stored<'transitions'>[]> {
  return host.store.read((tx) => tx.select('transitions', { org, service }, { order: 'position' }));
}

/** Evidence about a service, admitted and rejected, in ledger order. */
export function evidenceOf(host: Host, org: string, service: string): Promise<Stored<'ledger'>[]> {
  return host.store.read((tx) => tx.select('ledger', { org, service }, { order: 'position' }));
}

interface LedgerPage {
  /** At most `limit` of them, in order; the last one's position is where to read on from. */
  readonly entries: readonly LedgerEntry[];
  /** The newest position there was. A reader that stands above it follows another story (F85). */
  readonly head: Digits;
  /** The position was handed out in a past that a recovery lost: what followed it here is another story (F54). */
  readonly isVoid: boolean;
}

/**
 * Everything recorded in an org after a position, in order. One snapshot, and positions that become visible in order:
 * whoever reads on from the last position it got misses nothing and repeats nothing (S12).
 */
export function readFrom(host: Host, org: string, position: Digits, limit: number): Promise<LedgerPage> {
  return host.store.read(async (tx) => {
    const where = { org, position: gt(position) };
    const options = { order: 'position', limit } as const;
    const [evidence, transitions, alarms, [head], [recovery]] = await tx.readAll([
      { table: 'ledger', where, options },
      { table: 'transitions', where, options },
      { table: 'alarms', where, options },
      { table: 'heads', keys: [{ org }] },
      { table: 'recoveries', where: { org, to: gte(position) }, options: { order: 'to', limit: 1 } },
    ]);
    // A row whose position cannot be read is left out, so its position is a gap, and no reader resumes from it (F56).
    const entries: LedgerEntry[] = [
      ...placed(evidence).map((entry) => ({ kind: 'evidence', ...entry }) as const),
      ...placed(transitions).map((entry) => ({ kind: 'transition', ...entry }) as const),
      ...placed(alarms).map((entry) => ({ kind: 'alarm', ...entry }) as const),
    ];
    entries.sort((a, b) => compareDigits(a.position, b.position));
    return {
      entries: entries.slice(0, limit),
      head: readable(head).position ?? ZERO,
      isVoid: isIn(recovery, position),
    };
  });
}

/** Rows of the story with their positions; those whose position cannot be read are left out. */
function placed<T extends 'ledger' | 'transitions' | 'alarms'>(
  rows: readonly Stored<T>[],
): { readonly position: Digits; readonly row: Stored<T> }[] {
  return rows.flatMap((row) => {
    const { position } = readable<Stored<'ledger' | 'transitions' | 'alarms'>>(row);
    return position === undefined ? [] : [{ position, row }];
  });
}

/**
 * Reads the transitions after a position, of one service or (null) of all. Only the transitions: a client that was away
 * for long catches up without a read of all the evidence in between.
 */
export function transitionsAfter(
  host: Host,
  org: string,
  service: string | null,
  position: Digits,
  limit: number,
): Promise<{
  readonly rows: readonly { readonly position: Digits; readonly row: Stored<'transitions'> }[];
  readonly isVoid: boolean;
}> {
  return host.store.read(async (tx) => {
    const where = { org, ...(service === null ? {} : { service }), position: gt(position) };
    const [rows, [recovery]] = await tx.readAll([
      { table: 'transitions', where, options: { order: 'position', limit } },
      { table: 'recoveries', where: { org, to: gte(position) }, options: { order: 'to', limit: 1 } },
    ]);
    return { rows: placed(rows), isVoid: isIn(recovery, position) };
  });
}

function isIn(recovery: Stored<'recoveries'> | undefined, position: Digits): boolean {
  const { from } = readable(recovery);
  return from !== undefined && compareDigits(from, position) < 0;
}
