import { compareDigits } from '../contract/digits.ts';
import type { RevisionIntent } from '../contract/intent.ts';
import { IMAGE_DIGEST } from '../contract/names.ts';
import type { ReasonDetails, ServiceEntry } from '../contract/report.ts';
import type { CauseCode, RuntimeReason, Stage } from '../contract/vocabulary.ts';
import { type Memory, memoryOf } from './exits.ts';
import type { Observed, ObservedInstance, ObservedPart, RevisionFacts, SteadyEntry } from './facts.ts';
import {
  type InstanceOpaqueness,
  type InstanceStamp,
  isBehind,
  isCounted,
  isReady,
  opaquenessOf,
} from './instances.ts';
import { isRuntimeReason, ONE_COPY, RUNTIME_REASON_TABLE } from './runtime-reasons.ts';
import { workloadFate } from './workload-seen.ts';

/** A condition of the running contract that does not hold: the stage that it stops, and why. */
export interface UnmetCondition {
  readonly stage: Stage;
  readonly cause: CauseCode;
  /** The name of the instance that it is about, where the cause is about one. */
  readonly instance?: string;
  /** The details that the runtime reports with the cause. */
  readonly details?: ReasonDetails;
}

/** A runtime's name for an instance: no free text reaches a sentence (S15). */
export const INSTANCE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** The running contract as the observation shows it, fresh or not. */
export interface ContractReading {
  /** Everything holds, and a later report has shown the same for the stability window (S1). */
  readonly held: boolean;
  /** Another tool deploys it. */
  readonly isObserveMode: boolean;
  readonly ready: number;
  readonly wanted: number;
  /** The rank of the furthest instance of this attempt. */
  readonly furthest: number;
  /** The observation is about this attempt: it shows instances of it, or it is as of an instant after the apply. */
  readonly showsAttempt: boolean;
  /** The first condition that is not met; null when only stability is missing, or nothing. */
  readonly unmet: UnmetCondition | null;
  /** The instances of the attempt that have held their windows. */
  readonly steady: number;
  /** The worst instance in a crash loop (F113). */
  readonly loop: Memory | null;
  /** An instance that exited and has not held its window since, where nothing else is missing. */
  readonly unsteady: Memory | null;
  /** Set if the observation cannot be judged at all. */
  readonly opaque: InstanceOpaqueness | 'contradictory' | null;
  readonly present: number;
  /** The fate of the last Job of a CronJob. Its pods end when they are done, and are not counted. */
  readonly job: NonNullable<ServiceEntry['job']> | null;
  /** It ended badly, and nothing starts it again. */
  readonly isOver: boolean;
  /** Nothing is missing but time that whoever deploys it asks for: no deadline runs. */
  readonly isUnhurried: boolean;
  /** Copies that keep an older template on purpose: they are shown with the others, and judged by whoever reports them. */
  readonly heldBack: NonNullable<ServiceEntry['heldBack']> | null;
  /** Since when a change of it waits until somebody resumes its rollout. */
  readonly changeWaitsSince: number | null;
  /** The doubt that its target reports of what looks ready. */
  readonly contradiction: NonNullable<ServiceEntry['contradiction']> | null;
  /** The port speaks no HTTP, so that the route was found to accept connections, and no more. */
  readonly byConnecting: boolean;
  /** A ready instance rests on the word of its node alone: nobody asked the app itself. */
  readonly byNode: boolean;
  /** The end of the certificate for https, where it is near. */
  readonly certificateEnds: string | null;
  /** Every instance shows a reason that time does not mend: since when, and how long that is watched before it fails. */
  readonly hopeless: { readonly since: number; readonly patienceMs: number } | null;
  /** Scopes that have not been observed long enough to prove a ready instance stable, should it be needed. */
  readonly unstableScopes: readonly string[];
}

const PHASE_RANK = {
  unknown: 0,
  stopping: 0,
  pending: 1,
  exited: 1,
  failed: 1,
  starting: 2,
  running: 3,
} as const;

/** The last reading of each observation. Time changes none, and a service is judged at several instants in a row. */
const LAST_READINGS = new WeakMap<
  Observed,
  { readonly intent: RevisionIntent; readonly facts: RevisionFacts; readonly reading: ContractReading }
>();

