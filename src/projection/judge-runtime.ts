import type { Cause } from '../contract/claim.ts';
import { compareDigits } from '../contract/digits.ts';
import type { CauseCode, Mover, Stage, UnknownCause } from '../contract/vocabulary.ts';
import type { AttemptFacts, Facts, Mark, Observed, ObservedPart } from './facts.ts';
import { freshnessOf, type ObservationAge, staleness } from './freshness.ts';
import { isReady } from './instances.ts';
import { rfc3339 } from './instant.ts';
import { instantAfter } from './intervals.ts';
import { commandBase, startedAt } from './judge-command.ts';
import {
  type FormerPlace,
  formerCause,
  formerCopies,
  formerOrder,
  isOfCurrentPlace,
  replacedAt,
  timesInDoubt,
} from './places.ts';
import { detailParams } from './reason-details.ts';
import {
  type ContractReading,
  INSTANCE_NAME,
  isOfNoHurry,
  readContract,
  shownCopies,
  type UnmetCondition,
} from './running-contract.ts';
import { isSameStamp } from './served.ts';
import { cause, isOverdue, type JudgeInput, type Standing, soonest } from './standing.ts';
import { workloadFate } from './workload-seen.ts';

/**
 * Judges the rungs that rest on observation: the runtime has its order, and only a fresh observation counts.
 */
export function judgeRuntime(view: JudgeInput): Standing {
  const { facts, now } = view;
  // mutant: contract-held
  const reading = readContract(view.intent, view.revision, facts.proven.observed);
  const basis = basisOf(view, reading);
  const lastFresh = (until: number) => lastFreshState(view, reading, basis, until);
  const former = formerDoubt(view, reading, basis);
  if (former !== null) {
    const since = Math.max(facts.liveness.agent?.identitySince ?? NEVER, view.attempt.applied?.at ?? NEVER);
    return {
      ...unknownStanding(view, reading, {
        asOf: former.asOf,
        code: 'identity_changed',
        since,
        changesAt: null,
        lastKnown:
          basis.freshness.broken === 'identity_changed' ? lastFresh(since) : lastSeenState(view, former),
      }),
      cause: formerCause(former),
    };
  }
  if (basis.freshness.broken !== null && !staysStopped(view, reading, basis)) {
    const since = brokenSince(facts, now);
    return unknownStanding(view, reading, {
      asOf: basis.asOf,
      code: basis.freshness.broken,
      since,
      changesAt: null,
      lastKnown: lastFresh(since),
    });
  }
  // mutant: stale
  if (now >= basis.until) {
    const why = staleness(facts.proven.observed, facts.liveness, now);
    // The observation may be older than the order to the runtime.
    const since = Math.max(basis.until, view.attempt.applied?.at ?? NEVER);
    return unknownStanding(view, reading, {
      asOf: basis.asOf,
      code: why.cause,
      since,
      changesAt: why.until,
      lastKnown: lastFresh(basis.until),
    });
  }
  return judgeBasis(view, reading, basis, now);
}

/**
 * The former place that leaves this attempt in doubt (F114): copies were seen there, or it took the order. A report of the
 * new place settles that only where the new place took an attempt of its own, and its contract holds.
 */
function formerDoubt(view: JudgeInput, reading: ContractReading, basis: Basis): FormerPlace | null {
  const { facts, revision, attempt, intent, now } = view;
  const copies = formerCopies(facts);
  const isWanted = reading.wanted > 0;
  const order = isWanted || attempt.held === null ? formerOrder(attempt, reading.furthest > 0, facts) : null;
  if (order !== null) return copies ?? order;
  // Copies that were never proven gone are never called stopped, though nothing is to run.
  if (copies === null || (copies.isSucceeded && isWanted)) return null;
  const isHere = isOfCurrentPlace(revision, intent.origin.kind === 'observe', facts);
  // mutant: holds-in-new-place
  return isWanted && isHere && reading.held && now < basis.until ? null : copies;
}

