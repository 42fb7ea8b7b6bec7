import type { Cause } from '../contract/claim.ts';
import type { UnknownCause } from '../contract/vocabulary.ts';
import { causeOfEnds, isFailedByLoop, isLoopCause } from './crash-loop.ts';
import { hasEnded } from './exits.ts';
import type { AttemptFacts } from './facts.ts';
import type { ObservationAge } from './freshness.ts';
import { isReady } from './instances.ts';
import { rfc3339 } from './instant.ts';
import { instantAfter } from './intervals.ts';
import { commandBase, startedAt } from './judge-command.ts';
import { detailParams, exitParams } from './reason-details.ts';
import {
  type ContractReading,
  INSTANCE_NAME,
  observedEntry,
  shownCopies,
  type UnmetCondition,
} from './running-contract.ts';
import { hopelessAt, isPaused, startDeadline, uncounted } from './runtime-deadlines.ts';
import { cause, isOverdue, type JudgeInput, type Standing, soonest, stageOwner } from './standing.ts';

/** The contract is satisfied by one observation; stability needs another. */
const SETTLING = { stage: 'readiness', cause: 'settling' } as const;

const UNSTEADY = { stage: 'readiness', cause: 'unsteady' } as const;

const STILL_THERE = { stage: 'readiness', cause: 'still_there' } as const;

export const unmetOf = ({ wanted, unmet, unsteady }: ContractReading): UnmetCondition =>
  wanted === 0 ? STILL_THERE : (unmet ?? (unsteady === null ? SETTLING : UNSTEADY));

export type ObservedBase = Omit<ReturnType<typeof base>, 'freshUntil'> & {
  readonly asOf: number | null;
  readonly freshUntil: number;
};

/** The attempt never was running. Its clock restarts with every progress, and stands still in silence. */
export function starting(
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

export function degraded(
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
export function failed(
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
export function unknownStanding(
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

/** Numbers and names for the sentence: how many are ready, and how often the instance in question exited. */
export function observedCause(
  { intent, facts }: JudgeInput,
  { cause: code, instance: named, details }: UnmetCondition,
  reading: ContractReading,
): Cause {
  const { loop, unsteady } = reading;
  const { ready, wanted } = shownCopies(reading);
  // A command that cannot run never exits.
  const isOfExits = isLoopCause(code) && code !== 'start_failed';
  const memory = isOfExits ? loop : code === 'unsteady' ? unsteady : null;
  if (memory === null) {
    const instance = named === undefined ? {} : { instance: named };
    return cause(code, { ready, wanted, ...instance, ...detailParams(details, intent.spec) });
  }
  const { instance, spell, windowMs } = memory;
  const by = causeOfEnds(instance, observedEntry(facts.proven.observed)?.reason ?? null);
  return cause(code, {
    ready,
    wanted,
    // An exit is found when the instance is up again; one that has ended has exited once more than it was restarted.
    exits: spell?.exits ?? Number(hasEnded(instance)),
    windowMs,
    ...(by !== null && by !== code && { by }),
    ...(INSTANCE_NAME.test(instance.name) && { instance: instance.name }),
    ...(spell !== null && { firstExit: rfc3339(spell.first), lastExit: rfc3339(spell.last) }),
    ...(isReady(instance) && { upSince: rfc3339(instance.steady.since) }),
    ...(spell?.exitCode != null && instance.containers.length < 2 && { exitCode: spell.exitCode }),
    ...exitParams(instance, intent.spec),
  });
}

/** The part that every standing of the runtime shares. */
export function base(view: JudgeInput, reading: ContractReading) {
  return { ...commandBase(view), reading };
}
