import type { State } from '../src/contract/vocabulary.ts';
import { type OwnDelayed, STARVED_MS } from './truth/own-delay.ts';

/** The truth about a service at one instant, found by looking and not by asking Evident. */
export interface TruthSample {
  readonly at: number;
  /** Counts the processes of each revision that there are. */
  readonly living: Readonly<Record<number, number>>;
  /** Counts the processes of each revision that run and answer for themselves. */
  readonly answering: Readonly<Record<number, number>>;
  /** The revisions that answer where its users ask, under each of its host names; `portless`: it has no port. */
  readonly routed: readonly number[] | 'portless';
  /** Processes of it that live, of whatever revision, stopped or not. */
  readonly alive: number;
  /** For so long a claim may doubt that it holds, after what has exited. */
  readonly steadyAfterMs: number;
  /** It is an app that crashes again and again, and has done so often enough (F113). */
  readonly isCrashLoop: boolean;
}

/** A claim of one interface, from the request for it to its arrival. */
export interface ClaimSample {
  readonly from: number;
  readonly to: number;
  readonly state: State;
  readonly replicas: number;
  /** The last time at which it said itself that it could not see, by any interface. */
  readonly unknownAt: number;
  /** The revisions whose processes count: its own, and those that a scaling keeps. */
  readonly revisions: readonly number[];
}

/** The times by which a claim may lag behind the truth. */
export interface Bounds {
  /** Freshness and a second. */
  readonly lagMs: number;
  /** The window in which an earlier answer of an instance still counts, beyond that. */
  readonly probeMs: number;
  /** We may find out so much later than the one who claims: its last question may still wait for an answer. */
  readonly settleMs: number;
  /** Everything must have held for this long before it is called running. */
  readonly stabilityMs: number;
}

export type Falsity = 'false_green' | 'false_red' | 'false_stopped';
/** `starved`: it seems false, and we ourselves did not get to look all the time. `unjudged`: we have just begun. */
export type ComparedClaim = 'in_step' | Falsity | 'starved' | 'unjudged';

/** A wider gap between two looks says that we were not looking: nothing is held against anybody over it. */
const GAP_MS = 1_500;
const RED: ReadonlySet<State> = new Set(['failed', 'degraded']);

/**
 * Holds a claim against the truth. A claim is false if the truth was otherwise at every look of the whole lag that it
 * is allowed, up to its arrival and a little beyond: neither what has just changed is held against it, nor what it has
 * seen before us.
 *
 * @param delays the times in which we did not get to look
 */
export function compare(
  claim: ClaimSample,
  truth: readonly TruthSample[],
  { lagMs, probeMs, settleMs, stabilityMs }: Bounds,
  delays: readonly OwnDelayed[],
): ComparedClaim {
  const held = (ms: number, falsity: Falsity, isOtherwise: (look: TruthSample) => boolean) =>
    heldAgainst({ from: claim.from - ms, to: claim.to + settleMs }, truth, isOtherwise, delays) ?? falsity;
  if (claim.state === 'running') {
    // A process that is gone is seen, and only one that does not answer must be asked.
    const gone = held(lagMs, 'false_green', (look) => countIn(look.living, claim) < claim.replicas);
    return gone === 'false_green'
      ? gone
      : held(lagMs + probeMs, 'false_green', (look) => !holds(look, claim));
  }
  if (RED.has(claim.state)) {
    const windowMs = Math.max(stabilityMs, truth.at(-1)?.steadyAfterMs ?? 0);
    const ms = lagMs + probeMs + windowMs;
    // An exit is dated when it is seen: its window begins when somebody looks again.
    if (claim.from - claim.unknownAt < ms) return 'in_step';
    return held(ms, 'false_red', (look) => holds(look, claim));
  }
  if (claim.state === 'stopped') return held(lagMs, 'false_stopped', ({ alive }) => alive > 0);
  return 'in_step';
}

type Counted = Pick<ClaimSample, 'revisions' | 'replicas'>;

const countIn = (counts: Readonly<Record<number, number>>, { revisions }: Counted) =>
  revisions.reduce((sum, revision) => sum + (counts[revision] ?? 0), 0);

/** The running contract, as far as it can be seen from outside. */
function holds(look: TruthSample, claim: Counted): boolean {
  const { routed } = look;
  const isRouted = routed === 'portless' || routed.some((revision) => claim.revisions.includes(revision));
  return isRouted && isAnsweredByEnough(look, claim);
}

/** As many processes as were requested answer for themselves, whether or not anything leads to them. */
export function isAnsweredByEnough(look: TruthSample, claim: Counted): boolean {
  return !look.isCrashLoop && claim.replicas > 0 && countIn(look.answering, claim) >= claim.replicas;
}

/** Null: it is false. */
function heldAgainst(
  { from, to }: { readonly from: number; readonly to: number },
  truth: readonly TruthSample[],
  isOtherwise: (look: TruthSample) => boolean,
  delays: readonly OwnDelayed[],
): Exclude<ComparedClaim, Falsity> | null {
  // The last look before the window began tells how it began.
  const first = truth.findLastIndex(({ at }) => at <= from);
  const looks = truth.slice(Math.max(0, first)).filter(({ at }) => at <= to);
  if (!looks.every(isOtherwise)) return 'in_step';
  if (first < 0) return 'unjudged';
  const instants = [...looks.map(({ at }) => at), to];
  const hasGap = instants.some((at, n) => at - (instants[n - 1] ?? at) > GAP_MS);
  const isStarved = delays.some(({ at, ms }) => ms >= STARVED_MS && at >= from && at - ms <= to);
  return hasGap || isStarved ? 'starved' : null;
}
