import { commandOrdinal } from '../contract/command-id.ts';
import type { Digits } from '../contract/digits.ts';
import type { Intent } from '../contract/intent.ts';
import type { Outcome, Stage } from '../contract/vocabulary.ts';
import type { CommandFacts, Facts } from './facts.ts';
import { freshnessOf } from './freshness.ts';
import { instantAfter } from './intervals.ts';
import { judge, judgeInputOf } from './judge.ts';
import { leaseEnd, stageDeadline, startedAt, waitingSince } from './judge-command.ts';
import { observedInstances } from './running-contract.ts';
import type { JudgeInput, Standing } from './standing.ts';
import { commandOf, neededCommand, ownedLease } from './workload.ts';

/**
 * The sweeper's decisions, as values; src/repair/carry-out.ts carries them out under the same fences as all
 * other writes. A deadline on a command reports `failed` only together with revoking the work, so that the
 * failure is true.
 */
export type Decision =
  | {
      readonly do: 'lapse';
      readonly command: string;
      readonly fence: Digits;
      readonly lapses: number;
      readonly next: 'requeue' | 'fail' | 'end';
      readonly at: number;
    }
  | { readonly do: 'withdraw'; readonly command: string | null; readonly stage: Stage; readonly at: number }
  | {
      readonly do: 'revoke';
      readonly command: string;
      readonly fence: Digits;
      readonly stage: Stage;
      readonly at: number;
    }
  | {
      readonly do: 'time_out';
      readonly stage: Stage;
      readonly outcome: Extract<Outcome, 'failed' | 'abandoned'>;
      readonly cause: string;
      readonly at: number;
    }
  | { readonly do: 'remove_again'; readonly at: number };

const LAPSES_ALLOWED = 2;

/** decide(intent, facts, now) -> what is due by now, in the order in which it should be done. */
export function decide(intent: Intent, facts: Facts, now: number): readonly Decision[] {
  const view = judgeInputOf(intent, facts, now);
  if (view === null) return [];
  const standing = judge(intent, facts, now);
  return pending(view, standing).filter((d) => d.at <= view.awake);
}

/**
 * The next instant at which `decide` or the claim may change without a lease or scope that ends. Freshness by
 * reports is left out: it would cost a write per service and report.
 */
export function dueAt(intent: Intent, facts: Facts, standing: Standing, now: number): number | null {
  const view = judgeInputOf(intent, facts, now);
  if (view === null) return null;
  const instants = pending(view, standing).flatMap((d) => (d.do === 'lapse' ? [] : [d.at]));
  if (standing.state !== 'unknown' && standing.freshUntil !== standing.expecting?.by) {
    instants.push(standing.expecting?.by ?? Number.POSITIVE_INFINITY);
  }
  if (standing.state === 'unknown' && standing.outcome === 'in_progress' && standing.changesAt !== null) {
    instants.push(standing.changesAt);
  }
  if (standing.overdue) instants.push(now);
  const { freshUntil } = standing;
  // `runtime.applied` is younger than the agent's last report: no silent scope marks the end of its
  // freshness.
  if (freshUntil !== null && freshUntil > freshnessOf(facts.proven.observed, facts.liveness).until)
    instants.push(freshUntil);
  const first = Math.min(...instants);
  return Number.isFinite(first) ? first : null;
}

function pending(view: JudgeInput, standing: Standing): Decision[] {
  const { attempt } = view;
  const decisions: Decision[] = [];
  const running = attempt.commands.find((c) => ownedLease(c) !== null) ?? null;
  if (attempt.settled === null && (standing.outcome === 'failed' || standing.outcome === 'abandoned')) {
    const stage = standing.stage ?? 'readiness';
    const at = Math.min(
      view.awake,
      standing.outcome === 'failed' ? standing.since : Math.max(standing.since, 0),
    );
    decisions.push({
      do: 'time_out',
      stage,
      outcome: standing.outcome,
      cause: standing.cause?.code ?? 'not_ready',
      at,
    });
  }
  const lapse = running === null ? null : lapseOf(view, running);
  if (lapse !== null) decisions.push(lapse);
  if (attempt.settled !== null || standing.outcome !== 'in_progress')
    return [...decisions, ...removeAgain(view, standing)];
  if (attempt.cancel !== null) return decisions;
  const revoke = running === null ? withdrawOf(view) : revokeOf(view, running);
  if (revoke !== null) decisions.push(revoke);
  return decisions;
}

/**
 * A lease lapsed. The command is requeued; after three lapses the attempt fails with `worker_lost`; a removal
 * never fails.
 */
function lapseOf(view: JudgeInput, command: CommandFacts): Decision | null {
  const lease = ownedLease(command);
  if (lease === null) return null;
  const lapses = 1 + command.leases.filter((l) => l.ended?.end === 'lapsed').length;
  const over = view.attempt.cancel !== null || (view.attempt.settled !== null && command.kind !== 'remove');
  // mutant: lapses-allowed
  const next = over ? 'end' : command.kind !== 'remove' && lapses > LAPSES_ALLOWED ? 'fail' : 'requeue';
  // mutant: lapse-at
  const at = leaseEnd(view.facts.liveness, command, lease);
  return { do: 'lapse', command: command.id, fence: lease.fence, lapses, next, at };
}

function revokeOf(view: JudgeInput, command: CommandFacts): Decision | null {
  const lease = ownedLease(command);
  if (lease === null || command.kind === 'remove') return null;
  const at = stageDeadline(view, command, lease);
  return { do: 'revoke', command: command.id, fence: lease.fence, stage: command.kind, at };
}

/** A command that nobody owns may be withdrawn at once. */
function withdrawOf(view: JudgeInput): Decision | null {
  const kind = neededCommand(view.intent, view.revision);
  if (kind === null || kind === 'remove') return null;
  const command = commandOf(view.attempt, kind);
  const { deadlines } = view.intent;
  const blind = view.facts.liveness.blind;
  const isFirst = kind === 'build' || commandOf(view.attempt, 'build') === null;
  if (command?.published == null && isFirst) {
    return {
      do: 'withdraw',
      command: command?.id ?? null,
      stage: 'publish',
      at: instantAfter(startedAt(view), deadlines.publishMs, blind),
    };
  }
  const [stage, ms] =
    kind === 'build'
      ? (['queue', deadlines.queueMs] as const)
      : (['apply_queue', deadlines.applyQueueMs] as const);
  return {
    do: 'withdraw',
    command: command?.id ?? null,
    stage,
    at: instantAfter(waitingSince(view, command), ms, blind),
  };
}

/**
 * An instance is observed that was proven gone: it is removed again, with one removal at a time and a pause
 * between them (L5).
 */
function removeAgain(view: JudgeInput, standing: Standing): Decision[] {
  const { attempt, facts, intent } = view;
  const stopped = intent.kind === 'teardown' || intent.replicas === 0;
  // mutant: remove-again
  if (!stopped || standing.cause?.code !== 'contradictory') return [];
  if (observedInstances(facts.proven.observed).length === 0) return [];
  const last = commandOf(attempt, 'remove');
  const open =
    last !== null && last.withdrawn === null && !last.leases.some((l) => l.ended?.end === 'completed');
  if (open) return [];
  const since = Math.max(attempt.removed?.at ?? 0, attempt.applied?.at ?? 0);
  // The first removal is repeated at once; a later one waits until an observation can show its effect.
  const isFirst = last === null || commandOrdinal(last.id) === 1;
  return [{ do: 'remove_again', at: isFirst ? since : since + facts.liveness.settings.leaseTtlMs }];
}
