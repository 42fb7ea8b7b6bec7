import { IMAGE_DIGEST } from '../../src/contract/names.ts';
import type { RevisionRow } from '../../src/store/schema.ts';
import { isUp, type TruthMoment } from '../world.ts';
import { attemptKey, type ServiceBook } from './books.ts';
import { isDoubtful, isLeaving } from './doubtful.ts';
import { counted as countedExits, type ExitNote, exitNote, windowOf } from './exits.ts';
import type { ReportedInstance } from './report-items.ts';
import type { OracleEntry, OracleInstance, Sight } from './views.ts';

/** The conditions for calling an attempt running: taken from committed rows, not from anyone's facts. */
export interface RunningConditions {
  readonly revision: RevisionRow;
  readonly attempt: number;
  readonly replicas: number;
  readonly digest: string | null;
  readonly port: boolean;
  readonly observe: boolean;
  readonly appliedAt: number | null;
  /** Reports received until then did not know of the apply. */
  readonly countsReportsAfter: number;
}

export function wantedOf(
  book: ServiceBook,
  revision: RevisionRow,
  attempt: number,
  sight: Sight | null,
): RunningConditions {
  const { origin } = revision;
  const built = book.artifacts.get(revision.revision);
  const applied = book.applied.get(attemptKey(revision.revision, attempt));
  const observe = origin.kind === 'observe';
  let digest: string | null = null;
  if (origin.kind === 'source') digest = built?.digest ?? null;
  else if (origin.kind === 'artifact') digest = origin.digest;
  else if (origin.kind === 'image')
    digest = digestOf(origin.image) ?? digestOf(applied?.artifact ?? null, true);
  return {
    revision,
    attempt,
    replicas: observe ? (sight?.entry?.replicas ?? revision.replicas) : revision.replicas,
    digest,
    port: isRouted(book, revision, built?.port ?? null),
    observe,
    appliedAt: applied?.at ?? null,
    countsReportsAfter: Math.max(
      applied?.at ?? Number.NEGATIVE_INFINITY,
      applied?.lastReceivedAt ?? Number.NEGATIVE_INFINITY,
    ),
  };
}

/**
 * By what was asked, not by what was made of it: a port left to be found is what the build of these bytes had found
 * when the intent was recorded; a plan that comes later changes no revision.
 */
function isRouted(book: ServiceBook, row: RevisionRow, built: number | null): boolean {
  const { spec, origin, revision } = row;
  const { port = 'auto' } = spec;
  if (port !== 'auto') return port !== null;
  if (origin.kind === 'source') return built !== null;
  if (origin.kind !== 'artifact') return false;
  const { digest } = origin;
  const asked = book.intents.get(revision)?.position ?? Number.POSITIVE_INFINITY;
  let found = false;
  for (const plan of book.artifacts.values())
    if (plan.digest === digest && plan.port !== null && plan.position < asked) found = true;
  return found && DERIVED.has(row.kind) && hasUnrouted(book, digest, revision) ? row.port !== null : found;
}

/** Kinds of revision that keep the port of the one they derive from, even if the build's plan came later. */
const DERIVED: ReadonlySet<string> = new Set(['restart', 'scale', 'rollback']);

function hasUnrouted({ revisions }: ServiceBook, digest: string, below: number): boolean {
  for (const { revision, origin, port } of revisions.values())
    if (revision < below && origin.kind === 'artifact' && origin.digest === digest && port === null)
      return true;
  return false;
}

/** The digest that a reference pins; a bare one counts where it is known to be a digest. */
function digestOf(artifact: string | null, bare = false): string | null {
  if (artifact === null) return null;
  return IMAGE_DIGEST.exec(artifact)?.[1] ?? (bare ? artifact : null);
}

/** The running contract as the reports show it. */
interface OracleReading {
  /** Null: all of it holds, stable. Else the first thing that does not. */
  readonly missing: string | null;
  /** The instances that are counted: as many as wanted, longest steady first. */
  readonly counted: readonly OracleInstance[];
}

