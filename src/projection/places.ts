import type { Cause } from '../contract/claim.ts';
import { compareDigits, type Digits } from '../contract/digits.ts';
import type { Places } from '../contract/places.ts';
import type {
  AgentLiveness,
  AttemptFacts,
  Facts,
  LeftPart,
  Observed,
  ObservedPart,
  RevisionFacts,
} from './facts.ts';
import { rfc3339 } from './instant.ts';
import type { Interval } from './intervals.ts';
import { cause } from './standing.ts';
import { commandOf } from './workload.ts';

/**
 * A target is a name; the place behind it has an identity of its own, and another agent may bring another place under the
 * same name. Another place cannot prove what is gone from the former one (F114): what was seen or ordered there stays in
 * doubt until it is seen again, until another attempt holds in the new place, or until an operator retires the former one.
 */

/** The identity that an epoch spoke for; empty where that is not on record. */
function identityOfEpoch({ runs }: Places, epoch: Digits): string {
  return runs.findLast((run) => compareDigits(run.epoch, epoch) <= 0)?.identity ?? '';
}

/** Another place than the current one, which nobody has retired. */
export function isFormerPlace({ runs, retired }: Places, identity: string): boolean {
  // mutant: retired-place
  return identity !== (runs.at(-1)?.identity ?? '') && !retired.some((place) => place.identity === identity);
}

/** Doubt about a former place: copies were seen there, or it took an order that nobody saw carried out. */
export interface FormerPlace {
  readonly identity: string;
  /** The number of copies that were seen there last; 0 for an order that was never seen carried out. */
  readonly copies: number;
  /** The instant up to which they were seen; for an order, when it was taken. */
  readonly asOf: number;
  /** Another attempt holds in the new place since: copies in the former one were still never proven gone. */
  readonly isSucceeded: boolean;
}

/** The instant at which another place took the name from this one: until then its reports were judged. */
export function replacedAt({ liveness: { agent } }: Facts, { identity, asOf }: FormerPlace): number {
  const runs = agent?.places.runs ?? [];
  return runs[runs.findLastIndex((run) => run.identity === identity) + 1]?.at ?? asOf;
}

/** The cause of everything that is in doubt because of a former place, which it names. */
export const formerCause = ({ identity, copies, asOf }: FormerPlace): Cause =>
  cause('identity_changed', { former: identity, copies, lastSeenAt: rfc3339(asOf) });

/** Copies in a former place that were never proven gone; those in doubt first, then the newest. Null if there are none. */
export function formerCopies({ proven: { observed }, liveness: { agent } }: Facts): FormerPlace | null {
  if (agent === null || (!agent.identityChanged && observed.left === undefined)) return null;
  const former = [...leftBehind(observed, agent), ...notYetLeft(observed, agent)];
  const open = former.filter(({ identity }) => isFormerPlace(agent.places, identity));
  const doubted = open.filter(({ isSucceeded }) => !isSucceeded);
  const [first, ...more] = (doubted.length > 0 ? doubted : open).toSorted((a, b) => b.asOf - a.asOf);
  if (first === undefined) return null;
  const same = more.filter(({ identity }) => identity === first.identity);
  return { ...first, copies: same.reduce((sum, { copies }) => sum + copies, first.copies) };
}

/**
 * The times in which a service was in doubt because of a place that was retired since: observation deadlines count none
 * of it. Computed until a row drops what the place showed; that row then keeps them.
 */
export function timesInDoubt({ proven: { observed }, liveness: { agent } }: Facts): readonly Interval[] {
  if (agent === null || agent.places.retired.length === 0) return [];
  const { runs, retired } = agent.places;
  const doubted = [...leftBehind(observed, agent), ...notYetLeft(observed, agent)].filter(
    ({ isSucceeded }) => !isSucceeded,
  );
  return retired.flatMap(({ identity, at: to }) => {
    const next = runs[runs.findLastIndex((run) => run.identity === identity) + 1];
    const isDoubted = doubted.some((place) => place.identity === identity);
    return isDoubted && next !== undefined ? [{ from: next.at, to }] : [];
  });
}

const leftBehind = ({ left = [] }: Observed, { places }: AgentLiveness): FormerPlace[] =>
  left.map((part) => ({
    identity: part.identity,
    copies: part.instances.length,
    asOf: seenUntil(part, places),
    isSucceeded: part.succeeded,
  }));

