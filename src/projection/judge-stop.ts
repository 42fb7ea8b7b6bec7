import { isAbsent, orderMark } from './absence.ts';
import type { Mark } from './facts.ts';
import { freshnessOf, staleness } from './freshness.ts';
import { instantAfter } from './intervals.ts';
import { commandBase, startedAt } from './judge-command.ts';
import { type FormerPlace, formerCause, formerCopies } from './places.ts';
import { observedInstances } from './running-contract.ts';
import { cause, isOverdue, type JudgeInput, type Standing, soonest } from './standing.ts';

/** Teardown: `stopped` only when absence is proven, by the ledger alone or by a complete snapshot after removal. */
export function judgeStop(view: JudgeInput): Standing {
  const { attempt, facts, now, revision } = view;
  const common = base(view);
  const former = formerCopies(facts);
  if (former !== null) return inDoubt(view, former);
  if (isUncontradicted(view)) {
    const at = revision.recorded?.at ?? startedAt(view);
    return {
      state: 'stopped',
      ...common,
      cause: cause('never_applied'),
      outcome: 'succeeded',
      since: at,
      asOf: at,
      changesAt: null,
      expecting: null,
    };
  }
  const proven = provenAt(view);
  const fresh = freshnessOf(facts.proven.observed, facts.liveness);
  // mutant: absence-since-removal
  if (fresh.broken !== 'evidence_corrupt' && isAbsent(facts, orderMark(view))) {
    // mutant: stopped-fresh
    if (fresh.asOf !== null && now < fresh.until) {
      return {
        state: 'stopped',
        ...common,
        // mutant: stopped-uncontained
        cause: attempt.removed?.uncontained ? cause('uncontained') : null,
        outcome: attempt.settled?.outcome ?? 'succeeded',
        asOf: fresh.asOf,
        since: attempt.held?.at ?? now,
        freshUntil: fresh.until,
        changesAt: soonest(now, fresh.until),
        expecting: { evidence: 'runtime.observed', from: 'watcher', by: fresh.until },
      };
    }
    // An absence that was already old when it was reported never was a `stopped`: nothing has succeeded (S11).
    if (proven === null) return stopping(view);
    const why = staleness(facts.proven.observed, facts.liveness, now);
    return {
      state: 'unknown',
      ...common,
      cause: cause(why.cause),
      outcome: attempt.settled?.outcome ?? 'succeeded',
      asOf: fresh.asOf,
      since: fresh.until,
      changesAt: soonest(now, why.until),
      lastKnown: { state: 'stopped', at: fresh.asOf ?? fresh.until },
      expecting: { evidence: 'runtime.observed', from: 'watcher', by: null },
    };
  }
  return proven === null ? stopping(view) : contradicted(view, proven);
}

/** Copies were seen in a former place, and no report of the new one shows that they are gone (F114). */
function inDoubt(view: JudgeInput, former: FormerPlace): Standing {
  const { attempt, facts, intent, now } = view;
  const start = startedAt(view);
  const deadline = instantAfter(start, intent.deadlines.stopMs, facts.liveness.blind);
  const since = Math.max(start, facts.liveness.agent?.identitySince ?? start);
  const abandonAt = Math.max(deadline, since);
  const isOpen = attempt.settled === null;
  const proven = provenAt(view);
  const before = ledgerProof(view) === null ? 'in_progress' : 'succeeded';
  const isOver = before === 'in_progress' && abandonAt <= view.awake;
  return {
    state: 'unknown',
    ...base(view),
    cause: formerCause(former),
    outcome: attempt.settled?.outcome ?? (isOver ? 'abandoned' : before),
    since,
    asOf: former.asOf,
    changesAt: isOpen && before === 'in_progress' ? soonest(now, abandonAt) : null,
    overdue: isOpen && before === 'in_progress' && isOverdue(view, abandonAt),
    lastKnown: proven === null ? { state: 'stopping', at: start } : { state: 'stopped', at: proven },
    expecting: { evidence: 'operator.acted', from: 'operator', by: null },
  };
}

/** No apply was ever leased: the recorded teardown proves absence, until an instance is observed (S1). */
function ledgerProof({ revision }: JudgeInput): Mark | null {
  return revision.recorded?.absent ? revision.recorded : null;
}

/**
 * The ledger alone proves absence, and no observation has contradicted it. Once one has, absence rests on observation and
 * ages like every other: the ledger has shown that it does not record everything.
 */
function isUncontradicted(view: JudgeInput): boolean {
  if (ledgerProof(view) === null || view.attempt.broken !== null) return false;
  // mutant: removal-uncontradicted
  return observedInstances(view.facts.proven.observed).length === 0;
}

/** The last proof of absence; null if there is none. */
function provenAt(view: JudgeInput): number | null {
  return (view.attempt.held ?? ledgerProof(view))?.at ?? null;
}

/** Absence was proven once, and an instance is observed after all: `remove` is queued again. */
function contradicted(view: JudgeInput, provenAt: number): Standing {
  const { attempt, facts, now } = view;
  const fresh = freshnessOf(facts.proven.observed, facts.liveness);
  const stale = fresh.asOf === null || now >= fresh.until;
  const why = stale
    ? staleness(facts.proven.observed, facts.liveness, now)
    : { cause: 'contradictory' as const, until: fresh.until };
  const before = ledgerProof(view) === null ? 'in_progress' : 'succeeded';
  return {
    state: 'unknown',
    ...base(view),
    cause: cause(fresh.broken ?? why.cause, { instances: observedInstances(facts.proven.observed).length }),
    outcome: attempt.settled?.outcome ?? before,
    since: stale && Number.isFinite(fresh.until) ? fresh.until : (attempt.broken?.at ?? now),
    asOf: fresh.asOf,
    changesAt: soonest(now, why.until),
    lastKnown: { state: 'stopped', at: provenAt },
    expecting: { evidence: 'runtime.removed', from: 'agent', by: null },
  };
}

function stopping(view: JudgeInput): Standing {
  const { attempt, intent, facts, now } = view;
  const start = startedAt(view);
  const deadline = instantAfter(start, intent.deadlines.stopMs, facts.liveness.blind);
  const common = base(view);
  const expecting = attempt.removed
    ? ({ evidence: 'runtime.observed', from: 'watcher' } as const)
    : ({ evidence: 'runtime.removed', from: 'agent' } as const);
  if (attempt.settled !== null || deadline <= view.awake) {
    return {
      state: 'unknown',
      ...common,
      cause: cause('absence_unproven'),
      outcome: attempt.settled?.outcome ?? 'abandoned',
      since: attempt.settled?.at ?? deadline,
      asOf: attempt.removed?.at ?? start,
      changesAt: null,
      lastKnown: { state: 'stopping', at: start },
      expecting: { ...expecting, by: null },
    };
  }
  return {
    state: 'stopping',
    ...common,
    cause: null,
    outcome: 'in_progress',
    since: start,
    asOf: attempt.removed?.at ?? start,
    changesAt: soonest(now, deadline),
    overdue: isOverdue(view, deadline),
    expecting: { ...expecting, by: deadline },
  };
}

function base(view: JudgeInput) {
  return { stage: 'stop' as const, ...commandBase(view) };
}
