import type { Digits } from '../contract/digits.ts';
import type { Judged, ServedStamp } from '../contract/evidence.ts';
import type { Stamp } from '../contract/intent.ts';
import type { Workload } from '../contract/observation.ts';
import type { Places } from '../contract/places.ts';
import type { Instance, ServiceEntry } from '../contract/report.ts';
import type { CommandKind, Outcome, RevisionKind, Stage, State } from '../contract/vocabulary.ts';
import type { Interval } from './intervals.ts';

/**
 * A claim rests on facts. They have two halves, which are stored differently.
 *  - `proven` is folded from the service's ledger rows alone; the stored copy is a cache (S9).
 *  - `liveness` says who is alive: spans of agents, leases and workers. One row per silence, not per heartbeat,
 *    and read when the claim is computed, so that ten thousand services decay without a write (S2).
 */
export interface Facts {
  readonly proven: Proven;
  readonly liveness: Liveness;
  /** The last recorded transition; gives `since`, and guards the transition table. */
  readonly recorded: Recorded | null;
}

/** A piece of admitted evidence as a fact refers to it. */
export interface Mark {
  readonly id: string;
  readonly position: Digits;
  readonly at: number;
}

export interface Proven {
  /** The lowest revision that can still be active; evidence of earlier ones is history. */
  readonly from: number;
  /** Ascending: the active revision first, then those that wait in the queue. */
  readonly revisions: readonly RevisionFacts[];
  /** The first acknowledged lease of any apply: without one, nothing can be running. */
  readonly leasedApply: Mark | null;
  /** Numbers between two revisions that were never handed out, ascending: no history makes them revisions. */
  readonly leftOut?: readonly RevisionGap[];
  readonly observed: Observed;
}

export interface RevisionGap {
  readonly above: number;
  readonly below: number;
  /** The row that recorded the revision above the gap. */
  readonly evidence: string;
}

export interface RevisionFacts {
  readonly revision: number;
  readonly recorded:
    | (Mark & {
        readonly kind: RevisionKind;
        readonly queued: boolean;
        readonly behind?: number;
        readonly absent: boolean;
      })
    | null;
  /**
   * The instant at which its deadlines start: when it was recorded, or when the revision that it waited for
   * ended.
   */
  readonly activatedAt: number;
  /** Belongs to the revision, not to the attempt: a retry does not build again. */
  readonly artifact: (Mark & { readonly digest: string; readonly port: number | null }) | null;
  /** Its template, where it was recorded before there was one: of a Deployment that was created paused. */
  readonly adopted?: Mark & { readonly template: string };
  readonly attempt: AttemptFacts;
}

/** The newest attempt of a revision. */
export interface AttemptFacts {
  readonly attempt: number;
  readonly requested: Mark | null;
  readonly cancel: (Mark & { readonly immediate: boolean; readonly queued: boolean }) | null;
  readonly commands: readonly CommandFacts[];
  /** The first evidence in the ledger that says by itself that the attempt is over. */
  readonly ending: Settled | null;
  /** The end of the attempt: `ending`, or a cancel that came before it. Never replaced (S11). */
  readonly settled: Settled | null;
  readonly applied: (Mark & { readonly artifact: string | null }) | null;
  /** `uncontained`: what left the instances may run still; nothing there could hold it (F117). */
  readonly removed: (Mark & { readonly uncontained?: true }) | null;
  /** The last evidence with which the running contract was recorded as held. */
  readonly held: (Mark & { readonly wanted?: number }) | null;
  /** The first evidence since it last held that more is wanted than held, and nothing of that is broken. */
  readonly growing?: Mark;
  /** The evidence with which it was recorded as unmet for the first time since it last held. */
  readonly broken: Mark | null;
  readonly progress: (Mark & { readonly ready: number; readonly furthest: number }) | null;
  /** The last evidence that a crash loop fails the attempt, or no longer does; absent if none ever did. */
  readonly loop?: Mark & { readonly fails: boolean };
}

export interface Settled extends Mark {
  readonly outcome: Exclude<Outcome, 'in_progress' | 'superseded'>;
  readonly stage: Stage | null;
  readonly cause: string | null;
  readonly retrySafe: boolean;
  /** Ended by a deadline, and not by evidence of failure. */
  readonly timedOut: boolean;
  /** The service that is in the way, where its evidence names one. */
  readonly holder?: string;
}

export interface CommandFacts {
  readonly id: string;
  readonly kind: CommandKind;
  readonly published: Mark | null;
  readonly publishFailed: Mark | null;
  /** Ascending by fence; only acknowledged leases reach the ledger. */
  readonly leases: readonly LeaseFacts[];
  readonly requeued: Mark | null;
  readonly withdrawn: Mark | null;
  readonly progress: (Mark & { readonly step: number; readonly total: number | null }) | null;
}