export function readContract(
  intent: RevisionIntent,
  facts: RevisionFacts,
  observed: Observed,
): ContractReading {
  const last = LAST_READINGS.get(observed);
  if (last?.intent === intent && last.facts === facts) return last.reading;
  const reading = contractIn(intent, facts, observed);
  LAST_READINGS.set(observed, { intent, facts, reading });
  return reading;
}

function contractIn(intent: RevisionIntent, facts: RevisionFacts, observed: Observed): ContractReading {
  const { instances, entry, entryPart } = combine(observed);
  // In observe mode the live number of replicas is the wanted one (F76).
  // mutant: replicas-wanted
  const wanted = intent.origin.kind === 'observe' ? wantedThere(intent, observed, entry) : intent.replicas;
  const matching = instances.filter((i) => stampMatches(intent, facts, i));
  const counted = matching.filter(isCounted);
  const ready = counted.filter(isReady);
  const digest = intendedDigest(intent, facts);
  const verified =
    intent.origin.kind === 'observe'
      ? ready
      : /* mutant: own-digest */ ready.filter((i) => digest !== null && digestOf(i.artifact) === digest);
  const port = hasPort(intent, facts);

  const ofAttempt = {
    matching,
    counted,
    ready: ready.length,
    verified: verified.length,
    wanted,
    entry,
    port,
  };
  const unmet = firstUnmet(intent, facts, ofAttempt);
  const furthest = counted.reduce((rank, i) => Math.max(rank, isReady(i) ? 4 : PHASE_RANK[i.phase]), 0);
  const memories = memoriesOf(intent, facts, observed, counted);
  const loop = worstOf(memories.filter(({ isLooping }) => isLooping));
  const proven = memories.filter(({ instance }) => verified.includes(instance));
  const job = entry?.job ?? null;
  const opaque =
    opaqueness(counted) ??
    runOpaqueness(entry) ??
    (unmet === null && wanted > 0 ? contradiction(intent, entry, counted) : null);
  const unsteady = unmet === null ? worstOf(proven.filter(({ isUnsteady }) => isUnsteady)) : null;
  const mayHold = unmet === null && wanted > 0 && opaque === null && loop === null;
  const held = mayHold && isStable({ intent, facts, observed, windows: proven, wanted, entryPart, port });
  const isBack = mayHold && !held && unsteady === null && comesFromDoubt(intent, facts, observed);
  return {
    held,
    isObserveMode: intent.origin.kind === 'observe',
    ready: job === null ? verified.length : unmet === null ? wanted : 0,
    wanted,
    furthest,
    showsAttempt: counted.length > 0 || isObservedSinceApply(facts, observed),
    unmet,
    steady: proven.filter(({ isSteady }) => isSteady).length,
    loop,
    unsteady,
    opaque: isBack ? 'runtime_unreachable' : opaque,
    present: instances.length,
    job,
    isOver: unmet !== null && entry?.isOver === true,
    isUnhurried: isOfNoHurry(unmet) || onlyWaits(counted, wanted),
    heldBack: entry?.heldBack ?? null,
    changeWaitsSince: entry?.changeWaits ? (entryPart?.entries.at(-1)?.steady.since ?? null) : null,
    contradiction: entry?.contradiction ?? null,
    byConnecting: entry?.route?.by === 'connect',
    certificateEnds: entry?.route?.certificate?.endsSoon ? entry.route.certificate.notAfter : null,
    byNode: verified.some(({ saidBy, probed }) => saidBy === 'kubelet' && !probed),
    hopeless: hopelessSince(counted),
    unstableScopes: unstableScopesIn(observed, proven),
  };
}

/**
 * It held until it could not be judged, and is as it was from the first report that can be judged on: what was never seen
 * broken is not called so while its window begins anew (F73).
 */
function comesFromDoubt(intent: RevisionIntent, facts: RevisionFacts, observed: Observed): boolean {
  if (facts.attempt.held === null || observed.lastJudged !== 'held') return false;
  return observed.parts.some(({ cleared, asOf }) =>
    cleared.some((c) => stampMatches(intent, facts, c) && asOf < c.steady.since + intent.stabilityMs),
  );
}

/** Nothing is wanted of what somebody has removed or suspended. */
function wantedThere(intent: RevisionIntent, observed: Observed, entry: ServiceEntry | null): number {
  if (workloadFate(observed) === 'removed' || entry?.job === 'suspended') return 0;
  return entry?.replicas ?? intent.replicas;
}

/** It is ready, and its workload wants it to be so for a while before it counts. */
const waitsToCount = (i: ObservedInstance): boolean =>
  i.phase === 'running' && !i.ready && i.countsFrom != null;

