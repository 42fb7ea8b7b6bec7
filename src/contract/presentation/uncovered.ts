import type { ServiceItem } from '../answers/views.ts';
import { ago } from './times.ts';

/** Services that the rules of their targets no longer cover. */
export const uncoveredIn = (items: readonly ServiceItem[]): readonly ServiceItem[] =>
  items.filter(({ claim }) => claim.cause?.code === 'not_observed');

/** Counts the services that the rules of their targets no longer cover, with the age of the last; null if there are none. */
export function uncoveredSentence(items: readonly ServiceItem[]): string | null {
  const left = uncoveredIn(items);
  const [first] = left;
  if (first === undefined) return null;
  const { claim } = left.reduce((a, b) => (a.claim.since > b.claim.since ? a : b));
  const since = ago(Date.parse(claim.now) - Date.parse(claim.since));
  const [are, them] = left.length === 1 ? ['service is', 'it'] : ['services are', 'them'];
  const targets = [...new Set(left.map(({ ref }) => ref.split('@')[1] ?? ref))].toSorted().join(', ');
  return `${left.length} ${are} not shown: the rule of ${targets} no longer covers ${them} (the last left ${since}).`;
}
