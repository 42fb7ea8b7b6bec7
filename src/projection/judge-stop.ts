import { freshnessOf, staleness } from './freshness.ts';
import { instantAfter } from './intervals.ts';
import { commandBase, startedAt } from './judge-command.ts';
import { isAbsent } from './judge-runtime.ts';
import { observedInstances } from './running-contract.ts';
import { cause, isOverdue, type Standing, soonest, type View } from './standing.ts';

/** Teardown: `stopped` only when absence is proven, by the ledger alone or by a complete snapshot after removal. */
export function judgeStop(view: View): Standing {
  const { attempt, facts, now, revision } = view;
  const seen = base(view);
  if (revision.recorded?.absent) {
    const at = revision.recorded.at;
    return {
      ...seen,
      state: 'stopped',
      cause: cause('never_applied'),
      outcome: 'succeeded',
      since: at,
      asOf: at,
      changesAt: null,
      expecting: null,
    };
  }
  const fresh = freshnessOf(facts.proven.observed, facts.vitals);
  if (fresh.broken === null && isAbsent(facts, attempt.removed)) {
    if (fresh.asOf !== null && now < fresh.until) {
      return {
        ...seen,
        state: 'stopped',
        cause: null,
        outcome: attempt.settled?.outcome ?? 'succeeded',
        asOf: fresh.asOf,
        since: attempt.held?.at ?? now,
        freshUntil: fresh.until,
        changesAt: soonest(now, fresh.until),
        expecting: { evidence: 'runtime.observed', from: 'watcher', by: fresh.until },
      };
    }
    // An absence that was already old when it was reported never was a `stopped`: nothing has succeeded (S11).
    if (attempt.held === null) return stopping(view);
    const why = staleness(facts.vitals, now);
    return {
      ...seen,
      state: 'unknown',
      cause: cause(why.cause),
      outcome: attempt.settled?.outcome ?? 'succeeded',
      asOf: fresh.asOf,
      since: fresh.until,
      changesAt: soonest(now, why.until),
      lastKnown: { state: 'stopped', at: fresh.asOf ?? fresh.until },
      expecting: { evidence: 'runtime.observed', from: 'watcher', by: null },
    };
  }
  return attempt.held !== null ? contradicted(view) : stopping(view);
}

/** Absence was proven once, and now something is there after all: `remove` is queued again. */
function contradicted(view: View): Standing {
  const { attempt, facts, now } = view;
  const fresh = freshnessOf(facts.proven.observed, facts.vitals);
  const stale = fresh.asOf === null || now >= fresh.until;
  const why = stale ? staleness(facts.vitals, now) : { cause: 'contradictory' as const, until: fresh.until };
  return {
    ...base(view),
    state: 'unknown',
    cause: cause(fresh.broken ?? why.cause, { instances: observedInstances(facts.proven.observed).length }),
    outcome: attempt.settled?.outcome ?? 'in_progress',
    since: stale && Number.isFinite(fresh.until) ? fresh.until : (attempt.broken?.at ?? now),
    asOf: fresh.asOf,
    changesAt: soonest(now, why.until),
    lastKnown: { state: 'stopped', at: attempt.held?.at ?? now },
    expecting: { evidence: 'runtime.removed', from: 'agent', by: null },
  };
}

function stopping(view: View): Standing {
  const { attempt, intent, facts, now } = view;
  const start = startedAt(view);
  const deadline = instantAfter(start, intent.deadlines.stopMs, facts.vitals.blind);
  const seen = base(view);
  const expecting = attempt.removed
    ? ({ evidence: 'runtime.observed', from: 'watcher' } as const)
    : ({ evidence: 'runtime.removed', from: 'agent' } as const);
  if (attempt.settled !== null || deadline <= view.awake) {
    return {
      ...seen,
      state: 'unknown',
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
    ...seen,
    state: 'stopping',
    cause: null,
    outcome: 'in_progress',
    since: start,
    asOf: attempt.removed?.at ?? start,
    changesAt: soonest(now, deadline),
    overdue: isOverdue(view, deadline),
    expecting: { ...expecting, by: deadline },
  };
}

function base(view: View) {
  return { ...commandBase(view), stage: 'stop' as const };
}
