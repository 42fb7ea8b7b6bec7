import type { VerdictName } from '../../kubernetes/verdict/verdict.ts';
import type { InspectedObject } from './inspect-table.ts';

/** The objects of a cluster as a person wants to see them. */
interface ShownObjects {
  readonly lines: readonly InspectedObject[];
  /** Counts the objects that are summed up instead of shown; null where all are shown. */
  readonly note: string | null;
}

const ORDER: readonly VerdictName[] = [
  'failed',
  'degraded',
  'unknown',
  'progressing',
  'suspended',
  'stopped',
  'ready',
];

/**
 * Orders the objects of a cluster by what they need, and sums up what is ready and of no namespace: dozens of
 * APIServices and FlowSchemas that are as they should be would hide the rest. Nodes are what apps run on, and stay. Pure.
 */
export function forPeople(inspected: readonly InspectedObject[]): ShownObjects {
  const isSummed = ({ verdict, namespace, kind }: InspectedObject) =>
    verdict === 'ready' && namespace === null && kind !== 'Node';
  const rank = ({ verdict }: InspectedObject) => ORDER.indexOf(verdict);
  const lines = inspected.filter((one) => !isSummed(one)).toSorted((a, b) => rank(a) - rank(b));
  const counts = new Map<string, number>();
  for (const { kind } of inspected.filter(isSummed)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const summed = inspected.length - lines.length;
  if (summed === 0) return { lines, note: null };
  const kinds = [...counts]
    .toSorted(([a, of], [b, other]) => other - of || (a < b ? -1 : 1))
    .map(([kind, count]) => `${count} ${kind}`);
  return {
    lines,
    note: `Of no namespace, and ready: ${kinds.join(', ')}. Each of them: -o wide`,
  };
}