/** Absence that was proven before the place changed stays: nothing was left behind. */
function staysStopped(view: JudgeInput, { wanted }: ContractReading, { freshness }: Basis): boolean {
  if (wanted > 0 || freshness.broken !== 'identity_changed' || view.attempt.held === null) return false;
  return isAbsent(view.facts, orderMark(view));
}

/** The basis of the judgement: an observation of the attempt or, until there is one, the fact that it was applied. */
interface Basis {
  readonly freshness: ObservationAge;
  /** True if the basis is an observation of the attempt. */
  readonly isObserved: boolean;
  /** The first instant at which the basis no longer counts; `asOf` is its age. */
  readonly until: number;
  readonly asOf: number | null;
}

const NEVER = Number.NEGATIVE_INFINITY;

/**
 * `runtime.applied` counts like a report of that instant: the attempt is `starting` for as long as such a report would be
 * fresh. It shows no instance, so no deadline fails the attempt because of it, nor because of an older report without
 * instances of the attempt: if the start deadline passes meanwhile, the state is `unknown` (S1). Once the attempt was
 * observed, only observations count, for as long as every scope of the service is fresh.
 */
function basisOf(view: JudgeInput, reading: ContractReading): Basis {
  const { attempt, facts, awake } = view;
  const freshness = freshnessOf(facts.proven.observed, facts.liveness);
  if (reading.showsAttempt)
    return { freshness, isObserved: true, until: freshness.until, asOf: freshness.asOf };
  const appliedAt = attempt.applied?.at ?? null;
  const isOpen = attempt.settled === null || attempt.settled.outcome === 'abandoned';
  if (appliedAt === null || !isOpen)
    return { freshness, isObserved: false, until: NEVER, asOf: freshness.asOf };
  const deadline = startDeadline(view);
  const fresh = appliedAt + facts.liveness.settings.freshForMs;
  return {
    freshness,
    isObserved: false,
    until: deadline <= awake ? Math.min(fresh, deadline) : fresh,
    asOf: appliedAt,
  };
}

/** Judges at an instant at which the basis counts. */
function judgeBasis(view: JudgeInput, reading: ContractReading, basis: Basis, at: number): Standing {
  return basis.isObserved
    ? judgeObserved(view, reading, basis.freshness, at)
    : judgeUnobserved(view, reading, basis, at);
}

/** The attempt was applied, and no report has shown it since. */
function judgeUnobserved(view: JudgeInput, reading: ContractReading, { until }: Basis, at: number): Standing {
  const deadline = startDeadline(view);
  const since = view.attempt.applied?.at ?? startedAt(view);
  return {
    state: 'starting',
    ...base(view, reading),
    cause: cause('not_seen_yet'),
    outcome: view.attempt.settled?.outcome ?? 'in_progress',
    since,
    // Uses the recorded observation, however old: the past cannot decide which of two rows of one millisecond
    // was fresh.
    stage: unmetOf(reading).stage,
    asOf: since,
    freshUntil: until,
    changesAt: soonest(at, until, deadline),
    overdue: isOverdue(view, deadline),
    expecting: { evidence: 'runtime.observed', from: 'watcher', by: deadline },
  };
}

