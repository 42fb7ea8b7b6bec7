import { nextLimit } from '../list-pages.ts';
import type { ClusterProblem } from '../problem.ts';
import { compareVersions, hasReached, higherOf } from './versions.ts';

/**
 * The decisions of a reflector, which keeps a copy of one kind in one scope: list in pages, then watch, for ever.
 * Pure: state and event in, state and actions out. Times are monotonic milliseconds.
 *
 * The copy is *proven as of* an instant when everything that had happened until then is in it (rule 2). Bookmarks and
 * open streams prove nothing: both go on while etcd is frozen. Proof is a consistent read, sent halfway through each
 * watch over the same connection, whose version the copy has reached.
 *
 * A consistent read alone does not tell a restored database (rule 1): an API server that was not restarted answers it
 * from its own memory, at the version from before. So each probe also compares the copy with etcd's history
 * (probe.ts), and nothing, not even a complete list, is proven before that.
 */
export interface ReflectState {
  readonly phase: ReflectPhase;
  /** Answers to actions of another run are ignored. */
  readonly run: number;
  /** Version of the copy: the last event, bookmark or list. Null when only a list can help. */
  readonly version: string | null;
  /** Highest version ever received. A consistent read below it is of a restored cluster (rule 1). */
  readonly highest: string | null;
  /** The copy is a whole list plus events. */
  readonly isComplete: boolean;
  readonly provenAt: number | null;
  /** Reads whose version the copy has not reached. */
  readonly unproven: readonly ConsistentRead[];
  /** The list that the copy began with, until its history was compared. */
  readonly unchecked: ConsistentRead | null;
  /** Why the copy is not proven anew; null once it is. */
  readonly problem: ClusterProblem | null;
  /** Failures since the last proof. */
  readonly failures: number;
  /** Refusals since the last proof that were not believed. */
  readonly doubted: number;
}

type ReflectPhase =
  | { readonly kind: 'listing'; readonly page: PageAsked; readonly first: ConsistentRead | null }
  | { readonly kind: 'opening' }
  | { readonly kind: 'watching'; readonly openedAt: number; readonly probe: ProbePhase }
  | { readonly kind: 'waiting'; readonly until: number; readonly next: 'list' | 'watch' };

interface PageAsked {
  readonly limit: number;
  readonly next: string | null;
  readonly sentAt: number;
  /** `highest` when it was sent: events that overtake the answer must not look like a restored cluster. */
  readonly floor: string | null;
}

type ProbePhase =
  | { readonly kind: 'due'; readonly at: number }
  | { readonly kind: 'sent'; readonly at: number; readonly floor: string | null }
  | { readonly kind: 'done' };

interface ConsistentRead {
  readonly sentAt: number;
  readonly version: string;
}

export type ReflectEvent =
  | { readonly kind: 'tick' }
  | {
      readonly kind: 'page';
      readonly run: number;
      readonly version: string;
      readonly next: string | null;
      readonly bytes: number;
    }
  | { readonly kind: 'opened'; readonly run: number; readonly isSameConnection: boolean }
  /** An object was added, modified or deleted. */
  | { readonly kind: 'changed'; readonly run: number; readonly version: string }
  | { readonly kind: 'bookmark'; readonly run: number; readonly version: string }
  | {
      readonly kind: 'probed';
      readonly run: number;
      readonly version: string;
      /** Etcd still has in its history what the copy contained at the probe before. */
      readonly isSameHistory: boolean;
    }
  | { readonly kind: 'probe_failed'; readonly run: number; readonly problem: ClusterProblem }
  /** The list or the watch failed; null: the watch ended as it should. */
  | { readonly kind: 'ended'; readonly run: number; readonly problem: ClusterProblem | null };

export type ReflectAction =
  | { readonly do: 'list'; readonly run: number; readonly limit: number; readonly next: string | null }
  | {
      readonly do: 'watch';
      readonly run: number;
      readonly version: string;
      readonly timeoutSeconds: number;
    }
  /** Reads over the connection of the watch: a list of one object, and etcd's history. */
  | { readonly do: 'probe'; readonly run: number; readonly timeoutMs: number }
  /** Ends whatever belongs to the former run. */
  | { readonly do: 'abandon' }
  | { readonly do: 'stage' }
  | { readonly do: 'commit' }
  | { readonly do: 'apply' }
  /** Forgets the copy. */
  | { readonly do: 'drop'; readonly because: 'restored' | 'absent' };