/**
 * The instant up to which a former place showed this. Its last reports say so, and not the row: one that changed nothing
 * left none.
 */
function seenUntil(
  { scope, asOf, mark }: Pick<LeftPart, 'scope' | 'asOf' | 'mark'>,
  { runs }: Places,
): number {
  const run = runs.findLast(({ position }) => compareDigits(position, mark.position) < 0);
  const reports = run?.lastReports?.filter((report) => report.scope === scope || report.scope === '*') ?? [];
  // mutant: former-seen-until
  return Math.max(asOf, ...reports.map((report) => report.asOf));
}

/** Parts that a former place has shown, and that no report of the new one has moved aside yet. */
function notYetLeft({ parts }: Observed, agent: AgentLiveness): FormerPlace[] {
  return parts
    .filter((part) => isOfFormer(part, agent))
    .map((part) => ({
      identity: identityOfEpoch(agent.places, part.epoch),
      copies: part.instances.length,
      // A report that could not be read says nothing of them.
      asOf: part.corrupt ? part.asOf : seenUntil(part, agent.places),
      isSucceeded: false,
    }));
}

const isOfFormer = ({ epoch, instances }: ObservedPart, { identityChanged, identityEpoch }: AgentLiveness) =>
  identityChanged && instances.length > 0 && compareDigits(epoch, identityEpoch) < 0;

/**
 * An apply of this attempt that a former place took, and that no report of the new place has shown anything of since. The
 * former place may carry it out at any time: nobody can tell it to stop.
 */
export function formerOrder(
  attempt: AttemptFacts,
  isShown: boolean,
  { liveness: { agent } }: Facts,
): FormerPlace | null {
  const taken = agent === null ? null : takenApply(attempt);
  const since = agent?.places.runs.at(-1)?.position;
  if (agent === null || taken === null || since === undefined || isShown) return null;
  const isSince = (mark: { readonly position: Digits } | null) =>
    mark !== null && compareDigits(mark.position, since) > 0;
  if (isSince(taken) || isSince(attempt.held) || isSince(attempt.progress)) return null;
  const run = agent.places.runs.findLast(({ position }) => compareDigits(position, taken.position) < 0);
  const identity = run?.identity ?? '';
  if (!isFormerPlace(agent.places, identity)) return null;
  return { identity, copies: 0, asOf: taken.at, isSucceeded: false };
}

/** Ends of a lease after which its holder has certainly put nothing in place. */
const UNDONE: ReadonlySet<string> = new Set(['failed', 'released', 'cancelled']);

/** The newest acknowledged lease of the apply whose holder may have carried it out. */
function takenApply(attempt: AttemptFacts) {
  const leases = commandOf(attempt, 'apply')?.leases ?? [];
  return (
    leases.findLast(({ acknowledged, ended }) => acknowledged !== null && !UNDONE.has(ended?.end ?? ''))
      ?.acknowledged ?? null
  );
}

/**
 * The time in which nobody knew whether a place that was retired since had carried out the apply of this attempt: from
 * the arrival of the next place until the retirement, or until that place showed something of the attempt.
 */
export function orderInDoubt(
  attempt: AttemptFacts,
  { liveness: { agent } }: Pick<Facts, 'liveness'>,
): readonly Interval[] {
  const taken = agent === null ? null : takenApply(attempt);
  if (agent === null || taken === null) return [];
  const { runs, retired } = agent.places;
  const holder = runs.findLastIndex(({ position }) => compareDigits(position, taken.position) < 0);
  const next = runs[holder + 1];
  const end = retired.find(({ identity }) => identity === (runs[holder]?.identity ?? ''));
  if (next === undefined || end === undefined) return [];
  const { progress } = attempt;
  const isSeen = progress !== null && compareDigits(progress.position, next.position) > 0;
  const to = isSeen ? Math.min(end.at, progress.at) : end.at;
  return to <= next.at ? [] : [{ from: next.at, to }];
}

/** The attempt belongs to the place that the target has now: it took the apply, or in observe mode showed the template. */
export function isOfCurrentPlace(
  { recorded, attempt }: RevisionFacts,
  isObserved: boolean,
  { liveness: { agent } }: Facts,
): boolean {
  const since = agent?.places.runs.at(-1)?.position;
  const begun = isObserved ? recorded : takenApply(attempt);
  return since === undefined || (begun !== null && compareDigits(begun.position, since) > 0);
}