const onlyWaits = (counted: readonly ObservedInstance[], wanted: number): boolean =>
  counted.some(waitsToCount) && counted.filter((i) => isReady(i) || waitsToCount(i)).length >= wanted;

/** The copies that are ready and wanted, of whatever template, as people count them. */
export function shownCopies({ ready, wanted, heldBack }: ContractReading): {
  readonly ready: number;
  readonly wanted: number;
} {
  return heldBack === null ? { ready, wanted } : { ready: ready + heldBack.ready, wanted: heldBack.declared };
}

/** The last of the instances to show such a reason counts: until then one of them might have become ready. */
function hopelessSince(counted: readonly ObservedInstance[]): ContractReading['hopeless'] {
  let last: ContractReading['hopeless'] = null;
  for (const { reason, steady, phase } of counted) {
    const row = reason != null && isRuntimeReason(reason) ? RUNTIME_REASON_TABLE[reason] : null;
    const patienceMs = row !== null && 'patienceMs' in row ? row.patienceMs : null;
    if (patienceMs === null || phase !== 'running') return null;
    const isLater = last === null || steady.since + patienceMs > last.since + last.patienceMs;
    if (isLater) last = { since: steady.since, patienceMs };
  }
  return last;
}

/** The memories of the counted instances, by the newest recorded report of each. */
function memoriesOf(
  { stabilityMs }: RevisionIntent,
  facts: RevisionFacts,
  observed: Observed,
  counted: readonly ObservedInstance[],
): readonly Memory[] {
  const isAmong = new Set(counted);
  return observed.parts.flatMap((part) => {
    const isSince = isRecordedSinceApplied(facts, part);
    return part.instances
      .filter((i) => isAmong.has(i))
      .map((i) => {
        const memory = memoryOf(observed, i, part.asOf, stabilityMs);
        return isSince ? memory : { ...memory, isLooping: false };
      });
  });
}

/** The one that exited most often; of several, the first by name. */
function worstOf(memories: readonly Memory[]): Memory | null {
  const order = (a: Memory, b: Memory) =>
    b.exits - a.exits ||
    (`${a.instance.name}/${a.instance.uid}` < `${b.instance.name}/${b.instance.uid}` ? -1 : 1);
  return memories.toSorted(order)[0] ?? null;
}

/** Combines all scopes: the newest observation of each instance by its uid (F67), the newest entry of the service. */
function combine(observed: Observed): {
  instances: readonly ObservedInstance[];
  entry: ServiceEntry | null;
  entryPart: ObservedPart | null;
} {
  const [only, ...more] = observed.parts;
  if (only === undefined) return { instances: [], entry: null, entryPart: null };
  if (more.length === 0)
    return { instances: only.instances, entry: only.entry, entryPart: only.entry === null ? null : only };
  const newestFirst = [...observed.parts].sort((a, b) => b.asOf - a.asOf || (a.scope < b.scope ? -1 : 1));
  const byUid = new Map<string, ObservedInstance>();
  for (const part of newestFirst) for (const i of part.instances) if (!byUid.has(i.uid)) byUid.set(i.uid, i);
  const entryPart = newestFirst.find((p) => p.entry !== null) ?? null;
  return { instances: [...byUid.values()], entry: entryPart?.entry ?? null, entryPart };
}

export function observedInstances(observed: Observed): readonly ObservedInstance[] {
  return combine(observed).instances;
}

export function observedEntry(observed: Observed): ServiceEntry | null {
  return combine(observed).entry;
}

/** The template of a revision in observe mode; null while its tool has made none. */
export const templateOf = (
  { template }: Pick<RevisionIntent, 'template'>,
  { adopted }: Pick<RevisionFacts, 'adopted'>,
): string | null => template ?? adopted?.template ?? null;

/** An instance counts for the revision and attempt stamped on it, and for no other (S1, F69). */
function stampMatches(intent: RevisionIntent, facts: RevisionFacts, i: InstanceStamp): boolean {
  const template = templateOf(intent, facts);
  // mutant: own-template
  if (intent.origin.kind === 'observe') return template !== null && i.template === template;
  // mutant: own-revision
  if (i.revision === intent.revision && i.attempt === facts.attempt.attempt) return true;
  // mutant: scale-base
  return intent.accepts.some((s) => s.revision === i.revision && s.attempt === i.attempt);
}

