import { commandKind } from '../contract/command-id.ts';
import { compareDigits, type Digits } from '../contract/digits.ts';
import type { Body, Evidence, Judged } from '../contract/evidence.ts';
import type { Stage } from '../contract/vocabulary.ts';
import {
  type AttemptFacts,
  type CommandFacts,
  emptyAttempt,
  type LeaseEnd,
  type LeaseFacts,
  type Mark,
  type Proven,
  type RevisionFacts,
  type Settled,
} from './facts.ts';
import { foldObserved } from './fold-observed.ts';
import { forgetPast } from './queue.ts';

/**
 * fold(proven, evidence) -> proven. Pure. Folding the same rows again, or in any interleaving that keeps each
 * source's own order, gives the same facts (S9): every slot keeps the first or the last of its kind by ledger
 * position, and nothing depends on which source was folded first.
 */
export function fold(proven: Proven, e: Evidence): Proven {
  const mark = markOf(e);
  switch (e.kind) {
    case 'intent.recorded':
      return record(leaveOut(proven, e), e.revision ?? 0, {
        kind: e.body.kind,
        ...mark,
        queued: e.body.queued,
        ...(e.body.behind === undefined ? {} : { behind: e.body.behind }),
        absent: false,
      });
    case 'teardown.requested':
      return record(leaveOut(proven, e), e.revision ?? 0, {
        kind: 'teardown',
        ...mark,
        queued: false,
        absent: e.body.absent,
      });
    case 'retry.requested':
      return inAttempt(proven, e, (a) => ({ ...a, requested: first(a.requested, mark) }));
    case 'cancel.requested':
      return inAttempt(proven, e, (a) => ({
        ...a,
        cancel: first(a.cancel, { immediate: e.body.immediate, queued: e.body.queued, ...mark }),
      }));
    case 'command.published':
      return inCommand(proven, e, (c) => ({ ...c, published: first(c.published, mark) }));
    case 'command.publish_failed':
      return inCommand(proven, e, (c) => ({ ...c, publishFailed: last(c.publishFailed, mark) }));
    case 'command.acknowledged':
      return leased(
        inLease(proven, e, (l) => ({ ...l, acknowledged: first(l.acknowledged, mark) })),
        e,
        mark,
      );
    case 'command.heartbeat':
    case 'agent.heartbeat':
    case 'platform.blind':
    case 'operator.acted':
      return proven;
    case 'command.released':
      return foldLeaseEnd(proven, e, 'released');
    case 'cancel.acknowledged':
      return foldLeaseEnd(proven, e, 'cancelled');
    case 'build.progress':
      return inCommand(proven, e, (c) => ({
        ...c,
        progress: last(c.progress, { step: e.body.step, total: e.body.total ?? null, ...mark }),
      }));
    case 'build.failed':
      return ending(foldLeaseEnd(proven, e, 'failed'), e, {
        ...failure(mark, 'build', e.body.code),
        retrySafe: e.body.retrySafe ?? true,
      });
    case 'artifact.stored':
      return foldLeaseEnd(store(proven, e.revision ?? 0, mark, e.body), e, 'completed');
    case 'runtime.applied':
      return inAttempt(foldLeaseEnd(proven, e, 'completed'), e, (a) => ({
        ...a,
        applied: first(a.applied, { artifact: e.body.artifact ?? null, ...mark }),
      }));
    case 'runtime.apply_failed':
      return ending(foldLeaseEnd(proven, e, 'failed'), e, {
        ...failure(mark, 'apply', e.body.code),
        retrySafe: e.body.retrySafe,
        ...(e.body.holder === undefined ? {} : { holder: e.body.holder }),
      });
    case 'runtime.removed':
      return inAttempt(foldLeaseEnd(proven, e, 'completed'), e, (a) => ({
        ...a,
        removed: last(a.removed, e.body.contained === false ? { ...mark, uncontained: true as const } : mark),
      }));
    case 'lease.lapsed': {
      const ended = foldLeaseEnd(proven, e, 'lapsed');
      if (e.body.next !== 'fail') return ended;
      return ending(
        ended,
        e,
        failure(mark, commandKind(e.command ?? '') === 'build' ? 'build' : 'apply', 'worker_lost'),
      );
    }
    case 'stage.timed_out': {
      const timed = e.fence === null ? proven : foldLeaseEnd(proven, e, 'revoked');
      const outcome = e.body.outcome === 'abandoned' ? 'abandoned' : 'failed';
      return ending(timed, e, { ...failure(mark, e.body.stage, e.body.cause), outcome, timedOut: true });
    }
    case 'command.requeued': {
      // No holder had acknowledged the offer: the command still waits, and its queue deadline goes on.
      if (e.body.after === 'offer') return proven;
      const requeued = inCommand(proven, e, (c) => ({ ...c, requeued: last(c.requeued, mark) }));
      const { after } = e.body;
      return after === 'registration' || after === 'recovery' ? foldLeaseEnd(requeued, e, after) : requeued;
    }
    case 'command.held':
      return e.fence === null ? proven : foldLeaseEnd(proven, e, 'registration');
    case 'command.withdrawn': {
      const withdrawn = inCommand(proven, e, (c) => ({ ...c, withdrawn: first(c.withdrawn, mark) }));
      if (e.body.why !== 'deadline') return withdrawn;
      return ending(withdrawn, e, {
        ...failure(mark, e.body.stage, `${e.body.stage}_timed_out`),
        timedOut: true,
      });
    }
    case 'runtime.observed':
    case 'route.observed': {
      const seen = foldObserved(proven, e.body, mark);
      const { judged, adopts } = e.body;
      if (seen === proven) return seen;
      const observed = adopts === undefined ? seen : adopt(seen, adopts, mark);
      if (judged === null) return observed;
      return inAttempt(observed, judged, (a) => {
        const { contract, wanted } = judged;
        const holds = wanted === undefined ? mark : { wanted, ...mark };
        const held = contract === 'held' ? last(a.held, holds) : a.held;
        // Absence that only the ledger proved has no `held` before it: the judgement itself says that it broke.
        const could = judged.contract === 'unmet' ? a.held !== null : judged.contract === 'contradicted';
        const again = a.broken === null || (a.held !== null && before(a.broken, a.held));
        const breaks = could && again && (a.held === null || before(a.held, mark));
        return {
          ...a,
          held,
          broken: breaks ? mark : a.broken,
          ...(contract === 'growing' && { growing: growingSince(a, mark) }),
          progress:
            judged.progress === null ? a.progress : last(a.progress, progressOf(judged.progress, mark)),
          ending: judged.settles === null ? a.ending : first(a.ending, settledBy(judged, mark)),
          ...(judged.loop === undefined ? {} : { loop: loopAfter(a.loop, judged.loop, mark) }),
        };
      });
    }
  }
}

