import type { Digits } from './digits.ts';
import type { CauseCode, Kind, Mover, Outcome, Owner, Role, Stage, State } from './vocabulary.ts';

/** Values that a message or a cause may carry: numbers, names of the model, and nothing of the platform's inside. */
export type Params = Readonly<Record<string, string | number>>;

export interface Cause {
  readonly code: CauseCode;
  readonly params: Params;
}

/** What the platform tells people: computed from intent, admitted evidence and now, never stored. */
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
  readonly serving: Serving | null;
  readonly outcome: Outcome;
  readonly proof: {
    readonly reached: readonly State[];
    readonly stoppedAt: State | null;
    readonly evidence: readonly string[];
  };
  readonly freshness: {
    readonly asOf: string | null;
    readonly ageMs: number | null;
    readonly freshForMs: number | null;
    readonly validUntil: string | null;
  };
  readonly queued: readonly QueuedRevision[];
  readonly lastKnown: { readonly state: State; readonly at: string; readonly ageMs: number } | null;
  readonly cause: Cause | null;
  readonly expecting: { readonly evidence: Kind; readonly from: Role; readonly by: string | null } | null;
  readonly timeout: Timeout | null;
  readonly message: { readonly code: string; readonly title: string; readonly body: string };
  readonly next: { readonly owner: Mover; readonly action: string | null; readonly retrySafe: boolean };
  readonly position: Digits;
  readonly now: string;
  readonly operator?: OperatorDetail;
}

export interface Serving {
  readonly revision: number;
  readonly attempt: number;
  readonly asOf: string;
  readonly validUntil: string;
}

export interface QueuedRevision {
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
