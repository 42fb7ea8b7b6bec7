import { span } from '../../../../src/contract/presentation/times.ts';
import type { ServiceRowView } from './rows.ts';

/**
 * The share of the list that is proven, and the age of the evidence. A failed build stays proven by a record that does not
 * age; it is not counted as seen a moment ago.
 */
export function honestyOf(rows: readonly ServiceRowView[]): { readonly lead: string; readonly rest: string } {
  const proven = rows.filter(
    ({ claimView, isTargetSilent }) => claimView.isLive && claimView.state !== 'unknown' && !isTargetSilent,
  );
  const lead = `${proven.length.toLocaleString('en')} of ${rows.length.toLocaleString('en')} proven`;
  const freshForMs = Math.max(0, ...proven.map(({ claim }) => claim.freshness.freshForMs ?? 0));
  if (freshForMs === 0) return { lead, rest: ' now' };
  const young = proven.filter(
    ({ claim, claimView }) =>
      claim.freshness.freshForMs !== null && (claimView.ageMs ?? Infinity) < freshForMs,
  ).length;
  const age = `by evidence less than ${span(freshForMs).replace('.0 s', ' s')} old`;
  return { lead, rest: young === proven.length ? ` ${age}` : `, ${young.toLocaleString('en')} ${age}` };
}
