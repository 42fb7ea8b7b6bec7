import type { Claim } from '../claim.ts';
import { EXITS_KEPT } from '../stability.ts';
import { longSpan } from './times.ts';

/** A shorter time reads as none. */
const SHORTEST_MS = 1_000;

/**
 * The exits of an instance that count together, and the time in which they were seen: never longer than they were watched.
 * More than are remembered are not counted: it may be more.
 */
export function exitCount({ exits, firstExit, lastExit }: NonNullable<Claim['cause']>['params']): string {
  const count = Number(exits ?? 0);
  if (count === 1) return 'once';
  const ms = Date.parse(String(lastExit)) - Date.parse(String(firstExit));
  const within = ms >= SHORTEST_MS ? longSpan(ms) : '10 minutes';
  return `${timesOf(count)} in ${within}`;
}

/** A number of exits in words; more than are remembered may be more. */
export function timesOf(exits: number): string {
  if (exits < 3) return exits === 1 ? 'once' : 'twice';
  return exits < EXITS_KEPT ? `${exits} times` : `at least ${exits} times`;
}
