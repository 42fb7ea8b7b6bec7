import { compareDigits, type Digits } from '../../contract/digits.ts';
import type { Judged, ObservedBody, ServedStamp } from '../../contract/evidence.ts';
import type { RevisionIntent } from '../../contract/intent.ts';
import type { State } from '../../contract/vocabulary.ts';
import { isAbsentIn, orderMark } from '../../projection/absence.ts';
import { isGrowth } from '../../projection/changed-elsewhere.ts';
import { isLoopCause } from '../../projection/crash-loop.ts';
import type {
  AgentLiveness,
  AttemptFacts,
  Liveness,
  Observed,
  ObservedPart,
  RevisionFacts,
} from '../../projection/facts.ts';
import { fold } from '../../projection/fold.ts';
import { judge, judgeInputOf } from '../../projection/judge.ts';
import { type ContractReading, readContract, shownCopies } from '../../projection/running-contract.ts';
import { isPaused } from '../../projection/runtime-deadlines.ts';
import { servedChange } from '../../projection/serving.ts';
import type { Standing } from '../../projection/standing.ts';
import { neededCommand } from '../../projection/workload.ts';
import type { ServiceFile } from '../door/service-file.ts';

/** The position of a row that is not written yet: above every position of the ledger. */
const AFTER_ALL: Digits = '9'.repeat(30);

/** The claim as it would be with an observation, and what the observation proves about the active attempt. */
interface ObservationJudgement {
  readonly state: State;
  readonly judged: Judged | null;
  readonly served: ObservedBody['served'];
  readonly known: ObservedBody['known'];
  /** The first observation of the attempt since the runtime received it, or the first that shows the contract stable. */
  readonly isFirst: boolean;
  /** The scope must be on record for the contract to be stable, or for absence to be proven. */
  readonly stabilizesScope: boolean;
}

/** `before` is the liveness before the report; `file` has the one after it. */
export function judgeObservation(
  file: ServiceFile,
  body: Omit<ObservedBody, 'judged' | 'served'>,
  before: Liveness,
  at: number,
  templates: readonly ServedStamp[] = [],
): ObservationJudgement {
  const tentative = fold(file.proven, {
    kind: 'runtime.observed',
    id: 'tentative',
    position: AFTER_ALL,
    receivedAt: at,
    body: { judged: null, ...body },
  } as Parameters<typeof fold>[1]);
  const standing = judge(file.intent, { ...file.facts, proven: tentative }, at);
  const { state, reading } = standing;
  const earlier = file.standing(at).reading;
  // Held and not on record: while another scope is silent no claim shows it, and this scope may not report again.
  const isOnRecord = reading?.held && earlier?.held && isRecordedStable(earlier, reading, body.scope);
  const stabilizesScope =
    (reading !== null && reading.unmet === null && !isOnRecord) ||
    provesAbsence(file, tentative.observed, body.scope, at);
  // An observation without instances of the attempt counts only from a report of everything, or from a scope
  // that has shown the service before. An observation of a stable contract counts even if the report is too
  // old to be fresh now: a clock that is set back makes it fresh again.
  const maySpeak = body.scope === '*' || file.proven.observed.parts.some((p) => p.scope === body.scope);
  const isFirst =
    earlier !== null &&
    reading !== null &&
    ((maySpeak && reading.showsAttempt && !earlier.showsAttempt) || (reading.held && !earlier.held));
  const { active, activeIntent } = file;
  const served =
    active === undefined || activeIntent === undefined
      ? undefined
      : servedChange(activeIntent, active, { ...file.facts, liveness: before }, tentative, templates);
  const judged = judgedOf(file, standing, tentative.observed);
  const known = isDoubt(standing, judged) ? knownBefore(file, before, at) : undefined;
  return { state, stabilizesScope, isFirst, judged, served, known };
}

const isDoubt = ({ state }: Standing, judged: Judged | null) =>
  state === 'unknown' && judged?.contract === 'opaque';

/** The state before the report, and until when it was observed; undefined where that is on record, or was not known. */
function knownBefore(file: ServiceFile, before: Liveness, at: number): ObservedBody['known'] {
  const view = { ...file.facts, liveness: before };
  const { state, asOf, lastKnown } = judge(file.intent, view, at);
  const known = state === 'unknown' ? lastKnown : asOf === null ? null : { state, at: asOf };
  const isOnRecord = file.proven.observed.known !== undefined;
  return known === null || isOnRecord ? undefined : { state: known.state, asOf: known.at };
}

/** Records a scope that has been stable long enough: it may have to take the place of another scope. */
function isRecordedStable(before: ContractReading, reading: ContractReading, scope: string): boolean {
  return !before.unstableScopes.includes(scope) || reading.unstableScopes.includes(scope);
}

