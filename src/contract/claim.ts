import type { ActionDecision } from './actions.ts';
import type { Digits } from './digits.ts';
import type { Params } from './params.ts';
import type { CauseCode, Kind, Mover, Outcome, Owner, Role, Stage, State } from './vocabulary.ts';

export interface Cause {
  readonly code: CauseCode;
  readonly params: Params;
}

/** A standing with its words, citations and ages, computed from intent, admitted evidence and now. Never stored. */
export interface Claim {
  readonly service: string;
  readonly state: State;
  readonly since: string;
  readonly desired: {
    readonly revision: number;
    readonly attempt: number;
    readonly artifact: string | null;
    readonly replicas: number;
  };
  readonly serving: ServingRevision | null;
  /** While nothing is proven to serve: what was last seen serving, and is not proven gone (F116). */
  readonly lastServing: LastServing | null;
  /** The proof that no revision answers; absent where one does, and where it is not known. */
  readonly nothingServes?: NothingServes | undefined;
  /** Copies in a place that the target had before, which were never proven gone (F114). */
  readonly formerPlace: { readonly identity: string; readonly copies: number; readonly asOf: string } | null;
  /** The certificate that clients of https were shown; absent where there is none. */
  readonly certificate?: RouteEnd | undefined;
  readonly outcome: Outcome;
  readonly proof: {
    readonly reached: readonly State[];
    readonly stoppedAt: State | null;
    readonly evidence: readonly string[];
  };
  /** The states that the active revision passes, in order. Empty where its intent cannot be read. */
  readonly path: readonly PathStep[];
  readonly freshness: {
    readonly asOf: string | null;
    readonly ageMs: number | null;
    readonly freshForMs: number | null;
    readonly validUntil: string | null;
  };
  readonly queued: readonly QueuedRevision[];
  readonly lastKnown: { readonly state: State; readonly at: string; readonly ageMs: number } | null;
  readonly cause: Cause | null;
  readonly expecting: {
    readonly evidence: Kind;
    readonly from: Role;
    readonly by: string | null;
    /** The end of the stage, where `by` is an earlier instant after which it goes on. */
    readonly endsAt?: string | undefined;
  } | null;
  readonly timeout: Timeout | null;
  readonly message: { readonly code: string; readonly title: string; readonly body: string };
  readonly next: {
    readonly owner: Mover;
    readonly action: string | null;
    readonly retrySafe: boolean;
    /** Another try of the same revision ends the same way; absent where it may end otherwise. */
    readonly retryHelps?: false | undefined;
    /** Another tool deploys it: it and its cluster try again by themselves, and nothing is retried here. */
    readonly elsewhere?: true | undefined;
  };
  /** One decision for each of `SERVICE_ACTIONS`. Empty in a claim that is read at a past instant. */
  readonly actions: readonly ActionDecision[];
  readonly position: Digits;
  readonly now: string;
  readonly operator?: OperatorDetail;
}

/** The end of a certificate, and whether that is near. */
interface RouteEnd {
  readonly notAfter: string;
  readonly endsSoon: boolean;
}

/** A state on the path of a revision. */
interface PathStep {
  readonly state: State;
  /** Proven for the newest attempt; the same states as in `proof.reached`. */
  readonly reached: boolean;
  /** The proof stands here: the last state that is reached, or the first state while none is. */
  readonly current: boolean;
}

export interface ServingRevision {
  readonly revision: number;
  readonly attempt: number;
  readonly asOf: string;
  readonly validUntil: string;
}

/** By the newest report of every scope; without `validUntil` the ledger alone proves it, and it does not age. */
export interface NothingServes {
  readonly asOf: string;
  readonly validUntil: string | null;
}

export interface LastServing {
  readonly revision: number;
  readonly attempt: number;
  readonly asOf: string;
  readonly ageMs: number;
}

interface QueuedRevision {
  readonly revision: number;
  readonly attempt: number;
  readonly since: string;
  readonly actor: string;
}

/** The four answers of a stage that timed out: which stage, for what it waited, is retry safe, whose move it is. */
export interface Timeout {
  readonly stage: Stage;
  readonly expected: Kind;
  readonly retrySafe: boolean;
  readonly owner: Mover;
}

export interface OperatorDetail {
  readonly stage: Stage | null;
  readonly attempt: number;
  readonly fence: Digits | null;
  readonly holder: string | null;
  readonly holderLastHeardAt: string | null;
  readonly correlation: string;
  readonly lastEvidence: { readonly id: string; readonly kind: string; readonly at: string } | null;
  readonly rejected: number;
  readonly text: string;
}

/** A recorded change of claim: the `state_transition` event. */
export interface Transition {
  readonly position: Digits;
  readonly service: string;
  readonly at: number;
  readonly from: State | null;
  readonly to: State;
  readonly owner: Owner;
  readonly evidence: string;
  readonly revision: number;
  readonly attempt: number;
}