/** For an image named by tag the digest comes with `runtime.applied`; until then nothing is verified (F71). */
export function intendedDigest(intent: RevisionIntent, facts: RevisionFacts): string | null {
  switch (intent.origin.kind) {
    case 'source':
      return facts.artifact?.digest ?? null;
    case 'artifact':
      return intent.origin.digest;
    case 'image':
      return IMAGE_DIGEST.exec(intent.origin.image)?.[1] ?? digestOf(facts.attempt.applied?.artifact ?? null);
    case 'observe':
    case 'none':
      return null;
  }
}

function digestOf(artifact: string | null): string | null {
  if (artifact === null) return null;
  return IMAGE_DIGEST.exec(artifact)?.[1] ?? artifact;
}

export function hasPort(intent: RevisionIntent, facts: RevisionFacts): boolean {
  return intent.port === 'auto' ? (facts.artifact?.port ?? null) !== null : intent.port !== null;
}

/** The observed instances of this attempt, counted. */
interface AttemptInstances {
  /** The instances with its stamp; `counted` are those that are not on their way out. */
  readonly matching: readonly ObservedInstance[];
  readonly counted: readonly ObservedInstance[];
  readonly ready: number;
  readonly verified: number;
  readonly wanted: number;
  readonly entry: ServiceEntry | null;
  readonly port: boolean;
}

function firstUnmet(
  intent: RevisionIntent,
  facts: RevisionFacts,
  ofAttempt: AttemptInstances,
): UnmetCondition | null {
  const { ready, verified, wanted, entry, port } = ofAttempt;
  if (entry?.job != null) return runUnmet(entry);
  if (ready < wanted) return worst(ofAttempt.counted) ?? tooFew(facts, ofAttempt);
  if (verified < wanted) return { stage: 'image', cause: 'image_unverified' };
  return entryUnmet(intent, facts, entry, port);
}

/**
 * A run that has not finished proves nothing: until it has, the one before counts, unless this one is seen not to get on.
 * One that never was proves nothing either, and something may keep it from beginning.
 */
function runUnmet({ job, jobBefore, reason }: ServiceEntry): UnmetCondition | null {
  const last = job === 'active' ? (jobBefore ?? null) : job;
  if (last === 'failed') return { stage: 'start', cause: 'job_failed' };
  if ((job === 'active' || job === 'none') && reason != null && isRuntimeReason(reason))
    return { stage: RUNTIME_REASON_TABLE[reason].stage, cause: reason };
  if (last !== 'none') return null;
  return { stage: 'start', cause: job === 'active' ? 'first_run' : 'not_run_yet' };
}

/** The run that is under way is on a silent node: nobody can tell whether it gets on. A failure before it stays known. */
const runOpaqueness = (entry: ServiceEntry | null): InstanceOpaqueness | null =>
  entry?.job === 'active' && entry.jobBefore !== 'failed' && entry.reason === 'node_lost'
    ? 'runtime_unreachable'
    : null;

const OF_NO_HURRY: ReadonlySet<CauseCode> = new Set(['first_run', 'not_run_yet', 'rollout_paused']);

/** Nothing is late: a schedule, a long run or a person takes its time. */
export const isOfNoHurry = (unmet: UnmetCondition | null): boolean =>
  unmet !== null && OF_NO_HURRY.has(unmet.cause);

function entryUnmet(
  intent: RevisionIntent,
  facts: RevisionFacts,
  entry: ServiceEntry | null,
  port: boolean,
): UnmetCondition | null {
  // mutant: generation
  if (isBehind(entry)) return { stage: 'scheduling', cause: 'generation_behind' };
  // mutant: route-answers
  if (port && !routeAnswers(intent, facts, entry))
    return { stage: 'route', cause: routeReason(entry) ?? 'route_silent' };
  // It answers, though not at every address that is listed.
  const reason = port ? routeReason(entry) : null;
  return reason === null ? null : { stage: 'route', cause: reason };
}

/** A reason that is no route's says nothing about one. */
function routeReason(entry: ServiceEntry | null): RuntimeReason | null {
  const reason = entry?.route?.reason;
  if (reason == null || !isRuntimeReason(reason)) return null;
  return RUNTIME_REASON_TABLE[reason].stage === 'route' ? reason : null;
}

