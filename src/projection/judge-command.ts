import type { CommandKind, Stage, State } from '../contract/vocabulary.ts';
import { DEADLINES } from './deadlines.ts';
import type { CommandFacts, LeaseFacts, Liveness, WorkerLiveness } from './facts.ts';
import { rfc3339 } from './instant.ts';
import { countedMs, instantAfter } from './intervals.ts';
import { cause, isOverdue, type JudgeInput, type Standing, soonest } from './standing.ts';
import { commandOf, ownedLease } from './workload.ts';

/** A holder renews its lease at least this often within its time; one that does not is no longer called at work. */
const RENEWALS_PER_LEASE = 3;

/** Judges the rungs before the runtime: the command is recorded, published, offered, owned. */
export function judgeCommand(view: JudgeInput, kind: 'build' | 'apply'): Standing {
  const command = commandOf(view.attempt, kind);
  const lease = ownedLease(command);
  if (lease !== null && command !== null) return owned(view, kind, command, lease);
  if (command?.published == null && isFirst(view, kind)) return accepted(view);
  return waiting(view, kind, command);
}

/** The first command of an attempt must be published; a later one waits in the state that the attempt has. */
function isFirst(view: JudgeInput, kind: CommandKind): boolean {
  return kind === 'build' || commandOf(view.attempt, 'build') === null;
}

/**
 * Spread after a named property, here and wherever objects are created by the thousand: Node 20 gives an
 * object that begins as a copy a hidden class of its own, which costs a microsecond for every property that
 * is added.
 */
function base(view: JudgeInput) {
  return {
    outcome: view.attempt.settled?.outcome ?? 'in_progress',
    freshUntil: null,
    lastKnown: null,
    timeout: null,
    retrySafe: true,
    reading: null,
    overdue: false,
  } as const;
}

export { base as commandBase };

/** The start of the attempt's own clock. */
export function startedAt(view: JudgeInput): number {
  return view.attempt.requested?.at ?? view.revision.activatedAt;
}

function accepted(view: JudgeInput): Standing {
  const start = startedAt(view);
  const limits = deadlineOf(view, 'publishMs', start);
  return {
    state: 'accepted',
    ...base(view),
    cause: null,
    since: start,
    stage: 'publish',
    asOf: start,
    changesAt: soonest(view.now, limits.by),
    expecting: { evidence: 'command.published', from: 'publisher', ...limits },
  };
}

/** The soft deadline while it is ahead, with the one that ends the stage; then that one alone. */
function deadlineOf(view: JudgeInput, name: 'publishMs' | 'queueMs' | 'applyQueueMs', start: number) {
  const { softMs } = DEADLINES[name];
  const blind = view.facts.liveness.blind;
  const end = instantAfter(start, view.intent.deadlines[name], blind);
  if (softMs === null) return { by: end };
  const soft = instantAfter(start, softMs, blind);
  return view.now < soft && soft < end ? { by: soft, endsAt: end } : { by: end };
}

export function waitingSince(view: JudgeInput, command: CommandFacts | null): number {
  const ended = command?.leases.at(-1)?.ended;
  return Math.max(
    command?.published?.at ?? 0,
    command?.requeued?.at ?? 0,
    ended?.at ?? 0,
    view.revision.artifact?.at ?? 0,
    startedAt(view),
  );
}

function waiting(view: JudgeInput, kind: 'build' | 'apply', command: CommandFacts | null): Standing {
  const queued: { state: State; stage: Stage } =
    kind === 'build'
      ? { state: 'waiting_for_worker', stage: 'queue' }
      : {
          state: view.intent.origin.kind === 'image' ? 'waiting_for_worker' : 'artifact_ready',
          stage: 'apply_queue',
        };
  const start = waitingSince(view, command);
  const limits = deadlineOf(view, kind === 'build' ? 'queueMs' : 'applyQueueMs', start);
  const why = whyWaiting(view.facts.liveness, command, view.now);
  return {
    state: queued.state,
    ...base(view),
    stage: queued.stage,
    cause: cause(why.code, { kind }),
    since: start,
    asOf: start,
    changesAt: soonest(view.now, limits.by, why.until),
    expecting: {
      evidence: 'command.acknowledged',
      from: kind === 'build' ? 'worker' : 'agent',
      ...limits,
    },
  };
}