export type LeaseEnd =
  | 'completed'
  | 'failed'
  | 'released'
  | 'cancelled'
  | 'lapsed'
  | 'revoked'
  | 'registration'
  | 'recovery';

export interface LeaseFacts {
  readonly fence: Digits;
  readonly acknowledged: Mark | null;
  readonly ended: (Mark & { readonly end: LeaseEnd }) | null;
}

/** The observations of this service by the target's agents. */
export interface Observed {
  /** One part per scope, sorted by scope; a complete `*` replaces all. */
  readonly parts: readonly ObservedPart[];
  /** Silences since the last progress or change of the contract: time that observation deadlines do not count. */
  readonly silences: readonly Silence[];
  readonly lastJudged: Exclude<Judged['contract'], 'opaque'> | null;
  /** Instances that another place showed, which nobody has seen since; absent where there are none (F114). */
  readonly left?: readonly LeftPart[];
  /** The last revisions that were seen serving, the newest last; absent where none was. */
  readonly served?: readonly ServedRevision[];
  /** In observe mode by a rule: the workload as it was last shown, under which version of the rule; else absent. */
  readonly workload?: ShownWorkload;
  /** The commits of revisions in observe mode, where the cluster names one; newest last. */
  readonly commits?: readonly { readonly revision: number; readonly commit: string }[];
  /** Since when no deadline runs, if none does now: nothing but the window is missing. */
  readonly pausedSince?: number;
  /** The state before what is observed could no longer be judged, and until when it was observed; absent while it can. */
  readonly known?: Stamp & { readonly state: State; readonly asOf: number };
  /** Absent while nothing has exited. Each as it was last found to exit, newest last (F113). */
  readonly exits?: readonly InstanceExits[];
  /** Absent while nothing has ended. In the order in which they were seen. */
  readonly ends?: readonly SeenEnd[];
}

/** Facts of before the count was kept have none. */
type LeftInstance = Pick<Instance, 'uid' | 'revision' | 'attempt' | 'template'> &
  Partial<Pick<Instance, 'restarts'>>;

/** A workload as it was last shown. */
interface ShownWorkload {
  readonly workload: Workload;
  readonly scope: string;
  readonly version: number;
  /** The row that showed it, and the one under whose version of the rule its scope was last recorded. */
  readonly evidence: string;
  readonly scopeVersion: number;
  /** Another place reports under the target's name since: that it does not show the workload proves nothing. */
  readonly isElsewhere?: true;
}

/** The instances of one scope as a former place showed them last. */
export interface LeftPart {
  readonly identity: string;
  readonly scope: string;
  readonly asOf: number;
  /** The row that showed them. */
  readonly mark: Mark;
  readonly instances: readonly LeftInstance[];
  /** Another attempt has held in the new place since. */
  readonly succeeded: boolean;
  /** The rows that moved them aside, and that changed them since. */
  readonly evidence: readonly string[];
}

/** A revision that was seen serving. */
export interface ServedRevision extends ServedStamp {
  /** The last report that showed it serving; of the one that serves, the first: liveness says how long it did. */
  readonly asOf: number;
  readonly isCurrent: boolean;
  /** The row that says so. */
  readonly evidence: string;
}

/** The exits of one instance, and of those whose place it took under the same name. */
export interface InstanceExits extends Pick<Instance, 'uid' | 'name' | 'revision' | 'attempt' | 'template'> {
  readonly epoch: Digits;
  /** The newest are kept. */
  readonly exits: readonly FoundExit[];
  /** All exits since it was last well for long, and the instant at which the first of them was seen. */
  readonly spell?: { readonly count: number; readonly since: number };
  /** It was observed exited, and is gone: whatever comes under its name takes its place. */
  readonly ended?: true;
  /** Another place reports now, which says nothing of it. */
  readonly elsewhere?: true;
  /** The evidence that it has held its window since the last exit: that crash loop is over. */
  readonly outlived?: string;
}

/** The end of a life of an instance, at the instant at which it was first seen. */
export interface SeenEnd {
  readonly at: number;
  readonly uid: string;
  /** The restarts before it. */
  readonly life: number;
  readonly revision: number | null;
  readonly attempt: number | null;
  /** Absent where the report that first showed it said none. */
  readonly exitCode?: number;
  /** The begin of that life by the clock of its machine, as its log has it; absent where it was not seen down. */
  readonly startedAt?: string;
  /** It stands for so many: itself, and those that followed it closely. */
  readonly count?: number;
}

/** `at` is the instant of the report that found it. */
interface FoundExit {
  readonly at: number;
  readonly evidence: string;
  /** Its runtime called it a crash loop while it was down. */
  readonly isLoop?: true;
}

/** A silence that is over, and the report that ended it. */
interface Silence extends Interval {
  readonly evidence: string;
}