export interface ReflectDecision {
  readonly state: ReflectState;
  readonly actions: readonly ReflectAction[];
}

const WATCH_SECONDS = 5;
const PROBE_AFTER_MS = (WATCH_SECONDS * 1000) / 2;
const PROBE_TIMEOUT_MS = 2_000;
/** The server ends the watch after its time; a frozen one does not. */
const WATCH_GRACE_MS = 2_000;
/** A watch that ends sooner without a failure is one all the same: a server that does so would be asked without pause. */
const SHORTEST_WATCH_MS = 1_000;
/** Caps the reads that wait for the watch. Events have no bookmarks, so that a calm watch of them never catches up. */
const UNPROVEN = 8;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 10_000;
/** A server that is not there costs nobody anything to ask: that it is back should be seen soon. */
const LONGEST_AWAY_MS = 3_000;
const DOUBTED_REFUSALS = 10;
const DOUBT_MS = 2_000;
/** After a restart of the API server every watch is too old at once; their lists are spread over this time. */
const SPREAD_MS = 500;

export function beginReflecting(highest: string | null, now: number): ReflectDecision {
  const state: ReflectState = {
    phase: { kind: 'waiting', until: now, next: 'list' },
    run: 0,
    version: null,
    highest,
    isComplete: false,
    provenAt: null,
    unproven: [],
    unchecked: null,
    problem: null,
    failures: 0,
    doubted: 0,
  };
  return list(state, now);
}

/** The instant at which `tick` is due; null while an answer is awaited that has a limit of its own. */
export function tickAt({ phase }: ReflectState): number | null {
  switch (phase.kind) {
    case 'waiting':
      return phase.until;
    case 'watching':
      return phase.probe.kind === 'due' ? phase.probe.at : endOf(phase.openedAt);
    default:
      return null;
  }
}

const endOf = (openedAt: number) => openedAt + WATCH_SECONDS * 1000 + WATCH_GRACE_MS;

export function decideReflect(
  state: ReflectState,
  event: ReflectEvent,
  now: number,
  random: () => number,
): ReflectDecision {
  if (event.kind === 'tick') return tick(state, now, random);
  if (event.run !== state.run) return { state, actions: [] };
  switch (event.kind) {
    case 'page':
      return page(state, event, now);
    case 'opened':
      return opened(state, event.isSameConnection, now);
    case 'changed':
    case 'bookmark':
      if (isBelow(event.version, state.version)) return backwards(state, now, random);
      return {
        state: reached(state, event.version),
        actions: event.kind === 'changed' ? [{ do: 'apply' }] : [],
      };
    case 'probed':
      return probed(state, event, now, random);
    case 'probe_failed':
      return probeFailed(state, event.problem, now, random);
    case 'ended':
      return ended(state, event.problem, now, random);
  }
}

function tick(state: ReflectState, now: number, random: () => number): ReflectDecision {
  const due = tickAt(state);
  if (due === null || now < due) return { state, actions: [] };
  const { phase } = state;
  if (phase.kind === 'waiting') return phase.next === 'list' ? list(state, now) : watch(state, now);
  if (phase.kind !== 'watching') return { state, actions: [] };
  if (phase.probe.kind === 'due') {
    const probe: ProbePhase = { kind: 'sent', at: now, floor: state.highest };
    return {
      state: { ...state, phase: { ...phase, probe } },
      actions: [{ do: 'probe', run: state.run, timeoutMs: PROBE_TIMEOUT_MS }],
    };
  }
  const message = `A watch of ${WATCH_SECONDS} s has not ended after ${WATCH_SECONDS + WATCH_GRACE_MS / 1000} s.`;
  return fail(state, { kind: 'timed_out', message }, 'watch', now, random);
}

function list(state: ReflectState, now: number): ReflectDecision {
  const limit = nextLimit(null);
  const asked: PageAsked = { limit, next: null, sentAt: now, floor: state.highest };
  const run = state.run + 1;
  return {
    state: { ...state, run, phase: { kind: 'listing', page: asked, first: null } },
    actions: [{ do: 'abandon' }, { do: 'list', run, limit, next: null }],
  };
}

