import type { Intent } from '../contract/intent.ts';
import { catalogueCause } from './causes.ts';
import { DEADLINES } from './deadlines.ts';
import type { Facts } from './facts.ts';
import { rfc3339 } from './instant.ts';
import { instantAfter } from './intervals.ts';
import { commandBase, judgeCommand, leaseEnd } from './judge-command.ts';
import { judgeRuntime } from './judge-runtime.ts';
import { judgeStop } from './judge-stop.ts';
import { lastJudgedState, lastKnownAt } from './last-known.ts';
import { type FormerPlace, formerCause, formerOrder } from './places.ts';
import { activeOf } from './queue.ts';
import { type Unproven, unprovenSinceRecovery } from './recovery.ts';
import { cause, isOverdue, type JudgeInput, type Standing, soonest, stageOwner } from './standing.ts';
import { commandOf, neededCommand, ownedLease } from './workload.ts';

/**
 * judge(intent, facts, now) -> standing. Pure and total: every input has an answer, and where evidence is
 * missing the answer is `unknown`. The ladder is read from above: the first rung that applies is the state.
 */
export function judge(intent: Intent, facts: Facts, now: number): Standing {
  const view = judgeInputOf(intent, facts, now);
  if (view === null) return nothingReadable(facts, now);
  const standing = ladder(view);
  const unproven = unprovenSinceRecovery(view.facts);
  return unproven === null ? standing : recovered(view, standing, unproven);
}

export function judgeInputOf(intent: Intent, facts: Facts, now: number): JudgeInput | null {
  const revision = activeOf(facts.proven);
  const desired = intent.revisions.find((r) => r.revision === revision?.revision);
  if (revision === undefined || desired === undefined) return null;
  const awake = Math.min(now, facts.liveness.awakeUntil);
  return { intent: desired, revision, attempt: revision.attempt, facts, now, awake };
}

function ladder(view: JudgeInput): Standing {
  const { attempt, intent } = view;
  if (attempt.settled?.outcome === 'cancelled') return cancelled(view);
  if (attempt.cancel !== null && attempt.settled === null) return cancelling(view);
  if (intent.kind === 'teardown') return judgeStop(view);
  const needed = neededCommand(intent, view.revision);
  if (needed === null) return judgeRuntime(view);
  const former = needed === 'apply' ? formerOrder(attempt, false, view.facts) : null;
  if (former !== null) return takenElsewhere(view, former);
  if (attempt.settled !== null) return ended(view);
  return judgeCommand(view, needed === 'build' ? 'build' : 'apply');
}

/** The attempt ended before the runtime received it: it failed, timed out after its work was revoked, or was abandoned. */
function ended(view: JudgeInput): Standing {
  const settled = view.attempt.settled;
  const stage = settled?.stage ?? 'publish';
  const shared = {
    stage,
    ...commandBase(view),
    since: settled?.at ?? view.now,
    asOf: settled?.at ?? null,
    changesAt: null,
    retrySafe: settled?.retrySafe ?? true,
  };
  if (settled?.outcome === 'abandoned') {
    const state = stage === 'build' ? 'building' : 'applying_runtime_state';
    return {
      state: 'unknown',
      ...shared,
      cause: cause('lease_lapsed', { stage }),
      lastKnown: { state, at: settled.at },
      expecting: { evidence: 'retry.requested', from: 'api', by: null },
    };
  }
  const deadline = Object.values(DEADLINES).find((d) => d.stage === stage);
  return {
    state: 'failed',
    ...shared,
    cause: cause(catalogueCause(settled?.cause ?? null, 'failed', stage) ?? 'build_failed', {
      stage,
      ...(settled?.holder === undefined ? {} : { holder: settled.holder }),
    }),
    expecting: null,
    timeout:
      settled?.timedOut && deadline !== undefined
        ? { stage, expected: deadline.expected, retrySafe: settled.retrySafe, owner: stageOwner(stage) }
        : null,
  };
}

/** A former place took the apply, and may carry it out: it is held, and given up when it has waited for too long (F114). */
function takenElsewhere(view: JudgeInput, former: FormerPlace): Standing {
  const { attempt, facts, intent, now } = view;
  const since = facts.liveness.agent?.identitySince ?? now;
  const abandonAt = instantAfter(since, intent.deadlines.applyQueueMs, facts.liveness.blind);
  const isOpen = attempt.settled === null;
  return {
    state: 'unknown',
    ...commandBase(view),
    cause: formerCause(former),
    outcome: attempt.settled?.outcome ?? (abandonAt <= view.awake ? 'abandoned' : 'in_progress'),
    since,
    stage: 'apply',
    asOf: former.asOf,
    changesAt: isOpen ? soonest(now, abandonAt) : null,
    overdue: isOpen && isOverdue(view, abandonAt),
    lastKnown: lastTaken(view, since),
    expecting: { evidence: 'operator.acted', from: 'operator', by: null },
  };
}