/** Judges a fresh observation; `at` is now, or the last instant at which it was fresh. */
function judgeObserved(
  view: JudgeInput,
  reading: ContractReading,
  fresh: ObservationAge,
  at: number,
): Standing {
  const { attempt, facts } = view;
  const observed = { asOf: fresh.asOf, ...base(view, reading), freshUntil: fresh.until };
  if (workloadFate(facts.proven.observed) === 'not_observed')
    return unknownStanding(view, reading, {
      asOf: fresh.asOf,
      code: 'not_observed',
      since: observedAt(view),
      changesAt: fresh.until,
      lastKnown: lastJudgedState(view),
    });
  const zero = reading.wanted === 0;
  if (zero ? isAbsent(facts, orderMark(view)) : reading.held) {
    return {
      state: zero ? 'stopped' : 'running',
      ...observed,
      cause: zero ? cause(stoppedBy(facts.proven.observed, reading)) : null,
      outcome: attempt.settled?.outcome ?? 'succeeded',
      since: attempt.held?.at ?? at,
      stage: 'runtime',
      // mutant: running-changes-at
      changesAt: soonest(at, fresh.until),
      expecting: { evidence: 'runtime.observed', from: 'watcher', by: fresh.until },
    };
  }
  // In observe mode the number may have been changed to none just now: what ran and is still there is on its way out.
  const isOnItsWayOut = view.intent.origin.kind === 'observe' && hasServed(view, facts.proven.observed);
  const isProvenNone = attempt.held !== null && !isOnItsWayOut;
  const leftover = view.intent.origin.kind === 'observe' ? reading.opaque : null;
  const opaque = zero ? (leftover ?? (isProvenNone ? 'contradictory' : null)) : reading.opaque;
  if (opaque !== null)
    return unknownStanding(view, reading, {
      asOf: fresh.asOf,
      code: opaque,
      params: doubtParams(opaque, reading),
      since: observedAt(view),
      changesAt: fresh.until,
      lastKnown: lastJudgedState(view),
    });
  const stage = attempt.held === null ? 'start' : 'runtime';
  const loops = { stage, cause: loopCause(reading.loop) } as const;
  // mutant: loop-fails
  if (!zero && reading.steady === 0 && (reading.loop !== null || isFailedByLoop(attempt)))
    return failed(view, observed, at, loops, null);
  if (!zero && isOver(reading, attempt)) return over(view, observed, at, unmetOf(reading));
  // Others are steady: one bad copy is no outage (F113).
  if (zero && attempt.held !== null) return ending(view, observed, fresh, at);
  const unmet = reading.loop === null || zero ? unmetOf(reading) : loops;
  const growth = growthOf(view, reading);
  if (growth !== null && (growth.deadline === null || growth.deadline > Math.min(at, view.awake)))
    return growing(view, observed, fresh, at, unmet, growth);
  return attempt.held !== null
    ? degraded(view, observed, fresh, at, unmet)
    : starting(view, observed, fresh, at, unmet);
}

/** Nothing will start it again; of a CronJob, the first run that finished failed. No deadline is waited for. */
const isOver = ({ isOver, unmet }: ContractReading, { held }: AttemptFacts): boolean =>
  isOver || (held === null && unmet?.cause === 'job_failed');

function over(view: JudgeInput, observed: ObservedBase, at: number, unmet: UnmetCondition): Standing {
  const { held, broken, settled } = view.attempt;
  const stage = held === null ? unmet.stage : 'runtime';
  const since = (held === null ? settled : broken)?.at ?? at;
  return { ...failed(view, observed, at, { ...unmet, stage }, null), since };
}

/** The source of the doubt, so that its words can say it. */
function doubtParams(code: UnknownCause, { contradiction, opaque }: ContractReading): Cause['params'] {
  if (code === 'contradictory' && contradiction !== null) return { by: contradiction };
  return code === 'absence_unproven' && opaque === code ? { by: 'vanished' } : {};
}

const hasServed = ({ revision, attempt }: JudgeInput, { served = [] }: Observed): boolean =>
  served.some((one) => isSameStamp(one, { revision: revision.revision, attempt: attempt.attempt }));

/**
 * A loop whose ends all have one known cause is named by it: it says more than that the app exits again and again. One
 * whose command cannot run never started.
 */
const LOOP_CAUSES: ReadonlySet<string> = new Set([
  'oom_killed',
  'start_failed',
  'init_failed',
  'sidecar_failed',
]);

export const isLoopCause = (code: CauseCode): boolean => code === 'crash_loop' || LOOP_CAUSES.has(code);