/** Every instance is ready, and there are too few. */
function tooFew({ attempt }: RevisionFacts, { matching, counted, entry }: AttemptInstances): UnmetCondition {
  const missing = entry?.reason;
  if (missing != null && isRuntimeReason(missing))
    return { stage: RUNTIME_REASON_TABLE[missing].stage, cause: missing };
  if (isBehind(entry)) return { stage: 'scheduling', cause: 'generation_behind' };
  const leaving = matching.find((i) => !counted.includes(i));
  const ended = attempt.held === null ? 'not_scheduled' : 'instances_gone';
  const cause = leaving === undefined ? ended : leaving.reason === 'drifted' ? 'drifted' : 'terminating';
  return { stage: 'scheduling', cause };
}

function routeAnswers(intent: RevisionIntent, facts: RevisionFacts, entry: ServiceEntry | null): boolean {
  const route = entry?.route;
  if (!route?.answers) return false;
  if (intent.origin.kind === 'observe') return true;
  if (
    route.revision === intent.revision &&
    (route.attempt ?? facts.attempt.attempt) === facts.attempt.attempt
  )
    return true;
  return intent.accepts.some(
    (s) => s.revision === route.revision && s.attempt === (route.attempt ?? s.attempt),
  );
}

/** The worst instance explains the rest: an ended one explains more than one that has not started. */
function worst(counted: readonly ObservedInstance[]): UnmetCondition | null {
  let found: UnmetCondition | null = null;
  let weight = -1;
  for (const i of counted) {
    if (isReady(i)) continue;
    const unmet = unmetOf(i);
    const own = waitsToCount(i)
      ? 0
      : (i.phase === 'exited' || i.phase === 'failed' ? 10 : 0) + PHASE_RANK[i.phase];
    if (own > weight) [found, weight] = [unmet, own];
  }
  return found;
}

function unmetOf(i: ObservedInstance): UnmetCondition {
  const reason = i.reason && isRuntimeReason(i.reason) ? i.reason : null;
  switch (i.phase) {
    case 'pending':
    case 'stopping':
    case 'unknown':
      return {
        stage: reason?.startsWith('image_') ? 'image' : 'scheduling',
        cause: reason ?? 'not_scheduled',
        ...detailed(i),
      };
    case 'starting':
    case 'exited':
    case 'failed': {
      const cause = reason ?? (i.phase === 'starting' ? 'not_started' : 'exited');
      return { stage: 'start', cause, ...detailed(i) };
    }
    case 'running':
      if (waitsToCount(i)) return { stage: 'readiness', cause: 'settling' };
      return { stage: 'readiness', cause: reason ?? sidecar(i) ?? 'not_ready', ...named(i), ...detailed(i) };
  }
}

export const detailed = ({ details }: ObservedInstance): Pick<UnmetCondition, 'details'> =>
  details == null ? {} : { details };

function named({ name, reason }: ObservedInstance): Pick<UnmetCondition, 'instance'> {
  // mutant: copy-named
  return isOfOneCopy(reason) && INSTANCE_NAME.test(name) ? { instance: name } : {};
}

/** Reasons whose sentence is about one instance. */
const isOfOneCopy = (reason: string | null | undefined) =>
  reason != null && isRuntimeReason(reason) && RUNTIME_REASON_TABLE[reason].user.startsWith(ONE_COPY);

function sidecar(i: ObservedInstance): CauseCode | null {
  const broken = i.containers.find((c) => !c.ready && (c.kind === 'init' || c.kind === 'sidecar'));
  return broken === undefined ? null : broken.kind === 'init' ? 'init_failed' : 'sidecar_failed';
}

function opaqueness(counted: readonly ObservedInstance[]): ContractReading['opaque'] {
  for (const i of counted) {
    const opaque = opaquenessOf(i);
    if (opaque !== null) return opaque;
  }
  return null;
}

/**
 * Doubts an otherwise green workload of another tool that contradicts itself: copies of one template run two digests, or
 * the cluster's own counts have said less than the instances for a while. Counts weaken a claim and never strengthen it.
 */
function contradiction(
  { origin }: RevisionIntent,
  entry: ServiceEntry | null,
  counted: readonly ObservedInstance[],
): 'contradictory' | null {
  if (origin.kind !== 'observe') return null;
  // mutant: counts-weaken
  if (entry?.contradiction != null) return 'contradictory';
  const digests = new Map<string, string>();
  for (const { containers } of counted)
    for (const { name, digest, kind } of containers) {
      if (digest == null || kind === 'ephemeral') continue;
      // mutant: two-digests
      if ((digests.get(name) ?? digest) !== digest) return 'contradictory';
      digests.set(name, digest);
    }
  return null;
}