/** True of the first report of a scope that shows no instance since the runtime was ordered to run none. */
function provesAbsence(file: ServiceFile, after: Observed, scope: string, at: number): boolean {
  const view = judgeInputOf(file.intent, file.facts, at);
  if (view === null || (view.intent.kind !== 'teardown' && view.intent.replicas > 0)) return false;
  const order = orderMark(view);
  const isProof = ({ parts }: Observed) =>
    order !== null && parts.some((p) => p.scope === scope && isAbsentIn(p, order));
  return isProof(after) && !isProof(file.proven.observed);
}

/** The judgement that is stored with the observation; null while the attempt still needs a command. */
function judgedOf(file: ServiceFile, standing: Standing, after: Observed): Judged | null {
  const { active, activeIntent: intent } = file;
  if (active === undefined || intent === undefined) return null;
  if (intent.kind !== 'teardown' && neededCommand(intent, active) !== null) return null;
  const { attempt } = active;
  // An instance is no progress where none is wanted, or if it was observed in another cluster. One in the cluster of
  // now is, also while copies in a former one leave the service in doubt.
  const counts = standing.reading?.wanted && isOfNow(after, file.liveness);
  const { ready, furthest } = counts && standing.reading ? standing.reading : { ready: 0, furthest: 0 };
  const earlier = attempt.progress === null ? earlierProgress(file, intent, active) : null;
  const best = attempt.progress ?? earlier ?? { ready: 0, furthest: 0 };
  const further = ready > best.ready || furthest > best.furthest;
  const open = attempt.settled === null && attempt.cancel === null;
  const settles = !open
    ? null
    : isHeld(standing)
      ? 'succeeded'
      : standing.state === 'failed'
        ? 'failed'
        : null;
  return {
    revision: active.revision,
    attempt: attempt.attempt,
    contract: contractOf(standing, active),
    ...(isHeld(standing) && intent.origin.kind === 'observe' && wantedIn(standing)),
    progress:
      further || earlier !== null
        ? {
            ready: Math.max(ready, best.ready),
            furthest: Math.max(furthest, best.furthest),
            known: !further,
          }
        : null,
    settles,
    stage: settles === 'failed' ? standing.stage : null,
    cause: settles === 'failed' ? (standing.cause?.code ?? null) : null,
    ...loopOf(standing, attempt),
    ...(standing.reading !== null && isPaused(standing.reading) && { paused: true }),
  };
}

/** Said where a crash loop fails the attempt, and where it no longer does; an unknown state says neither. */
function loopOf({ state, cause, reading }: Standing, { loop }: AttemptFacts): Pick<Judged, 'loop'> {
  const isLoop =
    cause !== null && isLoopCause(cause.code) && (cause.code === 'crash_loop' || reading?.loop != null);
  if (state === 'failed' && isLoop) return { loop: true };
  return loop?.fails && state !== 'unknown' ? { loop: false } : {};
}

/** The number that holds, so that a later report with more of them is growth and not a break. */
const wantedIn = ({ reading }: Standing): Pick<Judged, 'wanted'> =>
  reading === null ? {} : { wanted: shownCopies(reading).wanted };

const isHeld = ({ state }: Standing) => state === 'running' || state === 'stopped';

function contractOf(standing: Standing, { recorded }: RevisionFacts): Judged['contract'] {
  if (isHeld(standing)) return 'held';
  if (standing.cause?.code === 'identity_changed' || standing.cause?.code === 'not_observed') return 'opaque';
  if (recorded?.absent) return 'contradicted';
  if (isGrowth(standing)) return 'growing';
  const { reading } = standing;
  // Only its age is in the way: what was old when it came has not broken anything.
  if (standing.state === 'unknown' && reading?.held) return 'opaque';
  return reading?.wanted && reading.opaque !== null ? 'opaque' : 'unmet';
}

/**
 * The progress of this attempt before anything was judged for it: observed before the runtime received it, or instances
 * that a `scale` keeps. Only what goes beyond it counts as progress. Null after a change of identity: what was observed
 * under another identity is something else, and what was observed before the new one reported completely is a mix.
 */
function earlierProgress({ proven, liveness }: ServiceFile, intent: RevisionIntent, active: RevisionFacts) {
  if (!isOfNow(proven.observed, liveness)) return null;
  const { ready, furthest, wanted } = readContract(intent, active, proven.observed);
  return wanted === 0 || furthest === 0 ? null : { ready, furthest };
}

/** Everything that is observed was reported under the identity that the target has now. */
const isOfNow = ({ parts }: Observed, { agent }: Liveness): boolean =>
  agent === null || parts.every((part) => isOfIdentity(part, agent));

function isOfIdentity({ epoch, completeMark }: ObservedPart, agent: AgentLiveness): boolean {
  if (compareDigits(epoch, agent.identityEpoch) < 0) return false;
  return !agent.identityChanged || (completeMark?.at ?? 0) >= agent.identitySince;
}
