import type { ObservedBody, ServedStamp } from '../contract/evidence.ts';
import type { Places } from '../contract/places.ts';
import type { Mark, Observed, ObservedPart, ServedRevision } from './facts.ts';
import type { InstanceStamp } from './instances.ts';
import { isFormerPlace } from './places.ts';
import { workloadFate } from './workload-seen.ts';

/** More than two serve in turn only while they are replaced faster than their instances end. */
const SERVED_KEPT = 4;

/** The memory of what served, after a row. The row itself says what begins and what ends, so that order does not matter. */
export function servedAfter(
  { served = [] }: Observed,
  { asOf, served: change }: ObservedBody,
  mark: Mark,
): Pick<Observed, 'served'> {
  if (change === undefined) return served.length === 0 ? {} : { served };
  const named = [change.now, change.until].filter((stamp) => stamp !== null);
  const others = served.filter((entry) => !named.some((stamp) => isSameStamp(entry, stamp)));
  const evidence = mark.id;
  const after: ServedRevision[] = others.map((entry) => ({ ...entry, isCurrent: false }));
  if (change.until !== null) after.push({ ...change.until, isCurrent: false, evidence });
  if (change.now !== null) after.push({ ...change.now, asOf, isCurrent: true, evidence });
  return { served: after.slice(-SERVED_KEPT) };
}

export const isSameStamp = (a: ServedStamp, b: ServedStamp): boolean =>
  a.revision === b.revision && a.attempt === b.attempt;

/**
 * It is proven gone once every scope has shown everything, and none of them shows an instance of it. What serves by the
 * newest report is not gone, even if only its route was shown.
 */
export function isProvenGone(served: ServedRevision, observed: Observed, places: Places | null): boolean {
  const { parts, left = [] } = observed;
  if (served.isCurrent || parts.length === 0) return false;
  // A rule leaves it out, and with it all that would show it.
  if (workloadFate(observed) === 'not_observed') return false;
  const former = places === null ? [] : left.filter(({ identity }) => isFormerPlace(places, identity));
  if (former.some(({ instances }) => instances.some((i) => isOf(i, served)))) return false;
  // mutant: served-gone
  return parts.every((part) => isComplete(part) && !part.instances.some((i) => isOf(i, served)));
}

const isComplete = ({ completeMark, corrupt }: ObservedPart) => completeMark !== null && !corrupt;

function isOf(i: InstanceStamp, { revision, attempt, template }: ServedStamp): boolean {
  if (template !== undefined) return i.template === template;
  return i.revision === revision && (i.attempt === null || i.attempt === attempt);
}