function loopCause(loop: ContractReading['loop']): CauseCode {
  const reason = loop?.instance.reason ?? null;
  return reason !== null && LOOP_CAUSES.has(reason) ? (reason as CauseCode) : 'crash_loop';
}

/** Why nothing runs and nothing should: somebody removed or suspended it, its work is done, or no copies are wanted. */
function stoppedBy(observed: Observed, { job }: ContractReading): CauseCode {
  if (workloadFate(observed) === 'removed') return 'removed_elsewhere';
  if (job === 'suspended') return 'job_suspended';
  return job === 'succeeded' ? 'completed' : 'scaled_to_zero';
}

/** A crash loop fails the attempt until the running contract holds, or until others are steady: never by mere readiness. */
const isFailedByLoop = ({ loop, held }: AttemptFacts): boolean =>
  loop?.fails === true && (held === null || compareDigits(held.position, loop.position) < 0);

/** No deadline runs while nothing but the window is missing, nor while others are steady beside a crash loop. */
export const isPaused = ({
  held,
  wanted,
  unmet,
  isUnhurried,
  opaque,
  loop,
  steady,
}: ContractReading): boolean =>
  !held && wanted > 0 && opaque === null && (loop === null ? unmet === null || isUnhurried : steady > 0);

/**
 * The order that a snapshot has to come after to prove absence: `runtime.applied` or `runtime.removed`. In observe mode,
 * and where no apply was ever leased, there is none: then it is the intent itself.
 */
export function orderMark({ intent, revision, attempt }: JudgeInput): Mark | null {
  if (intent.kind === 'teardown')
    return attempt.removed ?? (revision.recorded?.absent ? revision.recorded : null);
  return intent.origin.kind === 'observe' ? revision.recorded : attempt.applied;
}

/** The contract is satisfied by one observation; stability needs another. */
const SETTLING = { stage: 'readiness', cause: 'settling' } as const;
const UNSTEADY = { stage: 'readiness', cause: 'unsteady' } as const;
const STILL_THERE = { stage: 'readiness', cause: 'still_there' } as const;

const unmetOf = ({ wanted, unmet, unsteady }: ContractReading): UnmetCondition =>
  wanted === 0 ? STILL_THERE : (unmet ?? (unsteady === null ? SETTLING : UNSTEADY));

/** Numbers and names for the sentence: how many are ready, and how often the instance in question exited. */
function observedCause(
  { intent }: JudgeInput,
  { cause: code, instance: named, details }: UnmetCondition,
  reading: ContractReading,
): Cause {
  const { loop, unsteady } = reading;
  const { ready, wanted } = shownCopies(reading);
  const memory = code === 'crash_loop' ? loop : code === 'unsteady' ? unsteady : null;
  if (memory === null) {
    const instance = named === undefined ? {} : { instance: named };
    return cause(code, { ready, wanted, ...instance, ...detailParams(details, intent.spec) });
  }
  const { instance, exits, lastExit, windowMs } = memory;
  return cause(code, {
    ready,
    wanted,
    exits,
    windowMs,
    ...(INSTANCE_NAME.test(instance.name) && { instance: instance.name }),
    ...(lastExit !== null && { lastExit: rfc3339(lastExit) }),
    ...(isReady(instance) && { upSince: rfc3339(instance.steady.since) }),
    ...detailParams(instance.details, intent.spec),
  });
}

type ObservedBase = Omit<ReturnType<typeof base>, 'freshUntil'> & {
  readonly asOf: number | null;
  readonly freshUntil: number;
};

