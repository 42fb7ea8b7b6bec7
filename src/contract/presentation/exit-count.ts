import type { InstanceView } from '../answers/views.ts';
import type { Claim } from '../claim.ts';
import { longSpan } from './times.ts';

/** A shorter time reads as none. */
const SHORTEST_MS = 1_000;

/**
 * How often an instance exited since it was last well for long, and the time from the first exit to the last. The same words
 * wherever the number stands: without its time, two of them would contradict each other.
 */
export function exitCount({ exits, firstExit, lastExit }: NonNullable<Claim['cause']>['params']): string {
  const count = Number(exits ?? 0);
  if (count < 2) return 'once';
  const times = timesOf(count);
  if (firstExit === undefined || lastExit === undefined) return times;
  return `${times} ${exitSpan(String(firstExit), String(lastExit))}`;
}

export const timesOf = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;

/** The time in which exits were seen, from the first to the last. */
export function exitSpan(first: string, last: string): string {
  const ms = Date.parse(last) - Date.parse(first);
  return ms >= SHORTEST_MS ? `in ${longSpan(ms)}` : 'within a second';
}

/**
 * How often instances exited, each as its page counts it; where no exit was seen, what their runtime counts. Null: neither.
 */
export function exitsOfInstances(
  instances: readonly Pick<InstanceView, 'exits' | 'restarts'>[],
): string | null {
  const seen = instances.flatMap(({ exits }) => exits ?? []);
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
  if (seen.length > 0) {
    const [firstExit = ''] = seen.map(({ first }) => first).sort();
    const lastExit =
      seen
        .map(({ last }) => last)
        .sort()
        .at(-1) ?? firstExit;
    return `exited ${exitCount({ exits: sum(seen.map(({ count }) => count)), firstExit, lastExit })}`;
  }
  const restarts = sum(instances.map((one) => one.restarts));
  return restarts === 0 ? null : `restarted ${timesOf(restarts)} in all`;
}
