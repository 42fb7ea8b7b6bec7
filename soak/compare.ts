import type { State } from '../src/contract/vocabulary.ts';

/** The truth about a service at one instant, found by looking and not by asking Evident. */
export interface TruthSample {
  readonly at: number;
  /** Counts the processes of each revision that run and answer for themselves. */
  readonly answering: Readonly<Record<number, number>>;
  /** The revision that answers where its users ask; null: none does; `portless`: it has no port. */
  readonly routed: number | null | 'portless';
  /** Processes of it that live, of whatever revision, stopped or not. */
  readonly alive: number;
  /** Processes of the current revision that ended in the last ten minutes. */
  readonly exits: number;
  /** It is an app that crashes again and again, and has done so often enough (F113). */
  readonly isCrashLoop: boolean;
}

/** A claim of one interface, from the request for it to its arrival. */
export interface ClaimSample {
  readonly from: number;
  readonly to: number;
  readonly state: State;
  readonly replicas: number;
  /** The revisions whose processes count: its own, and those that a scaling keeps. */
  readonly revisions: readonly number[];
}

/** The times by which a claim may lag behind the truth. */
export interface Bounds {
  /** Freshness, a second, and the window in which an earlier answer of an instance still counts. */
  readonly lagMs: number;
  /** Everything must have held for this long before it is called running. */
  readonly stabilityMs: number;
}

export type ComparedClaim = 'in_step' | 'false_green' | 'false_red' | 'false_stopped' | 'unjudged';

/** A wider gap between two looks says that we were not looking: nothing is judged over it. */
const GAP_MS = 1_500;
const RED: ReadonlySet<State> = new Set(['failed', 'degraded']);

/**
 * Holds a claim against the truth. A claim is false if the truth was otherwise at every look of the whole lag that it
 * is allowed, up to its arrival: what has just changed is not held against it.
 */
export function compare(claim: ClaimSample, truth: readonly TruthSample[], bounds: Bounds): ComparedClaim {
  if (claim.state === 'running')
    return held(claim, truth, bounds.lagMs, (look) => !holds(look, claim), 'false_green');
  if (RED.has(claim.state))
    return held(claim, truth, redLagMs(truth, bounds), (look) => holds(look, claim), 'false_red');
  if (claim.state === 'stopped')
    return held(claim, truth, bounds.lagMs, ({ alive }) => alive > 0, 'false_stopped');
  return 'in_step';
}

type Counted = Pick<ClaimSample, 'revisions' | 'replicas'>;

/** The running contract, as far as it can be seen from outside. */
function holds(look: TruthSample, claim: Counted): boolean {
  const { routed } = look;
  const isRouted = routed === 'portless' || (routed !== null && claim.revisions.includes(routed));
  return isRouted && isAnsweredByEnough(look, claim);
}

/** As many processes as were requested answer for themselves, whether or not anything leads to them. */
export function isAnsweredByEnough(look: TruthSample, { revisions, replicas }: Counted): boolean {
  const ready = revisions.reduce((sum, revision) => sum + (look.answering[revision] ?? 0), 0);
  return !look.isCrashLoop && replicas > 0 && ready >= replicas;
}

/** Stability has a memory: each exit doubles the window, up to ten minutes. */
export function redLagMs(truth: readonly TruthSample[], { lagMs, stabilityMs }: Bounds): number {
  const exits = truth.at(-1)?.exits ?? 0;
  return lagMs + Math.min(600_000, Math.max(1_000, stabilityMs) * 2 ** exits);
}

function held(
  claim: ClaimSample,
  truth: readonly TruthSample[],
  lagMs: number,
  isOtherwise: (look: TruthSample) => boolean,
  falsehood: 'false_green' | 'false_red' | 'false_stopped',
): ComparedClaim {
  const from = claim.from - lagMs;
  // The last look before the window began tells how it began.
  const first = truth.findLastIndex(({ at }) => at <= from);
  const looks = truth.slice(Math.max(0, first)).filter(({ at }) => at <= claim.to);
  if (!looks.every(isOtherwise)) return 'in_step';
  const instants = [...looks.map(({ at }) => at), claim.to];
  const isWatched = first >= 0 && instants.every((at, n) => at - (instants[n - 1] ?? at) <= GAP_MS);
  return isWatched ? falsehood : 'unjudged';
}