/** The reason why nobody has acquired the command: a claim never says just "pending". */
function whyWaiting(liveness: Liveness, command: CommandFacts | null, now: number) {
  const { lease, workers, settings } = liveness;
  const offer = lease !== null && lease.command === command?.id ? lease : null;
  if (offer !== null && !offer.acknowledged && !offer.ended && now < offer.until) {
    return { code: 'offered', until: offer.until } as const;
  }
  const requeuedAt = returnedAt(command);
  // mutant: requeued
  if (requeuedAt !== null && (offer === null || offer.grantedAt <= requeuedAt))
    return { code: 'requeued', until: null } as const;
  const onlineUntil = (w: WorkerLiveness) => w.seenAt + settings.freshForMs;
  const busy = workers.flatMap((w) => (w.busyUntil !== null && now < w.busyUntil ? [w.busyUntil] : []));
  const free = workers.filter((w) => now >= (w.busyUntil ?? 0) && now < onlineUntil(w)).map(onlineUntil);
  // mutant: no-worker-online
  if (busy.length + free.length === 0) return { code: 'no_worker_online', until: null } as const;
  // The claim changes when the last free worker falls silent; with none free, when the first busy one may be free.
  const until = free.length > 0 ? Math.max(...free) : Math.min(...busy);
  // A free worker is handed the command with its next call, at the latest within its long poll.
  return { code: free.length > 0 ? 'offered' : 'all_busy', until } as const;
}

/** The last return of the command to the queue, requeued by repair or released by its holder. */
function returnedAt(command: CommandFacts | null): number | null {
  const released = (command?.leases ?? []).flatMap(({ ended }) =>
    ended?.end === 'released' ? [ended.at] : [],
  );
  const all = command?.requeued ? [command.requeued.at, ...released] : released;
  return all.length === 0 ? null : Math.max(...all);
}

function owned(
  view: JudgeInput,
  kind: 'build' | 'apply',
  command: CommandFacts,
  lease: LeaseFacts,
): Standing {
  const state = kind === 'build' ? 'building' : 'applying_runtime_state';
  const stage = kind;
  const end = leaseEnd(view.facts.liveness, command, lease);
  const contactAt = lastContactAt(view.facts.liveness, command, lease);
  const from = kind === 'build' ? 'worker' : 'agent';
  const evidence = kind === 'build' ? 'artifact.stored' : 'runtime.applied';
  // mutant: lease-overdue
  if (view.now >= end) {
    const abandonAt = instantAfter(
      command.leases[0]?.acknowledged?.at ?? contactAt,
      view.intent.deadlines[kind === 'build' ? 'buildMs' : 'applyMs'],
      view.facts.liveness.blind,
    );
    return {
      state: 'unknown',
      ...base(view),
      outcome:
        view.attempt.settled?.outcome ??
        (Math.max(abandonAt, end) <= view.awake ? 'abandoned' : 'in_progress'),
      cause: cause('lease_lapsed', { stage }),
      since: end,
      stage,
      asOf: contactAt,
      changesAt: soonest(view.now, abandonAt),
      overdue: view.attempt.settled === null && isOverdue(view, abandonAt),
      lastKnown: { state, at: contactAt },
      expecting: { evidence: 'lease.lapsed', from: 'sweeper', by: null },
    };
  }
  const by = stageDeadline(view, command, lease);
  const { settings, blind } = view.facts.liveness;
  const dueAt = instantAfter(contactAt, Math.ceil(settings.leaseTtlMs / RENEWALS_PER_LEASE), blind);
  // mutant: holder-silent
  const isSilent = view.now >= dueAt;
  return {
    state,
    ...base(view),
    cause: isSilent ? cause('holder_silent', { kind, lastHeardAt: rfc3339(contactAt) }) : null,
    since: lease.acknowledged?.at ?? contactAt,
    stage,
    asOf: contactAt,
    changesAt: soonest(view.now, dueAt, end, by),
    expecting: { evidence, from, by },
  };
}

/** The lease's end moves with every heartbeat and by the platform's own blindness. */
export function leaseEnd(liveness: Liveness, command: CommandFacts, lease: LeaseFacts): number {
  const ttl = liveness.settings.leaseTtlMs;
  return instantAfter(lastContactAt(liveness, command, lease), ttl, liveness.blind);
}

function lastContactAt(liveness: Liveness, command: CommandFacts, lease: LeaseFacts): number {
  const live = liveness.lease;
  if (live !== null && live.command === command.id && live.fence === lease.fence && live.acknowledged) {
    return live.until - liveness.settings.leaseTtlMs;
  }
  return lease.acknowledged?.at ?? 0;
}

/** The deadline covers all leases of a command together: time that earlier leases used does not come back. */
export function stageDeadline(view: JudgeInput, command: CommandFacts, lease: LeaseFacts): number {
  const blind = view.facts.liveness.blind;
  let left = view.intent.deadlines[command.kind === 'build' ? 'buildMs' : 'applyMs'];
  for (const earlier of command.leases) {
    if (earlier === lease || earlier.acknowledged === null || earlier.ended === null) continue;
    left -= countedMs(earlier.acknowledged.at, earlier.ended.at, blind);
  }
  return instantAfter(lease.acknowledged?.at ?? 0, Math.max(0, left), blind);
}
