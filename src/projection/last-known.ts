import { compareDigits } from '../contract/digits.ts';
import { isFailedByLoop } from './crash-loop.ts';
import { instantAfter } from './intervals.ts';
import { startedAt } from './judge-command.ts';
import { type FormerPlace, replacedAt } from './places.ts';
import { readContract } from './running-contract.ts';
import { startDeadline, uncounted } from './runtime-deadlines.ts';
import type { JudgeInput, Standing } from './standing.ts';

/**
 * The last state that was judged before the attempt could no longer be judged, at `until`. A deadline fails an abandoned attempt only
 * after its abandonment: until then it was not observed, and recorded silence is not counted.
 */
export function lastJudgedState(view: JudgeInput, until = observedAt(view)): Standing['lastKnown'] {
  const { known } = view.facts.proven.observed;
  const { revision, attempt } = view;
  // A row says since when a state is so; calm reports, which have none, may have shown it long after.
  if (known?.revision === revision.revision && known.attempt === attempt.attempt)
    return { state: known.state, at: known.asOf };
  return lastRecordedState(view, until);
}

/** The fallback for an attempt whose row was written before rows kept its last state. */
function lastRecordedState(view: JudgeInput, until: number): Standing['lastKnown'] {
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
export function lastSeenState(view: JudgeInput, former: FormerPlace): Standing['lastKnown'] {
  const last = lastJudgedState(view, replacedAt(view.facts, former));
  return last === null || former.copies === 0 ? last : { ...last, at: Math.max(last.at, former.asOf) };
}

/** A deadline may fail an attempt after its last observation: then it is failed from the deadline on. */
export function lastKnownAt({ state, since }: Standing, asOf: number): number {
  return state === 'failed' ? Math.max(asOf, since) : asOf;
}

/**
 * The attempt was abandoned because nothing could be judged, and the observation of that instant came later: no deadline
 * failed it then (S1). An attempt that was observed again has a row: without one it was not, however late a report is.
 */
export function wasObservedLater(view: JudgeInput, at: number): boolean {
  const { applied, held, settled } = view.attempt;
  if (held !== null || settled?.outcome !== 'abandoned') return false;
  const marks = view.facts.proven.observed.parts.map(({ mark }) => mark);
  // By position: the abandonment and the observation may have the same instant.
  const isObservedSince = [applied, ...marks].some(
    (mark) => mark !== null && compareDigits(mark.position, settled.position) > 0,
  );
  return !isObservedSince || at < observedAt(view);
}

/** The receipt of the newest recorded observation: the same at every reading, so that time can pass since. */
export function observedAt(view: JudgeInput): number {
  const marks = view.facts.proven.observed.parts.map((p) => p.mark.at);
  return Math.max(view.attempt.applied?.at ?? startedAt(view), ...marks);
}
