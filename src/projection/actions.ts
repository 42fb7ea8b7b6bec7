import { type ActionDecision, SERVICE_ACTIONS, type ServiceAction } from '../contract/actions.ts';
import type { Digits } from '../contract/digits.ts';
import type { Intent } from '../contract/intent.ts';
import type { Facts, RevisionFacts, Settled } from './facts.ts';
import { judge } from './judge.ts';
import { activeOf } from './queue.ts';
import {
  bytesOf,
  cancelRefusal,
  elsewhereRefusal,
  type JudgedRevision,
  lastGoodRefusal,
  retryRefusal,
  teardownRefusal,
  unreadable,
  type VerbRefusal,
} from './refusals.ts';
import type { Standing } from './standing.ts';

/** Inputs of a claim beside the facts. */
interface Beside {
  /** The head of the ledger at which the facts were read. */
  readonly position: Digits;
  /** The revision that a rollback without a number goes to, null if there is none, undefined if it was not read. */
  readonly lastGood: number | null | undefined;
  /** A place that may run copies still, or carry out an order; null: none. */
  readonly doubted: string | null;
}

/** The actions that start copies. */
const STARTS: ReadonlySet<ServiceAction> = new Set(['retry', 'rollback', 'restart', 'scale']);

/** Decides each action as its verb would decide it at `now`. `judged` is the judgement of these facts. */
export function actionsOf(
  intent: Intent,
  facts: Facts,
  now: number,
  judged: Standing,
  beside: Beside,
): ActionDecision[] {
  const subject = subjectAtDoor(intent, facts, now, judged, beside.position);
  return SERVICE_ACTIONS.map((action) => {
    const refusal = subject === null ? unreadable() : refusalOf(action, subject, beside.lastGood);
    if (refusal === null || refusal === undefined) {
      const allowed = refusal === null ? true : null;
      // mutant: doubled-risk
      return beside.doubted !== null && STARTS.has(action)
        ? { action, allowed, risk: secondCopy(beside.doubted) }
        : { action, allowed };
    }
    const mayForce = action === 'teardown' && subject !== null;
    return { action, allowed: false, whyNot: { code: refusal.code, detail: refusal.detail, mayForce } };
  });
}

/** Nothing that starts a second copy is offered as safe (F114). */
const secondCopy = (place: string) => ({
  code: 'identity_changed' as const,
  detail: `Copies in the former place ${place} may run still. This starts more beside them.`,
});

/** Undefined where it depends on a revision that was not read. */
function refusalOf(
  action: ServiceAction,
  subject: JudgedRevision,
  lastGood: number | null | undefined,
): VerbRefusal | undefined {
  const { intent, revision, facts } = subject;
  const { observed } = facts.proven;
  switch (action) {
    case 'retry':
      return retryRefusal(subject);
    case 'cancel':
      return cancelRefusal(subject);
    case 'teardown':
      return teardownRefusal(subject);
    case 'restart':
    case 'scale': {
      const bytes = bytesOf(intent, revision.artifact?.digest ?? null);
      return elsewhereRefusal(intent, observed) ?? (bytes.ok ? null : bytes);
    }
    case 'rollback': {
      const elsewhere = elsewhereRefusal(intent, observed);
      if (elsewhere !== null) return elsewhere;
      if (lastGood === undefined && revision.revision > 1) return undefined;
      return lastGoodRefusal(lastGood ?? null);
    }
  }
}

/**
 * Computes the active revision as a verb finds it. The door records a passed deadline before the verb
 * decides, and the next revision in the queue becomes active with that; here nothing is recorded, so the same
 * is computed.
 */
function subjectAtDoor(
  intent: Intent,
  facts: Facts,
  now: number,
  judged: Standing,
  position: Digits,
): JudgedRevision | null {
  const revision = activeOf(facts.proven);
  const revisionIntent = intent.revisions.find((r) => r.revision === revision?.revision);
  if (revision === undefined || revisionIntent === undefined) return null;
  const { outcome, stage } = judged;
  const isRecorded = revision.attempt.settled !== null;
  if (isRecorded || (outcome !== 'failed' && outcome !== 'abandoned'))
    return { intent: revisionIntent, revision, facts, standing: judged };
  const mark = { id: '', position, at: now };
  const ending = { outcome, stage, cause: null, retrySafe: judged.retrySafe, timedOut: true };
  const settled = withSettled(facts, revision, { ...mark, ...ending });
  return subjectAtDoor(intent, settled, now, judge(intent, settled, now), position);
}

function withSettled(facts: Facts, { revision }: RevisionFacts, settled: Settled): Facts {
  const revisions = facts.proven.revisions.map((r) =>
    r.revision === revision ? { ...r, attempt: { ...r.attempt, settled } } : r,
  );
  return { ...facts, proven: { ...facts.proven, revisions } };
}
