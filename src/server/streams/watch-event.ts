import type { Claim } from '../../contract/claim.ts';
import type { Digits } from '../../contract/digits.ts';
import type { Outcome } from '../../contract/vocabulary.ts';
import { rfc3339 } from '../../projection/instant.ts';
import type { TransitionRow } from '../../store/schema.ts';

/** The claim as it is now. `id` is absent where time alone changed it, and on all but the last after a reset of an org. */
export interface ClaimEvent {
  readonly event: 'claim';
  readonly id?: Digits;
  readonly data: Claim;
}

/** A recorded change of claim, with the claim after it; null where that can no longer be computed. */
export interface TransitionEvent {
  readonly event: 'transition';
  readonly id: Digits;
  readonly data: ReturnType<typeof transitionItem> & {
    readonly service: string;
    readonly claim: Claim | null;
  };
  /** The JSON of `data`, where it was prepared. */
  readonly json?: string;
}

/** For each target, when the stalest of its scopes that count was observed, and until when that is fresh. */
export type Fresh = Readonly<Record<string, { readonly asOf: string; readonly validUntil: string }>>;

/** The server's time, and how fresh each target in view is. `service` is absent where a whole org is watched. */
export interface FreshEvent {
  readonly event: 'fresh';
  readonly data: { readonly service?: string; readonly now: string; readonly targets: Fresh };
}

/** Everything received so far is void; the claims follow. */
interface ResetEvent {
  readonly event: 'reset';
  readonly data: { readonly service?: string; readonly reason: string; readonly position: Digits };
}

/** The attempt that was followed has an outcome; the last event before the end. */
export interface SettledEvent {
  readonly event: 'settled';
  readonly id: Digits;
  readonly data: Claim & {
    readonly settled: { readonly revision: number; readonly attempt: number; readonly outcome: Outcome };
  };
}

/** Everything up to `position` has been sent: what follows is live. */
interface CaughtUpEvent {
  readonly event: 'caught_up';
  readonly position: Digits;
}

/** The server ends the watch: always the last event. A client resumes after the last id it has. */
interface EndEvent {
  readonly event: 'end';
  readonly why: string;
}

/** The events that clients receive; their schemas are in src/contract/answers/events.ts. */
export type ClientEvent = ClaimEvent | TransitionEvent | FreshEvent | ResetEvent | SettledEvent;
export type WatchEvent = ClientEvent | CaughtUpEvent | EndEvent;

/** A transition as lists show it. */
export function transitionItem(row: TransitionRow) {
  const { position, at, from, to, owner, evidence, revision, attempt } = row;
  return { position, at: rfc3339(at), from, to, owner, evidence, revision, attempt };
}

export function transitionEvent(row: TransitionRow, claim: Claim | null): TransitionEvent {
  const data = { service: row.service, ...transitionItem(row), claim };
  return { event: 'transition', id: row.position, data };
}

/** The same of a claim that was prepared as text: it is parsed only for whoever looks into it. */
export function toldTransitionEvent(row: TransitionRow, claim: string): TransitionEvent {
  const item = { service: row.service, ...transitionItem(row) };
  return {
    event: 'transition',
    id: row.position,
    json: `${JSON.stringify(item).slice(0, -1)},"claim":${claim}}`,
    get data() {
      return { ...item, claim: JSON.parse(claim) as Claim };
    },
  };
}