export function oracleReading(wanted: RunningConditions, sight: Sight | null): OracleReading {
  const counted: OracleInstance[] = [];
  if (sight === null) return { missing: 'no accepted report covers the service', counted };
  const no = (missing: string): OracleReading => ({ missing, counted });
  if (sight.corrupt) return no('an item about it could not be read');
  if (!wanted.observe && wanted.appliedAt === null)
    return no('no runtime.applied was admitted for this attempt');
  if (wanted.replicas === 0) return no('nothing is wanted, and an empty set proves nothing');
  for (const i of sight.instances) {
    if (!isStamped(wanted, i) || isLeaving(i)) continue;
    if (isDoubtful(i)) return no(`${i.uid} cannot be judged (${i.phase}, ${i.reason})`);
    if (i.phase !== 'running' || !i.ready) continue;
    if (isIntended(wanted, i)) counted.push(i);
  }
  if (counted.length < wanted.replicas)
    return no(`${counted.length} of ${wanted.replicas} are ready as intended`);
  const { entry } = sight;
  if (entry?.generationBehind) return no('the observed generation is behind');
  if (wanted.observe && entry?.isContradicted) return no('the counts of the cluster say less');
  if (wanted.observe && hasTwoDigests(sight.instances.filter((i) => isStamped(wanted, i) && !isLeaving(i))))
    return no('its copies run two digests');
  if (wanted.port && !routeAnswers(wanted, entry)) return no('the route does not answer for it');
  const looping = crashLoop(wanted, sight);
  if (looping !== null) return no(`${looping.uid} exits again and again`);
  const { stabilityMs } = wanted.revision;
  const windowIn = (i: OracleInstance) => windowOf(noteIn(sight, i)?.at ?? [], stabilityMs);
  const steadyAt = (i: OracleInstance) => i.since + windowIn(i);
  counted.sort((a, b) => steadyAt(a) - steadyAt(b));
  counted.length = wanted.replicas;
  const last = counted[wanted.replicas - 1];
  if (last === undefined || wholeAsOf(sight) < steadyAt(last))
    return no(
      `${last?.uid} was shown for ${wholeAsOf(sight) - (last?.since ?? 0)} ms of the ${last && windowIn(last)} that make it stable`,
    );
  const since = Math.max(
    wanted.appliedAt ?? Number.NEGATIVE_INFINITY,
    steadyEntry(wanted, sight)?.since ?? Number.NEGATIVE_INFINITY,
    ...sight.doubts.map((d) => (isStamped(wanted, d) ? d.until : Number.NEGATIVE_INFINITY)),
  );
  const shown = wholeAsOf(sight) - since;
  if (shown < stabilityMs)
    return no(`it was shown for ${shown} ms of the ${stabilityMs} that make it stable`);
  return { missing: null, counted };
}

/** It shows copies that cannot be judged, or contradicts itself: then what was known before still is. */
export function isUnjudged(wanted: RunningConditions, sight: Sight | null): boolean {
  const own = sight?.instances.filter((i) => isStamped(wanted, i) && !isLeaving(i)) ?? [];
  if (own.some(isDoubtful)) return true;
  return wanted.observe && (sight?.entry?.isContradicted === true || hasTwoDigests(own));
}

/** Copies of one template that run different bytes under one name. */
function hasTwoDigests(instances: readonly ReportedInstance[]): boolean {
  const seen = new Map<string, string>();
  for (const { digests } of instances)
    for (const [name, digest] of digests) {
      if ((seen.get(name) ?? digest) !== digest) return true;
      seen.set(name, digest);
    }
  return false;
}

/**
 * The entry since which none showed anything contrary; null where none is asked for. A route matters if there is a port,
 * and may move between stamps that count; what another tool wants has to stay the same. A generation may be left out:
 * that it was not told before the first entry is nothing contrary.
 */
export function steadyEntry(wanted: RunningConditions, { entry, entries }: Sight): OracleEntry | null {
  if (!wanted.port && !entry?.hasGeneration) return null;
  const isContrary = ({ entry: shown }: OracleEntry) =>
    shown?.generationBehind ||
    (wanted.port && !routeAnswers(wanted, shown)) ||
    (wanted.observe && shown?.template !== entry?.template);
  const first = entries.findLastIndex(isContrary) + 1;
  return first === 0 && !wanted.port && !wanted.observe ? null : (entries[first] ?? null);
}

const RANKS: { readonly [phase: string]: number } = {
  pending: 1,
  exited: 1,
  failed: 1,
  starting: 2,
  running: 3,
};

/**
 * Progress of the active attempt: more instances ready, or a phase further on, than any report showed before. Noted
 * with every report that changes something, and when it was applied: what was observed until then is no progress
 * after it.
 */
export function noteProgress(book: ServiceBook, at: number): void {
  const { revision, attempt } = book.active;
  const row = book.revisions.get(revision);
  const sight = book.view.sight(book.service);
  if (row === undefined || sight === null) return;
  const wanted = wantedOf(book, row, attempt, sight);
  // With no replicas wanted, no instance that comes up is progress.
  if (wanted.replicas === 0) return;
  let [ready, furthest] = [0, 0];
  for (const i of sight.instances) {
    if (!isStamped(wanted, i) || isLeaving(i)) continue;
    const up = i.phase === 'running' && i.ready;
    furthest = Math.max(furthest, up ? 4 : (RANKS[i.phase] ?? 0));
    if (up && isIntended(wanted, i)) ready++;
  }
  const stamp = attemptKey(revision, attempt);
  const best = book.progress.findLast((p) => p.stamp === stamp) ?? { ready: 0, furthest: 0 };
  if (ready <= best.ready && furthest <= best.furthest) return;
  book.progress.push({
    stamp,
    at,
    ready: Math.max(ready, best.ready),
    furthest: Math.max(furthest, best.furthest),
  });
}

/**
 * A crash loop: three exits of an instance within ten minutes, or a runtime that calls it one, until it has held its
 * window (F113). What was shown before the apply was recorded has to be reported again: a heartbeat may overtake that
 * record.
 */
