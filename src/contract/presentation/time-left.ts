import type { Claim } from '../claim.ts';
import { longSpan } from './times.ts';

/**
 * The time until the deadline of the current stage, in words; null where there is none, or it has passed. The end of a lease
 * is no deadline: its holder renews it, and nobody calls that time left.
 */
export function timeLeft({ expecting, state }: Claim, serverNow: number): string | null {
  if (expecting?.by == null || state === 'running') return null;
  const left = Date.parse(expecting.by) - serverNow;
  return left <= 0 ? null : `${longSpan(left)} left`;
}
