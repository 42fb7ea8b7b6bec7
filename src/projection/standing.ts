import type { Cause, Timeout } from '../contract/claim.ts';
import type { RevisionIntent } from '../contract/intent.ts';
import type { Kind, Mover, Outcome, Role, Stage, State } from '../contract/vocabulary.ts';
import type { AttemptFacts, Facts, RevisionFacts } from './facts.ts';
import type { ContractReading } from './running-contract.ts';

/**
 * The judgement of a service at one instant, as data without sentences. `claim` adds sentences, the door adds
 * the transition.
 */
export interface Standing {
  readonly state: State;
  readonly cause: Cause | null;
  readonly outcome: Outcome;
  /** The instant at which the rule of this state fired. A recorded transition to the same state takes precedence. */
  readonly since: number;
  readonly stage: Stage | null;
  /** The instant that the evidence is as of; `freshUntil` only where the state rests on observation. */
  readonly asOf: number | null;
  readonly freshUntil: number | null;
  /** The first instant, later than now, at which time alone may change the claim. */
  readonly changesAt: number | null;
  /** A deadline has passed that no beat has confirmed yet: the claim may change at any moment. */
  readonly overdue: boolean;
  readonly lastKnown: { readonly state: State; readonly at: number } | null;
  readonly expecting: {
    readonly evidence: Kind;
    readonly from: Role;
    readonly by: number | null;
    /** The end of the stage, where `by` is an earlier instant after which it goes on. */
    readonly endsAt?: number;
  } | null;
  readonly timeout: Timeout | null;
  readonly retrySafe: boolean;
  /** The running contract as observed, where the state rests on it. */
  readonly reading: ContractReading | null;
}

/** The input of every rung of the ladder. */
export interface JudgeInput {
  readonly intent: RevisionIntent;
  readonly revision: RevisionFacts;
  readonly attempt: AttemptFacts;
  readonly facts: Facts;
  readonly now: number;
  /** Deadlines are judged up to here: never over time in which the platform may have slept. */
  readonly awake: number;
}

/** The earliest of the instants that lie after `now`. */
export function soonest(now: number, ...instants: (number | null | undefined)[]): number | null {
  let first: number | null = null;
  for (const t of instants) {
    if (t !== null && t !== undefined && t > now && Number.isFinite(t) && (first === null || t < first))
      first = t;
  }
  return first;
}

/** A deadline that has passed after the last beat: it takes effect with the next beat, at any moment. */
export function isOverdue(view: JudgeInput, deadline: number): boolean {
  return deadline <= view.now && deadline > view.awake;
}

export const cause = (code: Cause['code'], params: Cause['params'] = {}): Cause => ({ code, params });

/** The one who has to act when a stage does not end in time. */
export function stageOwner(stage: Stage): Mover {
  switch (stage) {
    case 'build':
    case 'image':
    case 'start':
    case 'readiness':
    case 'route':
    case 'runtime':
      return 'user';
    case 'publish':
    case 'queue':
    case 'apply_queue':
    case 'apply':
    case 'scheduling':
    case 'stop':
      return 'platform';
  }
}