/** Its state before another place had the name: taken, or given back by a lapse and waiting again. */
function lastTaken(view: JudgeInput, at: number): Standing['lastKnown'] {
  const { attempt, intent } = view;
  const { settled } = attempt;
  // An attempt that was given up before keeps its last known state (seed 5542).
  if (settled !== null && settled.at < at)
    return settled.outcome === 'failed' ? { state: 'failed', at: settled.at } : ended(view).lastKnown;
  const returned = commandOf(attempt, 'apply')?.leases.at(-1)?.ended;
  // An earlier registration, of the same place, had requeued it already.
  const wasTaken = returned?.end === 'registration' && returned.at >= at;
  if (wasTaken) return { state: 'applying_runtime_state', at };
  return { state: intent.origin.kind === 'image' ? 'waiting_for_worker' : 'artifact_ready', at };
}

/** The work is still owned: a cancel is done when the holder acknowledges it or its lease ends. */
function cancelling(view: JudgeInput): Standing {
  const { attempt, facts } = view;
  const command = attempt.commands.find((c) => ownedLease(c) !== null);
  const lease = ownedLease(command ?? null);
  const by = command !== undefined && lease !== null ? leaseEnd(facts.liveness, command, lease) : null;
  return {
    state: 'cancelling',
    ...commandBase(view),
    cause: cause('cancel_requested'),
    since: attempt.cancel?.at ?? view.now,
    stage: command?.kind === 'build' ? 'build' : 'apply',
    asOf: attempt.cancel?.at ?? null,
    changesAt: soonest(view.now, by),
    expecting: { evidence: 'cancel.acknowledged', from: command?.kind === 'build' ? 'worker' : 'agent', by },
  };
}

function cancelled(view: JudgeInput): Standing {
  const { settled } = view.attempt;
  return {
    state: 'cancelled',
    ...commandBase(view),
    cause: cause('cancel_requested', view.intent.kind === 'teardown' ? { kind: 'remove' } : {}),
    since: settled?.at ?? view.now,
    stage: null,
    asOf: settled?.at ?? null,
    changesAt: null,
    expecting: null,
  };
}

function recovered(view: JudgeInput, before: Standing, unproven: Unproven): Standing {
  const { lost, recoveredAt } = view.facts.liveness;
  return {
    ...before,
    state: 'unknown',
    since: lost?.from ?? recoveredAt ?? before.since,
    freshUntil: null,
    changesAt: null,
    lastKnown:
      unproven.kind === 'not_on_record' ? lastKnownBeforeRecovery(view, before) : lastKnownOf(before),
    ...recoveryCause(unproven),
    timeout: null,
  };
}

function lastKnownOf(before: Standing): Standing['lastKnown'] {
  if (before.state === 'unknown') return before.lastKnown;
  return { state: before.state, at: lastKnownAt(before, before.asOf ?? before.since) };
}

/** Observations since the recovery were never claimed: another revision at work breaks no earlier claim. */
function lastKnownBeforeRecovery(view: JudgeInput, before: Standing): Standing['lastKnown'] {
  const { recoveredAt } = view.facts.liveness;
  const { broken, held } = view.attempt;
  if (recoveredAt === null || held === null || broken === null || broken.at <= recoveredAt)
    return lastKnownOf(before);
  return lastJudgedState({ ...view, attempt: { ...view.attempt, broken: null } });
}

/**
 * `unseen` waits for a report of the target. `not_on_record` stays until another revision replaces it. `lost`
 * is never resolved.
 */
function recoveryCause(unproven: Unproven): Pick<Standing, 'cause' | 'expecting'> {
  switch (unproven.kind) {
    case 'unseen':
      return {
        cause: cause('store_recovered'),
        expecting: { evidence: 'runtime.observed', from: 'watcher', by: null },
      };
    case 'not_on_record': {
      const { observed, recorded } = unproven;
      const params = {
        seenRevision: observed.revision,
        seenAttempt: observed.attempt,
        recordedRevision: recorded.revision,
        recordedAttempt: recorded.attempt,
      };
      return {
        cause: cause('store_recovered', params),
        expecting: { evidence: 'intent.recorded', from: 'api', by: null },
      };
    }
    case 'lost': {
      const { from, to } = unproven.lost;
      const params = { lostSince: rfc3339(from), restoredAt: rfc3339(to) };
      return { cause: cause('store_recovered', params), expecting: null };
    }
  }
}

/** No intent or facts can be read. The last recorded state stays the last known one. */
function nothingReadable({ recorded }: Facts, now: number): Standing {
  return {
    state: 'unknown',
    cause: cause('evidence_corrupt'),
    outcome: 'in_progress',
    since: now,
    stage: null,
    asOf: null,
    freshUntil: null,
    changesAt: null,
    overdue: false,
    lastKnown:
      recorded === null || recorded.state === 'unknown'
        ? null
        : { state: recorded.state, at: recorded.since },
    expecting: { evidence: 'intent.recorded', from: 'api', by: null },
    timeout: null,
    retrySafe: false,
    reading: null,
  };
}