/** An observation that satisfies the contract now. */
interface SatisfiedContract {
  readonly intent: RevisionIntent;
  readonly facts: RevisionFacts;
  readonly observed: Observed;
  /** The ready instances that count, as many as `wanted` or more. */
  readonly windows: readonly Memory[];
  readonly wanted: number;
  /** The part with the newest entry of the service. */
  readonly entryPart: ObservedPart | null;
  /** The contract needs a route. */
  readonly port: boolean;
}

/**
 * Stability by proof: a report whose `asOf` is at least the window after the first that satisfied the
 * contract, with the same instances and no restart between; an instance that exited has a longer window (F113). A clock
 * alone never proves stability.
 */
function isStable({ intent, facts, observed, windows, wanted, entryPart, port }: SatisfiedContract): boolean {
  const ends = windows.map(({ instance, windowMs }) => instance.steady.since + windowMs);
  const isCounting = entryPart?.entry?.job == null;
  const end = isCounting ? (ends.sort((a, b) => a - b)[wanted - 1] ?? Number.POSITIVE_INFINITY) : 0;
  const since = Math.max(
    facts.attempt.applied?.at ?? 0,
    entrySince(intent, facts, entryPart, port),
    ...observed.parts.flatMap(({ cleared }) =>
      cleared.map((c) => (stampMatches(intent, facts, c) ? c.steady.since : 0)),
    ),
  );
  const saying = contributing(observed);
  if (!saying.every((part) => isRecordedSinceApplied(facts, part))) return false;
  const asOf = saying.reduce((min, p) => Math.min(min, p.asOf), Number.POSITIVE_INFINITY);
  // mutant: stability
  return asOf >= Math.max(end, since + intent.stabilityMs);
}

/** A single scope is observed anew by every row; of several, each leaves a row once it is observed again. */
function unstableScopesIn({ parts }: Observed, verified: readonly Memory[]): readonly string[] {
  if (parts.length < 2) return [];
  const young = new Set(verified.filter(({ isSteady }) => !isSteady).map(({ instance }) => instance));
  const isYoung = ({ instances }: ObservedPart) => instances.some((i) => young.has(i));
  return parts.filter(isYoung).map(({ scope }) => scope);
}

/**
 * The first report since which every entry satisfies the contract. A route that the contract does not need, or that moves
 * between stamps which count, is not contrary. In observe mode the entry itself says which template is wanted; another
 * number of copies is not contrary, because each instance proves a window of its own.
 */
function entrySince(
  intent: RevisionIntent,
  facts: RevisionFacts,
  part: ObservedPart | null,
  port: boolean,
): number {
  if (part === null || !(port || part.entry?.generation)) return 0;
  const observe = intent.origin.kind === 'observe';
  const isContrary = ({ entry }: SteadyEntry) =>
    entryUnmet(intent, facts, entry, port) !== null || (observe && entry?.template !== part.entry?.template);
  // mutant: route-steady
  const first = part.entries.findLastIndex(isContrary) + 1;
  const steady = part.entries[first]?.steady;
  // The first entry ever: before it a route or a template was missing, while a generation need not be reported.
  if (first === 0 && steady?.contrary.length === 0 && !port && !observe) return 0;
  return steady?.since ?? 0;
}

/** A row that was recorded before the apply proves nothing about it. */
function isRecordedSinceApplied({ attempt: { applied } }: RevisionFacts, { mark }: ObservedPart): boolean {
  return applied === null || compareDigits(mark.position, applied.position) > 0;
}

/**
 * Decides by the recorded row, so that a past instant has the same answer: the first such report leaves a
 * row, however calm it is.
 */
function isObservedSinceApply(facts: RevisionFacts, { parts }: Observed): boolean {
  const { applied, held } = facts.attempt;
  if (applied === null || held !== null) return true;
  return parts.some((part) => part.asOf >= applied.at && isRecordedSinceApplied(facts, part));
}

/** The scopes that show anything of the service: an empty one neither ages nor refreshes it. */
export function contributing(observed: Observed): readonly ObservedPart[] {
  if (observed.parts.length < 2) return observed.parts;
  const saying = observed.parts.filter((p) => p.instances.length > 0 || p.entry !== null);
  return saying.length > 0 ? saying : observed.parts;
}