/** The attempt never was running. Its clock restarts with every progress, and stands still in silence. */
function starting(
  view: JudgeInput,
  observed: ObservedBase,
  fresh: ObservationAge,
  at: number,
  unmet: UnmetCondition,
): Standing {
  const { attempt } = view;
  if (attempt.settled?.outcome === 'failed') {
    return failed(view, observed, at, unmet, attempt.settled.timedOut ? attempt.settled.at : null);
  }
  const deadline = isPaused(observed.reading)
    ? null
    : Math.min(startDeadline(view), hopelessAt(view, observed.reading));
  if (deadline !== null && deadline <= Math.min(at, view.awake))
    return failed(view, observed, at, unmet, deadline);
  return {
    state: 'starting',
    ...observed,
    cause: observedCause(view, unmet, observed.reading),
    outcome: attempt.settled?.outcome ?? 'in_progress',
    since: attempt.applied?.at ?? startedAt(view),
    stage: unmet.stage,
    changesAt: soonest(at, fresh.until, deadline),
    overdue: deadline !== null && isOverdue(view, deadline),
    expecting: { evidence: 'runtime.observed', from: 'watcher', by: deadline },
  };
}

/** More is wanted of what ran than was proven, and nothing of that is missing. Only in observe mode. */
interface Growth {
  /** The number that held. */
  readonly from: number;
  readonly since: number | null;
  /** Null: nothing but time is missing. */
  readonly deadline: number | null;
}

/**
 * Another tool wants more copies than held, and those that held are ready; or the first run of a CronJob is to come or
 * under way.
 * Nothing broke, so that it is `starting` until its deadline, which every further copy moves. What broke before stays
 * broken until it holds.
 */
function growthOf(view: JudgeInput, reading: ContractReading): Growth | null {
  const { attempt, intent, facts } = view;
  const { held, broken, growing, progress } = attempt;
  if (intent.origin.kind !== 'observe' || held === null || reading.loop !== null) return null;
  if (broken !== null && compareDigits(held.position, broken.position) < 0) return null;
  const { wanted: from = Number.POSITIVE_INFINITY } = held;
  const { ready, wanted } = shownCopies(reading);
  const isMore = from < wanted && ready >= from;
  if (!isMore && !isOfNoHurry(reading.unmet)) return null;
  const isSince = growing !== undefined && compareDigits(held.position, growing.position) < 0;
  const since = isSince ? growing.at : null;
  const clock = Math.max(since ?? view.now, progress?.at ?? 0);
  const deadline = instantAfter(clock, intent.deadlines.startMs, uncounted(facts));
  return { from, since, deadline: isPaused(reading) ? null : deadline };
}

/** Causes that say no more than that copies are not there yet. */
const NOT_YET: ReadonlySet<CauseCode> = new Set([
  'instances_gone',
  'not_scheduled',
  'not_started',
  'not_ready',
  'terminating',
]);

function growing(
  view: JudgeInput,
  observed: ObservedBase,
  fresh: ObservationAge,
  at: number,
  unmet: UnmetCondition,
  { from, since, deadline }: Growth,
): Standing {
  const named = NOT_YET.has(unmet.cause) ? { ...unmet, cause: 'more_wanted' as const } : unmet;
  const { code, params } = observedCause(view, named, observed.reading);
  return {
    state: 'starting',
    ...observed,
    cause: cause(code, Number.isFinite(from) ? { ...params, from } : params),
    outcome: view.attempt.settled?.outcome ?? 'succeeded',
    since: since ?? at,
    stage: unmet.stage,
    changesAt: soonest(at, fresh.until, deadline),
    overdue: deadline !== null && isOverdue(view, deadline),
    expecting: { evidence: 'runtime.observed', from: 'watcher', by: deadline },
  };
}

/** `starting`, of an attempt that ran. */
export const isGrowth = ({ state, cause: shown, reading }: Standing): boolean =>
  state === 'starting' &&
  reading !== null &&
  (shown?.params.from !== undefined || (shown?.code === reading.unmet?.cause && isOfNoHurry(reading.unmet)));

/**
 * Somebody removed it at its target, suspended it or wants no copies: what is left is ending, and nothing is broken. If
 * it is there after the deadline, nobody can prove that it is gone.
 */