function markOf(e: { id: string; position: Digits; receivedAt: number }): Mark {
  return { id: e.id, position: e.position, at: e.receivedAt };
}

/** Progress that was observed before the attempt restarts no clock: it counts from instant 0. */
function progressOf(
  { ready, furthest, known }: NonNullable<Judged['progress']>,
  mark: Mark,
): NonNullable<AttemptFacts['progress']> {
  return { ready, furthest, ...mark, at: known ? 0 : mark.at };
}

function growingSince({ growing, held }: AttemptFacts, mark: Mark): Mark {
  return growing !== undefined && held !== null && before(held, growing) ? growing : mark;
}

/** The instant at which a crash loop first failed the attempt stays; every judgement that repeats it changes nothing. */
function loopAfter(
  loop: AttemptFacts['loop'],
  fails: boolean,
  mark: Mark,
): NonNullable<AttemptFacts['loop']> {
  const next = { fails, ...mark };
  if (loop === undefined) return next;
  return loop.fails === fails ? loop : last(loop, next);
}

function settledBy(judged: NonNullable<Body<'runtime.observed'>['judged']>, mark: Mark): Settled {
  if (judged.settles === 'failed') return failure(mark, judged.stage ?? 'start', judged.cause);
  return { outcome: 'succeeded', stage: null, cause: null, retrySafe: true, timedOut: false, ...mark };
}

function failure(mark: Mark, stage: Stage, cause: string | null): Settled {
  return { outcome: 'failed', stage, cause, retrySafe: true, timedOut: false, ...mark };
}

const before = (a: Mark, b: Mark) => compareDigits(a.position, b.position) < 0;
const first = <T extends Mark>(have: T | null, next: T): T =>
  have !== null && !before(next, have) ? have : next;
const last = <T extends Mark>(have: T | null, next: T): T =>
  have !== null && !before(have, next) ? have : next;

/** Facts are about revisions that can still be active; one below `from` is history. */
function inRevision(proven: Proven, revision: number, change: (r: RevisionFacts) => RevisionFacts): Proven {
  if (revision < proven.from) return proven;
  const i = proven.revisions.findIndex((r) => r.revision >= revision);
  const found = proven.revisions[i];
  const revisions =
    found?.revision === revision
      ? proven.revisions.with(i, change(found))
      : proven.revisions.toSpliced(i < 0 ? proven.revisions.length : i, 0, change(emptyRevision(revision)));
  return forgetPast({ ...proven, revisions });
}

function emptyRevision(revision: number): RevisionFacts {
  return { revision, recorded: null, activatedAt: 0, artifact: null, attempt: emptyAttempt(1) };
}

function leaveOut(proven: Proven, e: Evidence<'intent.recorded' | 'teardown.requested'>): Proven {
  const { revision: below } = e;
  const { above } = e.body;
  const gaps = proven.leftOut ?? [];
  if (above === undefined || below === null || gaps.some((gap) => gap.below === below)) return proven;
  return {
    ...proven,
    leftOut: [...gaps, { above, below, evidence: e.id }].toSorted((a, b) => a.below - b.below),
  };
}