function watch(state: ReflectState, now: number): ReflectDecision {
  if (state.version === null) return list(state, now);
  const run = state.run + 1;
  return {
    state: { ...state, run, phase: { kind: 'opening' } },
    actions: [{ do: 'abandon' }, { do: 'watch', run, version: state.version, timeoutSeconds: WATCH_SECONDS }],
  };
}

function page(
  state: ReflectState,
  event: Extract<ReflectEvent, { kind: 'page' }>,
  now: number,
): ReflectDecision {
  const { phase } = state;
  if (phase.kind !== 'listing') return { state, actions: [] };
  const first = phase.first ?? { sentAt: phase.page.sentAt, version: event.version };
  const isRestored = phase.first === null && isBelow(event.version, phase.page.floor);
  const before = isRestored ? forgotten(state) : state;
  const dropped: ReflectAction[] = isRestored ? [{ do: 'drop', because: 'restored' }] : [];
  if (event.next !== null) {
    const limit = nextLimit({ limit: phase.page.limit, bytes: event.bytes });
    const asked: PageAsked = { ...phase.page, limit, next: event.next };
    return {
      state: { ...before, phase: { kind: 'listing', page: asked, first } },
      actions: [...dropped, { do: 'stage' }, { do: 'list', run: state.run, limit, next: event.next }],
    };
  }
  // All pages show the version of the first, which was current when the first was sent.
  const complete: ReflectState = {
    ...before,
    isComplete: true,
    version: first.version,
    highest: higherOf(before.highest, first.version),
    unproven: [],
    unchecked: first,
  };
  const next = watch(complete, now);
  return {
    state: next.state,
    actions: [...dropped, { do: 'stage' }, { do: 'commit' }, ...next.actions],
  };
}

function opened(state: ReflectState, isSameConnection: boolean, now: number): ReflectDecision {
  if (state.phase.kind !== 'opening') return { state, actions: [] };
  // A new list is worth nothing before its history was compared, so that is done at once.
  const probe: ProbePhase = { kind: 'due', at: now + (state.unchecked === null ? PROBE_AFTER_MS : 0) };
  const unproven = isSameConnection ? state.unproven : [];
  return {
    state: { ...state, unproven, phase: { kind: 'watching', openedAt: now, probe } },
    actions: [],
  };
}

/** A watch never goes back. Only a consistent read can tell a restored cluster, so one is made. */
function backwards(state: ReflectState, now: number, random: () => number): ReflectDecision {
  const message = 'A watch delivered an older version after a newer one.';
  return fail(state, { kind: 'protocol', message }, 'list', now, random);
}

/** The copy has reached a version: proves every read that it has now caught up with. */
function reached(state: ReflectState, version: string): ReflectState {
  const at = { ...state, version, highest: higherOf(state.highest, version) };
  const caught = at.unproven.filter((read) => hasReached(version, read.version));
  if (caught.length === 0) return at;
  const unproven = at.unproven.filter((read) => !caught.includes(read));
  return proven({ ...at, unproven }, Math.max(...caught.map(({ sentAt }) => sentAt)));
}

function proven(state: ReflectState, asOf: number): ReflectState {
  return {
    ...state,
    provenAt: Math.max(asOf, state.provenAt ?? asOf),
    problem: null,
    failures: 0,
    doubted: 0,
  };
}

function probed(
  state: ReflectState,
  { version, isSameHistory }: Extract<ReflectEvent, { kind: 'probed' }>,
  now: number,
  random: () => number,
): ReflectDecision {
  const { phase } = state;
  if (phase.kind !== 'watching' || phase.probe.kind !== 'sent') return { state, actions: [] };
  const { at, floor } = phase.probe;
  if (!isSameHistory || isBelow(version, floor)) {
    const message =
      'The cluster’s database was replaced by an older copy, and its API server has not noticed.';
    const failed = fail(forgotten(state), { kind: 'restored', message }, 'list', now, random);
    return { ...failed, actions: [{ do: 'drop', because: 'restored' }, ...failed.actions] };
  }
  const { unchecked } = state;
  const checked: ReflectState = { ...state, unchecked: null, phase: { ...phase, probe: { kind: 'done' } } };
  const listed = unchecked === null ? checked : proven(checked, unchecked.sentAt);
  if (hasReached(state.version, version)) return { state: proven(listed, at), actions: [] };
  const unproven = [...state.unproven, { sentAt: at, version }].slice(-UNPROVEN);
  return { state: { ...listed, unproven }, actions: [] };
}