function ending(view: JudgeInput, observed: ObservedBase, fresh: ObservationAge, at: number): Standing {
  const { attempt, intent, facts } = view;
  const since = attempt.broken?.at ?? at;
  const deadline = instantAfter(since, intent.deadlines.stopMs, uncounted(facts));
  if (deadline <= Math.min(at, view.awake))
    return unknownStanding(view, observed.reading, {
      asOf: fresh.asOf,
      code: 'absence_unproven',
      since: deadline,
      changesAt: fresh.until,
      lastKnown: { state: 'stopping', at: since },
    });
  return {
    state: 'stopping',
    ...observed,
    cause: observedCause(view, { stage: 'stop', cause: 'ending' }, observed.reading),
    outcome: attempt.settled?.outcome ?? 'succeeded',
    since,
    stage: 'stop',
    changesAt: soonest(at, fresh.until, deadline),
    overdue: isOverdue(view, deadline),
    expecting: { evidence: 'runtime.observed', from: 'watcher', by: deadline },
  };
}

function degraded(
  view: JudgeInput,
  observed: ObservedBase,
  fresh: ObservationAge,
  at: number,
  unmet: UnmetCondition,
): Standing {
  const { attempt, intent } = view;
  const since = attempt.broken?.at ?? at;
  // mutant: degraded-deadline
  const broken = instantAfter(since, intent.deadlines.degradedMs, uncounted(view.facts));
  const deadline = isPaused(observed.reading) ? null : broken;
  if (deadline !== null && deadline <= Math.min(at, view.awake))
    return failed(view, observed, at, { ...unmet, stage: 'runtime' }, deadline);
  return {
    state: 'degraded',
    ...observed,
    cause: observedCause(view, unmet, observed.reading),
    outcome: attempt.settled?.outcome ?? 'succeeded',
    since,
    stage: 'runtime',
    changesAt: soonest(at, fresh.until, deadline),
    overdue: deadline !== null && isOverdue(view, deadline),
    expecting: { evidence: 'runtime.observed', from: 'watcher', by: deadline },
  };
}

/** An observed failure: true only while fresh, and taken back by the next observation that holds. */
function failed(
  view: JudgeInput,
  observed: ObservedBase,
  at: number,
  unmet: UnmetCondition,
  deadline: number | null,
): Standing {
  const { stage } = unmet;
  return {
    state: 'failed',
    ...observed,
    cause: observedCause(view, unmet, observed.reading),
    outcome: view.attempt.settled?.outcome ?? 'failed',
    since: deadline ?? failedAt(view.attempt) ?? at,
    stage,
    changesAt: soonest(at, observed.freshUntil),
    expecting: null,
    timeout:
      deadline === null
        ? null
        : { stage, expected: 'runtime.observed', retrySafe: true, owner: stageOwner(stage) },
  };
}

/** When the evidence of the failure was recorded. */
function failedAt(attempt: AttemptFacts): number | null {
  const { held, loop, settled } = attempt;
  if (held === null) return settled?.at ?? null;
  return loop !== undefined && isFailedByLoop(attempt) ? loop.at : null;
}

/** The reason why a state is unknown, and what was known before. */
interface UnknownBasis {
  readonly code: UnknownCause;
  readonly params?: Cause['params'];
  readonly since: number;
  /** The newest instant that was observed. */
  readonly asOf: number | null;
  /** The instant at which time alone changes the cause. */
  readonly changesAt: number | null;
  readonly lastKnown: Standing['lastKnown'];
}

