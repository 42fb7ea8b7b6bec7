import type { Cause } from '../contract/claim.ts';
import type { CauseCode, UnknownCause } from '../contract/vocabulary.ts';
import { isAbsent, orderMark } from './absence.ts';
import { ending, growing, growthOf } from './changed-elsewhere.ts';
import { isFailedByLoop, loopCause } from './crash-loop.ts';
import type { AttemptFacts, Facts, Observed } from './facts.ts';
import { freshnessOf, type ObservationAge, staleness } from './freshness.ts';
import { startedAt } from './judge-command.ts';
import { lastJudgedState, lastKnownAt, lastSeenState, observedAt, wasObservedLater } from './last-known.ts';
import { type FormerPlace, formerCause, formerCopies, formerOrder, isOfCurrentPlace } from './places.ts';
import {
  type ContractReading,
  detailed,
  observedEntry,
  observedInstances,
  readContract,
  type UnmetCondition,
} from './running-contract.ts';
import { startDeadline } from './runtime-deadlines.ts';
import {
  base,
  degraded,
  failed,
  type ObservedBase,
  starting,
  unknownStanding,
  unmetOf,
} from './runtime-standings.ts';
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
  // No rule looks there any more: that silence follows explains nothing, and nobody has to end it.
  // mutant: left-out-ages
  if (workloadFate(facts.proven.observed) === 'not_observed') return judgeBasis(view, reading, basis, now);
  // mutant: stale
  if (now >= basis.until) {
    const why = staleness(facts.proven.observed, facts.liveness, now);
    // The observation may be older than the order to the runtime.
    const since = Math.max(basis.until, view.attempt.applied?.at ?? NEVER);
    return unknownStanding(view, reading, {
      asOf: basis.asOf,
      code: why.cause,
      ...(why.namespace !== undefined && { params: { namespace: why.namespace } }),
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
  if (workloadFate(view.facts.proven.observed) === 'not_observed')
    return unknownStanding(view, reading, {
      asOf: basis.asOf,
      code: 'not_observed',
      since: observedAt(view),
      changesAt: null,
      lastKnown: lastJudgedState(view),
    });
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
  const zero = reading.wanted === 0;
  if (zero ? isAbsent(facts, orderMark(view)) : reading.held) {
    return {
      state: zero ? 'stopped' : 'running',
      ...observed,
      cause: zero ? cause(stoppedBy(view, reading)) : null,
      outcome: attempt.settled?.outcome ?? 'succeeded',
      since: attempt.held?.at ?? at,
      stage: 'runtime',
      // mutant: running-changes-at
      changesAt: soonest(at, fresh.until),
      expecting: { evidence: 'runtime.observed', from: 'watcher', by: fresh.until },
    };
  }
  // In observe mode the number may have been changed to none just now: what ran and is still there is on its way out.
  const isOnItsWayOut =
    view.intent.origin.kind === 'observe' &&
    (hasServed(view, facts.proven.observed) || isEnding(facts.proven.observed));
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
  const loops = {
    stage,
    cause: loopCause(reading.loop, observedEntry(facts.proven.observed)?.reason ?? null),
    ...(reading.loop !== null && detailed(reading.loop.instance)),
  } as const;
  // mutant: loop-fails
  if (!zero && reading.steady === 0 && (reading.loop !== null || isFailedByLoop(attempt)))
    return failed(view, observed, at, loops, null);
  if (!zero && isOver(reading, attempt)) return over(view, observed, at, unmetOf(reading));
  if (zero && isUnreported(view))
    return unknownStanding(view, reading, {
      asOf: fresh.asOf,
      code: 'absence_unproven',
      params: { by: 'unreported' },
      since: observedAt(view),
      changesAt: fresh.until,
      lastKnown: lastJudgedState(view),
    });
  // Others are steady: one bad copy is no outage (F113).
  if (zero && (attempt.held !== null || view.intent.origin.kind === 'observe'))
    return ending(view, observed, fresh, at);
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

/** In observe mode nobody has seen anything of it yet: nothing is there that could be ending, and nothing proves absence. */
const isUnreported = ({ intent, attempt, facts }: JudgeInput): boolean =>
  intent.origin.kind === 'observe' &&
  attempt.held === null &&
  observedInstances(facts.proven.observed).length === 0;

/** The last runs of a CronJob never served, and end with it. */
function isEnding(observed: Observed): boolean {
  const left = observedInstances(observed);
  return left.length > 0 && left.every(({ phase }) => phase === 'stopping');
}

/** Why nothing runs and nothing should: somebody removed or suspended it, its work is done, or no copies are wanted. */
function stoppedBy({ facts, attempt }: JudgeInput, { job }: ContractReading): CauseCode {
  // A copy that came after all was removed where nothing holds what it started: that is not proven gone (F117).
  if (attempt.removed?.uncontained) return 'uncontained';
  if (workloadFate(facts.proven.observed) === 'removed') return 'removed_elsewhere';
  if (job === 'suspended') return 'job_suspended';
  if (job === 'succeeded') return 'completed';
  // Nobody scales a DaemonSet: it wants a copy on each node that it fits.
  const reason = observedEntry(facts.proven.observed)?.reason;
  return reason === 'no_matching_node' ? 'no_node_selected' : 'scaled_to_zero';
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