/** A read that times out or is throttled says nothing about the watch, which goes on unproven. */
function probeFailed(
  state: ReflectState,
  problem: ClusterProblem,
  now: number,
  random: () => number,
): ReflectDecision {
  const { phase } = state;
  if (phase.kind !== 'watching') return { state, actions: [] };
  if (problem.kind !== 'timed_out' && problem.kind !== 'unavailable')
    return ended(state, problem, now, random);
  return {
    state: { ...state, problem, phase: { ...phase, probe: { kind: 'done' } } },
    actions: [],
  };
}

function ended(
  state: ReflectState,
  problem: ClusterProblem | null,
  now: number,
  random: () => number,
): ReflectDecision {
  const { phase } = state;
  if (problem === null) {
    const lasted = phase.kind === 'watching' ? now - phase.openedAt : 0;
    if (lasted >= SHORTEST_WATCH_MS) return watch(state, now);
    const message = 'A watch ended as soon as it was open.';
    return fail(state, { kind: 'protocol', message }, 'watch', now, random);
  }
  switch (problem.kind) {
    case 'gone': {
      // A token or version that is too old is the way of things; only when it repeats is it a failure.
      const old: ReflectState = {
        ...state,
        version: null,
        failures: state.failures + 1,
        problem: state.failures === 0 ? state.problem : problem,
      };
      const pause = state.failures === 0 ? SPREAD_MS * random() : pauseMs(state.failures, random);
      return wait(old, 'list', pause, now);
    }
    case 'absent': {
      const failed = fail({ ...forgotten(state), highest: state.highest }, problem, 'list', now, random);
      return { ...failed, actions: [{ do: 'drop', because: 'absent' }, ...failed.actions] };
    }
    case 'forbidden':
      if (!isOfNewServer(state)) return fail(state, problem, 'list', now, random);
      // Asked again soon, and until then it is the outage that goes on.
      return wait(
        { ...state, doubted: state.doubted + 1 },
        'list',
        DOUBT_MS / 2 + (DOUBT_MS / 2) * random(),
        now,
      );
    case 'unauthorized':
    case 'refused':
    case 'conflict':
    case 'protocol':
      return fail(state, problem, 'list', now, random);
    default:
      return fail(state, problem, phase.kind === 'listing' ? 'list' : 'watch', now, random);
  }
}

const OUTAGES: ReadonlySet<ClusterProblem['kind']> = new Set(['unreachable', 'timed_out', 'unavailable']);

/**
 * An API server that has just come up refuses everybody until it has read the roles (seen for 9 s). Rejected: not to believe
 * a refusal for a while in general, which would tell a real one late.
 */
const isOfNewServer = ({ problem, doubted }: ReflectState) =>
  problem !== null && OUTAGES.has(problem.kind) && doubted < DOUBTED_REFUSALS;

function fail(
  state: ReflectState,
  problem: ClusterProblem,
  next: 'list' | 'watch',
  now: number,
  random: () => number,
): ReflectDecision {
  const retryAfterMs = problem.kind === 'unavailable' ? (problem.retryAfterMs ?? 0) : 0;
  const longest = problem.kind === 'unreachable' ? LONGEST_AWAY_MS : LONGEST_PAUSE_MS;
  const pause = Math.max(retryAfterMs * (1 + random() / 10), pauseMs(state.failures, random, longest));
  return wait({ ...state, problem, failures: state.failures + 1 }, next, pause, now);
}

function wait(state: ReflectState, next: 'list' | 'watch', ms: number, now: number): ReflectDecision {
  return {
    state: { ...state, run: state.run + 1, phase: { kind: 'waiting', until: now + ms, next } },
    actions: [{ do: 'abandon' }],
  };
}

function pauseMs(failures: number, random: () => number, longest = LONGEST_PAUSE_MS): number {
  const full = Math.min(longest, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
  return full / 2 + (full / 2) * random();
}

/** Nothing of the copy holds any longer. */
function forgotten(state: ReflectState): ReflectState {
  return {
    ...state,
    version: null,
    highest: null,
    isComplete: false,
    provenAt: null,
    unproven: [],
    unchecked: null,
  };
}

function isBelow(version: string, floor: string | null): boolean {
  return floor !== null && (compareVersions(version, floor) ?? 0) < 0;
}