/** The state is unknown: the observation is stale, missing or cannot be judged. Carries the last known state. */
function unknownStanding(
  view: JudgeInput,
  reading: ContractReading,
  { asOf, code, params, since, changesAt, lastKnown }: UnknownBasis,
): Standing {
  const { attempt, facts, intent } = view;
  const deadline = instantAfter(
    attempt.applied?.at ?? startedAt(view),
    intent.deadlines.startMs,
    facts.liveness.blind,
  );
  // Progress postpones the start deadline while the attempt is observed: one that becomes unknown after this deadline is
  // abandoned with the next beat.
  const abandonAt = Math.max(deadline, since);
  // mutant: unknown-given-up
  const gone = attempt.settled === null && abandonAt <= view.awake;
  return {
    state: 'unknown',
    ...base(view, reading),
    cause: cause(code, params),
    outcome: attempt.settled?.outcome ?? (gone ? 'abandoned' : 'in_progress'),
    since: Number.isFinite(since) ? since : (attempt.applied?.at ?? startedAt(view)),
    stage: attempt.held === null ? 'readiness' : 'runtime',
    asOf,
    freshUntil: null,
    changesAt: soonest(view.now, changesAt, attempt.settled === null ? abandonAt : null),
    overdue: attempt.settled === null && isOverdue(view, abandonAt),
    lastKnown,
    expecting: { evidence: 'runtime.observed', from: 'watcher', by: null },
  };
}

/** The receipt of the newest recorded observation: the same at every reading, so that time can pass since. */
function observedAt(view: JudgeInput): number {
  const marks = view.facts.proven.observed.parts.map((p) => p.mark.at);
  return Math.max(view.attempt.applied?.at ?? startedAt(view), ...marks);
}

function brokenSince(facts: Facts, now: number): number {
  const corrupt = facts.proven.observed.parts.find((p) => p.corrupt);
  return corrupt?.mark.at ?? facts.liveness.agent?.identitySince ?? now;
}

/** The state at the last instant at which the basis counted, before it went stale or broke at `until`. */
function lastFreshState(
  view: JudgeInput,
  reading: ContractReading,
  basis: Basis,
  until: number,
): Standing['lastKnown'] {
  if (basis.until === NEVER) return null;
  const at = Math.min(view.now, until, basis.until - 1);
  const last = judgeBasis(view, reading, basis, at);
  if (last.state === 'unknown') return last.lastKnown;
  // A deadline after that instant failed nothing (S1).
  if (last.timeout !== null && wasObservedLater(view, at)) return lastJudgedState(view);
  // A deadline may be recorded late: it passed while the attempt was observed.
  return {
    state: last.state,
    at: lastKnownAt({ ...last, since: Math.min(last.since, at) }, last.asOf ?? at),
  };
}

/**
 * The attempt was abandoned because nothing could be judged, and the observation of that instant came later: no deadline
 * failed it then (S1). An attempt that was observed again has a row: without one it was not, however late a report is.
 */
function wasObservedLater(view: JudgeInput, at: number): boolean {
  const { applied, held, settled } = view.attempt;
  if (held !== null || settled?.outcome !== 'abandoned') return false;
  const marks = view.facts.proven.observed.parts.map(({ mark }) => mark);
  // By position: the abandonment and the observation may have the same instant.
  const isObservedSince = [applied, ...marks].some(
    (mark) => mark !== null && compareDigits(mark.position, settled.position) > 0,
  );
  return !isObservedSince || at < observedAt(view);
}

/** A deadline may fail an attempt after its last observation: then it is failed from the deadline on. */
export function lastKnownAt({ state, since }: Standing, asOf: number): number {
  return state === 'failed' ? Math.max(asOf, since) : asOf;
}

/**
 * The last state that was judged before the attempt could no longer be judged, at `until`. A deadline fails an abandoned attempt only
 * after its abandonment: until then it was not observed, and recorded silence is not counted.
 */
