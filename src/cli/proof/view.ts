import type { StreamEvent } from '../../client/events.ts';
import type { Claim } from '../../contract/claim.ts';
import { compareDigits } from '../../contract/digits.ts';
import type { Stamp } from '../../contract/intent.ts';
import type { RevisionSummary } from '../../contract/presentation/about.ts';
import {
  isFresh,
  received,
  type ServerContact,
  serverNowOf,
  silenceMs,
} from '../../contract/presentation/server-contact.ts';
import type { Outcome, State } from '../../contract/vocabulary.ts';

export interface SettledAttempt extends Stamp {
  readonly outcome: Exclude<Outcome, 'in_progress'>;
}

/** Everything that a viewer has received about one attempt. */
export interface ProofView extends ServerContact {
  readonly requested: Stamp;
  readonly about: RevisionSummary;
  readonly claim: Claim;
  /**
   * The instants at which the attempt entered each state, by the server's clock; the first visit of each
   * unbroken stretch.
   */
  readonly steps: readonly { readonly state: State; readonly at: number }[];
  /** Time spent in states before this viewer connected. */
  readonly before: Readonly<Partial<Record<State, number>>>;
  /** The holder of the work in each state; only operators receive it. */
  readonly holders: Readonly<Partial<Record<State, string>>>;
  readonly settled: SettledAttempt | null;
}

export function proofViewOf(requested: Stamp, about: RevisionSummary, claim: Claim, now: number): ProofView {
  const view: ProofView = {
    requested: requested,
    about,
    claim,
    steps: [],
    before: {},
    holders: {},
    contactAt: now,
    serverAt: Date.parse(claim.now),
    fresh: {},
    lost: false,
    settled: null,
  };
  return withClaim(view, claim, now);
}

/** The next view after an event. Pure: `now` is an argument. */
export function applyEvent(view: ProofView, event: StreamEvent, now: number): ProofView {
  switch (event.event) {
    case 'open':
      return { ...view, lost: false };
    case 'lost':
      return { ...view, lost: true };
    case 'log':
      return view;
    case 'reset':
      return received(view, now, null);
    case 'fresh':
      return { ...received(view, now, event.data.now), fresh: event.data.targets };
    case 'claim':
      return withClaim(view, event.data, now);
    case 'transition': {
      const { claim, to, at } = event.data;
      const next = entered(view, event.data, to, Date.parse(at));
      return claim === null ? received(next, now, null) : withClaim(next, claim, now);
    }
  }
}

/** An older claim that arrives late does not replace a newer one. */
function withClaim(view: ProofView, claim: Claim, now: number): ProofView {
  const next = received(view, now, claim.now);
  if (compareDigits(claim.position, view.claim.position) < 0)
    return entered(next, claim.desired, claim.state, Date.parse(claim.since));
  const holder = claim.operator?.holder;
  const holders = holder == null ? next.holders : { ...next.holders, [claim.state]: holder };
  return entered({ ...next, claim, holders }, claim.desired, claim.state, Date.parse(claim.since));
}

function entered(view: ProofView, { revision, attempt }: Stamp, state: State, at: number): ProofView {
  if (revision !== view.requested.revision || attempt !== view.requested.attempt) return view;
  const last = view.steps.at(-1);
  if (last?.state === state || (last !== undefined && at < last.at)) return view;
  return { ...view, steps: [...view.steps, { state, at }] };
}

/** The view may be shown as current: the stream is alive, and the evidence of the claim is fresh. */
export function isLive(view: ProofView, now: number): boolean {
  if (view.settled === null && silenceMs(view, now) !== null) return false;
  return isFresh(view, view.claim, now);
}

/** Time that this attempt has spent in a state so far; null if it was never in it. */
export function timeInState(view: ProofView, state: State, now: number): number | null {
  let ms: number | null = view.before[state] ?? null;
  view.steps.forEach((step, i) => {
    if (step.state !== state) return;
    const end = view.steps[i + 1]?.at ?? serverNowOf(view, now);
    ms = (ms ?? 0) + Math.max(0, end - step.at);
  });
  return ms;
}

/** The claim speaks about the requested revision and attempt. */
export function isActive({ claim, requested }: Pick<ProofView, 'claim' | 'requested'>): boolean {
  return claim.desired.revision === requested.revision && claim.desired.attempt === requested.attempt;
}

/** The outcome, as far as the claim shows it; `ask` where only the attempt's own record does. */
export function settledBy(view: Pick<ProofView, 'claim' | 'requested'>): SettledAttempt | 'ask' | null {
  const { claim, requested } = view;
  if (isActive(view))
    return claim.outcome === 'in_progress' ? null : { ...requested, outcome: claim.outcome };
  const isQueued = claim.queued.some(
    ({ revision, attempt }) => revision === requested.revision && attempt === requested.attempt,
  );
  return isQueued ? null : 'ask';
}