function record(proven: Proven, revision: number, recorded: NonNullable<RevisionFacts['recorded']>): Proven {
  return inRevision(proven, revision, (r) => {
    const earliest = first(r.recorded, recorded);
    return { ...r, recorded: earliest, activatedAt: Math.max(r.activatedAt, earliest.at) };
  });
}

function adopt(
  proven: Proven,
  { revision, template }: NonNullable<Body<'runtime.observed'>['adopts']>,
  mark: Mark,
): Proven {
  return inRevision(proven, revision, (r) => ({
    ...r,
    adopted: first(r.adopted ?? null, { template, ...mark }),
  }));
}

function store(proven: Proven, revision: number, mark: Mark, body: Body<'artifact.stored'>): Proven {
  const artifact = { digest: body.digest, port: body.plan?.port ?? null, ...mark };
  return inRevision(proven, revision, (r) => ({ ...r, artifact: first(r.artifact, artifact) }));
}

/** Only the newest attempt is kept: an older one is terminal, and its evidence is history. */
function inAttempt(
  proven: Proven,
  about: Pick<Evidence, 'revision' | 'attempt'>,
  change: (a: AttemptFacts) => AttemptFacts,
): Proven {
  const attempt = about.attempt ?? 1;
  return inRevision(proven, about.revision ?? 0, (r) => {
    if (attempt < r.attempt.attempt) return r;
    const current = attempt > r.attempt.attempt ? emptyAttempt(attempt) : r.attempt;
    return { ...r, attempt: withOutcome(change(current)) };
  });
}

function inCommand(proven: Proven, e: Evidence, change: (c: CommandFacts) => CommandFacts): Proven {
  const id = e.command;
  const kind = id === null ? null : commandKind(id);
  if (id === null || kind === null) return proven;
  return inAttempt(proven, e, (a) => {
    const i = a.commands.findIndex((c) => c.id === id);
    const found = a.commands[i];
    if (found) return { ...a, commands: a.commands.with(i, change(found)) };
    const added = change(emptyCommand(id, kind));
    return {
      ...a,
      commands: [...a.commands, added].sort((x, y) => x.id.length - y.id.length || (x.id < y.id ? -1 : 1)),
    };
  });
}

function emptyCommand(id: string, kind: CommandFacts['kind']): CommandFacts {
  return {
    id,
    kind,
    published: null,
    publishFailed: null,
    leases: [],
    requeued: null,
    withdrawn: null,
    progress: null,
  };
}

function inLease(proven: Proven, e: Evidence, change: (l: LeaseFacts) => LeaseFacts): Proven {
  const fence = e.fence;
  if (fence === null) return proven;
  return inCommand(proven, e, (c) => {
    const i = c.leases.findIndex((l) => l.fence === fence);
    const found = c.leases[i];
    if (found) return { ...c, leases: c.leases.with(i, change(found)) };
    const added = change({ fence, acknowledged: null, ended: null });
    return { ...c, leases: [...c.leases, added].sort((x, y) => compareDigits(x.fence, y.fence)) };
  });
}

function foldLeaseEnd(proven: Proven, e: Evidence, end: LeaseEnd): Proven {
  const mark = { end, ...markOf(e) };
  return inLease(proven, e, (l) => ({ ...l, ended: first(l.ended, mark) }));
}

function leased(proven: Proven, e: Evidence, mark: Mark): Proven {
  if (e.command === null || commandKind(e.command) !== 'apply') return proven;
  const earliest = first(proven.leasedApply, mark);
  return earliest === proven.leasedApply ? proven : { ...proven, leasedApply: earliest };
}

function ending(proven: Proven, e: Evidence, settled: Settled): Proven {
  return inAttempt(proven, e, (a) => ({ ...a, ending: first(a.ending, settled) }));
}

/**
 * A cancel beats what ended the work after it: a completion that still arrives counts as acknowledgement,
 * and so does the lease's end.
 */
function withOutcome(a: AttemptFacts): AttemptFacts {
  const cancelled = cancelledBy(a);
  // mutant: cancel-wins
  const byCancel = cancelled !== null && (a.ending === null || !before(a.ending, cancelled));
  const settled: Settled | null = byCancel
    ? {
        outcome: 'cancelled',
        ...cancelled,
        stage: null,
        cause: 'cancel_requested',
        retrySafe: true,
        timedOut: false,
      }
    : a.ending;
  return { ...a, settled };
}

function cancelledBy(a: AttemptFacts): Mark | null {
  const cancel = a.cancel;
  if (cancel === null) return null;
  const { id, position, at } = cancel;
  if (cancel.immediate) return { id, position, at };
  let end: Mark | null = null;
  for (const command of a.commands) {
    for (const lease of command.leases) {
      if (lease.ended !== null && before(cancel, lease.ended)) end = first(end, bare(lease.ended));
    }
  }
  return end;
}

const bare = ({ id, position, at }: Mark): Mark => ({ id, position, at });
