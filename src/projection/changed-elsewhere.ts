import { compareDigits } from '../contract/digits.ts';
import type { CauseCode } from '../contract/vocabulary.ts';
import type { ObservationAge } from './freshness.ts';
import { instantAfter } from './intervals.ts';
import { observedAt } from './last-known.ts';
import { type ContractReading, isOfNoHurry, shownCopies, type UnmetCondition } from './running-contract.ts';
import { isPaused, uncounted } from './runtime-deadlines.ts';
import { type ObservedBase, observedCause, unknownStanding } from './runtime-standings.ts';
import { cause, isOverdue, type JudgeInput, type Standing, soonest } from './standing.ts';

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
 * under way. Nothing broke, so that it is `starting` until its deadline, which every further copy moves. What broke
 * before stays broken until it holds.
 */
export function growthOf(view: JudgeInput, reading: ContractReading): Growth | null {
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

export function growing(
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
export function ending(
  view: JudgeInput,
  observed: ObservedBase,
  fresh: ObservationAge,
  at: number,
): Standing {
  const { attempt, intent, facts } = view;
  // One that never ran has not broken: the newest row says that nothing of it is wanted.
  const since = attempt.broken?.at ?? (attempt.held === null ? observedAt(view) : at);
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
    outcome: attempt.settled?.outcome ?? (attempt.held === null ? 'in_progress' : 'succeeded'),
    since,
    stage: 'stop',
    changesAt: soonest(at, fresh.until, deadline),
    overdue: isOverdue(view, deadline),
    expecting: { evidence: 'runtime.observed', from: 'watcher', by: deadline },
  };
}