export function crashLoop(wanted: RunningConditions, sight: Sight): OracleInstance | null {
  for (const i of sight.instances) {
    if (!isStamped(wanted, i) || isLeaving(i) || isSteady(wanted, sight, i)) continue;
    if (Math.max(i.firstReceivedAt, sight.lastReceivedAt) <= wanted.countsReportsAfter) continue;
    const note = noteIn(sight, i);
    const exits = note === undefined || note.outlived ? 0 : countedExits(note.at).length;
    if (i.reason === 'crash_loop' || exits >= 3) return i;
  }
  return null;
}

/** Some instance that counts for the attempt has held its window. */
export const hasSteady = (wanted: RunningConditions, sight: Sight): boolean =>
  sight.instances.some(
    (i) => isStamped(wanted, i) && !isLeaving(i) && isIntended(wanted, i) && isSteady(wanted, sight, i),
  );

function isSteady({ revision }: RunningConditions, sight: Sight, i: OracleInstance): boolean {
  const windowMs = windowOf(noteIn(sight, i)?.at ?? [], revision.stabilityMs);
  return i.phase === 'running' && i.ready && i.asOf - i.since >= windowMs;
}

const noteIn = ({ exits, instances }: Sight, i: OracleInstance): ExitNote | undefined =>
  exitNote(exits, i, instances);

/** No deadline runs: nothing but the window is missing, or others are steady beside a crash loop. */
function isUnhurried(wanted: RunningConditions, sight: Sight): boolean {
  if (crashLoop(wanted, sight) !== null) return hasSteady(wanted, sight);
  const settled = { ...sight, asOf: Number.POSITIVE_INFINITY, entryAsOf: Number.POSITIVE_INFINITY };
  const instances = sight.instances.map((i) => ({ ...i, asOf: Number.POSITIVE_INFINITY }));
  return oracleReading(wanted, { ...settled, instances }).missing === null;
}

/** Notes since when no deadline runs, and until when none did. */
export function notePause(book: ServiceBook, at: number): void {
  const row = book.revisions.get(book.active.revision);
  const sight = book.view.sight(book.service);
  const isPaused =
    row !== undefined &&
    sight !== null &&
    isUnhurried(wantedOf(book, row, book.active.attempt, sight), sight);
  if (isPaused) book.pausedSince ??= at;
  else if (book.pausedSince !== null) {
    book.pauses.push({ from: book.pausedSince, to: at });
    book.pausedSince = null;
  }
}

/** The longest window that anything in sight has to hold. */
export const longestWindow = ({ exits }: Sight, stabilityMs: number): number =>
  exits.reduce((ms, { at }) => Math.max(ms, windowOf(at, stabilityMs)), stabilityMs);

/** A partial report refreshes only what it names: together, what is known is as old as the oldest of it. */
export function wholeAsOf({ asOf, instances, entry, entryAsOf }: Sight): number {
  return Math.min(asOf, ...instances.map((i) => i.asOf), entry === null ? asOf : entryAsOf);
}

function isStamped(
  { revision, attempt, observe }: RunningConditions,
  i: ReportedStamp & { template: string | null },
): boolean {
  if (observe) return revision.template !== null && i.template === revision.template;
  return i.attempt !== null && accepts(revision, attempt, i);
}

function isIntended({ observe, digest }: RunningConditions, { artifact }: ReportedInstance): boolean {
  return observe || (digest !== null && (digestOf(artifact) ?? artifact) === digest);
}

interface ReportedStamp {
  readonly revision: number | null;
  readonly attempt: number | null;
}

/** Its own stamp, or for a `scale` one of those that it keeps. A route may leave the attempt out. */
function accepts(revision: RevisionRow, attempt: number, stamp: ReportedStamp): boolean {
  if (stamp.revision === revision.revision && (stamp.attempt ?? attempt) === attempt) return true;
  return revision.accepts.some(
    (a) => a.revision === stamp.revision && a.attempt === (stamp.attempt ?? a.attempt),
  );
}

function routeAnswers(wanted: RunningConditions, route: Sight['entry']): boolean {
  if (route === null || !route.answers) return false;
  return wanted.observe || accepts(wanted.revision, wanted.attempt, route);
}

/** True if one moment of the world satisfies the running contract; stability aside. */
export function isTrue(wanted: RunningConditions, truth: TruthMoment): boolean {
  let ready = 0;
  for (const i of truth.instances) {
    if (!isUp(i) || !isStamped(wanted, i)) continue;
    if (wanted.observe || i.artifact === wanted.digest) ready++;
  }
  if (ready < wanted.replicas || wanted.replicas === 0) return false;
  if (truth.generation !== null && truth.generation.observed < truth.generation.desired) return false;
  return !wanted.port || answers(wanted, truth.route);
}

/** True if the stamp that the route names counts as this attempt's. */
export function answers(wanted: RunningConditions, route: TruthMoment['route']): boolean {
  return route !== null && (wanted.observe || accepts(wanted.revision, wanted.attempt, route));
}