export interface ObservedPart {
  readonly scope: string;
  readonly mark: Mark;
  readonly epoch: Digits;
  readonly asOf: number;
  /** The last complete snapshot of this scope, which proves absence. */
  readonly completeAsOf: number | null;
  readonly completeMark: Mark | null;
  readonly corrupt: boolean;
  readonly instances: readonly ObservedInstance[];
  readonly entry: ServiceEntry | null;
  /** The entries so far, newest last. All are kept: fold has no intent, so it cannot tell which the contract needs. */
  readonly entries: readonly SteadyEntry[];
  /** Stamps with an instance that could not be judged, and the first report since which every instance can be. */
  readonly cleared: readonly Cleared[];
}

export interface Cleared extends Pick<Instance, 'revision' | 'attempt' | 'template'> {
  readonly steady: Steady;
}

export interface SteadyEntry {
  readonly entry: ServiceEntry | null;
  readonly steady: Steady;
}

export interface ObservedInstance extends Instance {
  readonly steady: Steady;
}

/** The first report that showed something as it is now, and the last reports that did not. */
export interface Steady {
  /** `asOf` of that first report. */
  readonly since: number;
  /** The id of its evidence. */
  readonly evidence: string;
  /** The ids of the last evidence that showed it otherwise: a claim of stability cites them too. */
  readonly contrary: readonly string[];
}

export interface Recorded {
  readonly state: State;
  readonly revision: number;
  readonly attempt: number;
  readonly since: number;
  readonly position: Digits;
}

export interface Liveness {
  readonly settings: Settings;
  /** The last report of each scope. */
  readonly scopes: readonly ScopeLiveness[];
  /** Scopes whose row cannot be read: observations that rest on them count as stale (F56). */
  readonly unread: readonly string[];
  /** The current agent's registration; null if no agent ever registered. */
  readonly agent: AgentLiveness | null;
  /** The newest lease of the command that the attempt waits for. */
  readonly lease: LeaseLiveness | null;
  readonly workers: readonly WorkerLiveness[];
  /** Recorded blindness of the platform: deadlines and lease ends move by the overlap. */
  readonly blind: readonly Interval[];
  /** The last beat: a deadline is judged up to here, never over time in which the platform may have slept. */
  readonly awakeUntil: number;
  /** When the store was last restored or failed over, if ever. */
  readonly recoveredAt: number | null;
  /** For a past instant that a restore has lost: from the newest instant on record to the restore. */
  readonly lost: Interval | null;
}

export interface Settings {
  readonly freshForMs: number;
  readonly reportEveryMs: number;
  readonly leaseTtlMs: number;
  readonly offerMs: number;
  readonly blindAfterMs: number;
  /**
   * The number of ledger rows after which a service's facts are stored as a checkpoint; no claim depends on
   * it.
   */
  readonly checkpointEvery: number;
}

export const DEFAULT_SETTINGS: Settings = {
  freshForMs: 15_000,
  reportEveryMs: 5_000,
  leaseTtlMs: 30_000,
  offerMs: 5_000,
  blindAfterMs: 5_000,
  checkpointEvery: 100,
};

export interface AgentLiveness {
  readonly epoch: Digits;
  readonly registeredAt: number;
  readonly evidence: string;
  /** The first epoch under the identity that the target has now. */
  readonly identityEpoch: Digits;
  readonly identitySince: number;
  /** An earlier registration had another identity: observations before this one are about another cluster. */
  readonly identityChanged: boolean;
  readonly places: Places;
}

export interface ScopeLiveness {
  readonly scope: string;
  readonly epoch: Digits;
  /** The instant that the last report was as of, which may be long before its receipt. */
  readonly asOf: number;
  readonly receivedAt: number;
  readonly completeAt: number | null;
  readonly unavailable: 'forbidden' | 'runtime_unreachable' | null;
}

export interface LeaseLiveness {
  readonly command: string;
  readonly fence: Digits;
  readonly holder: string;
  readonly grantedAt: number;
  readonly acknowledged: boolean;
  /** For an offer, the end of the offer; else the end of the lease. */
  readonly until: number;
  readonly ended: boolean;
}

export interface WorkerLiveness {
  readonly worker: string;
  /** The last request for work. */
  readonly seenAt: number;
  /**
   * The end of the lease that it holds: until then the worker is online and busy, though it requests no work.
   */
  readonly busyUntil: number | null;
}

const NOTHING_OBSERVED: Observed = { parts: [], silences: [], lastJudged: null };
export const NOTHING_PROVEN: Proven = {
  from: 0,
  revisions: [],
  leasedApply: null,
  observed: NOTHING_OBSERVED,
};

export function emptyAttempt(attempt: number): AttemptFacts {
  return {
    attempt,
    requested: null,
    cancel: null,
    commands: [],
    ending: null,
    settled: null,
    applied: null,
    removed: null,
    held: null,
    broken: null,
    progress: null,
  };
}