export function lastJudgedState(view: JudgeInput, until = observedAt(view)): Standing['lastKnown'] {
  const { attempt, intent } = view;
  const { broken, growing, held, settled } = attempt;
  if (held !== null) {
    if (intent.replicas === 0) return { state: 'stopped', at: held.at };
    if (broken === null || compareDigits(broken.position, held.position) < 0) {
      const isGrown = growing !== undefined && compareDigits(held.position, growing.position) < 0;
      if (isGrown) return { state: 'starting', at: growing.at };
      return { state: held.wanted === 0 ? 'stopped' : 'running', at: held.at };
    }
    if (isEnding(view)) return { state: 'stopping', at: broken.at };
    if (attempt.loop !== undefined && isFailedByLoop(attempt))
      return { state: 'failed', at: attempt.loop.at };
    const deadline = instantAfter(broken.at, intent.deadlines.degradedMs, uncounted(view.facts));
    return deadline <= Math.min(until, view.awake)
      ? { state: 'failed', at: deadline }
      : { state: 'degraded', at: broken.at };
  }
  if (settled?.outcome === 'failed') return { state: 'failed', at: settled.at };
  if (settled?.outcome === 'abandoned') {
    const deadline = startDeadline(view);
    if (settled.at < deadline && deadline <= Math.min(until, view.awake))
      return { state: 'failed', at: deadline };
  }
  return attempt.applied === null ? null : { state: 'starting', at: attempt.applied.at };
}

/** In observe mode nothing is wanted any more of what ran. */
function isEnding({ intent, revision, facts }: JudgeInput): boolean {
  if (intent.origin.kind !== 'observe') return false;
  return readContract(intent, revision, facts.proven.observed).wanted === 0;
}

/** The last state that was judged of copies in a former place, and when they were last seen in it. */
function lastSeenState(view: JudgeInput, former: FormerPlace): Standing['lastKnown'] {
  const last = lastJudgedState(view, replacedAt(view.facts, former));
  return last === null || former.copies === 0 ? last : { ...last, at: Math.max(last.at, former.asOf) };
}

/** Absence is proven: every scope that has shown the service has shown no instance since. */
export function isAbsent(facts: Facts, since: Mark | null): boolean {
  const { parts } = facts.proven.observed;
  return since !== null && parts.length > 0 && parts.every((part) => isAbsentIn(part, since));
}

/**
 * A complete snapshot without any instance, taken after `since` and received after it: an empty list that is not
 * complete proves nothing, and neither does one that was on its way when the runtime received its order.
 */
export function isAbsentIn({ instances, completeAsOf, completeMark }: ObservedPart, since: Mark): boolean {
  // mutant: absence
  return (
    instances.length === 0 &&
    completeAsOf !== null &&
    completeMark !== null &&
    completeAsOf >= since.at &&
    compareDigits(completeMark.position, since.position) > 0
  );
}

function startDeadline(view: JudgeInput): number {
  const { intent } = view;
  // mutant: start-deadline
  return instantAfter(startClock(view), intent.deadlines.startMs, uncounted(view.facts));
}

/** The instant at which a start is given up that time does not mend: an app that listens on another port stays there. */
function hopelessAt(view: JudgeInput, { hopeless }: ContractReading): number {
  if (hopeless === null) return Number.POSITIVE_INFINITY;
  const since = Math.max(hopeless.since, view.attempt.applied?.at ?? startedAt(view));
  return instantAfter(since, hopeless.patienceMs, uncounted(view.facts));
}

function startClock(view: JudgeInput): number {
  // mutant: start-clock
  return Math.max(view.attempt.applied?.at ?? startedAt(view), view.attempt.progress?.at ?? 0);
}

/** Time that an observation deadline does not count: the agent's silence, doubt about a place, our own blindness. */
function uncounted(facts: Facts) {
  const { silences } = facts.proven.observed;
  const { blind } = facts.liveness;
  const others = [...timesInDoubt(facts), ...blind];
  // mutant: silence-uncounted
  return silences.length === 0 ? others : [...silences, ...others];
}

export function stageOwner(stage: Stage): Mover {
  switch (stage) {
    case 'build':
    case 'image':
    case 'start':
    case 'readiness':
    case 'route':
    case 'runtime':
      return 'user';
    case 'publish':
    case 'queue':
    case 'apply_queue':
    case 'apply':
    case 'scheduling':
    case 'stop':
      return 'platform';
  }
}

function base(view: JudgeInput, reading: ContractReading) {
  return { ...commandBase(view), reading };
}
