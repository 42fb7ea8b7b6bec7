import type { ScopedObservation } from '../../runtime/port.ts';
import type { ScopeStanding } from '../cache/cluster-cache.ts';

/** A scope in which nothing is. */
export const NOTHING = {
  complete: true,
  watchAgeMs: 0,
  instances: [],
  services: [],
  stabilityMs: new Map<string, number>(),
  beats: true,
} as const;

type ScopeBelief = Pick<ScopeStanding, 'watchAgeMs' | 'problem' | 'denied'>;

/** The cluster refuses to be read: what was read before does not age, but is not believed at all. */
export const isRefused = ({ problem }: Pick<ScopeBelief, 'problem'>) =>
  problem?.kind === 'forbidden' || problem?.kind === 'unauthorized';

/** No answer for longer than a quiet watch waits for its proof: a restart of the API server is shorter. */
const UNREACHABLE_MS = 5_000;

/**
 * Nobody answers at the address of the cluster. That is told as it is, and not as a watch that stands still; what was
 * read before goes on ageing at the server (S2).
 */
export const isUnreachable = ({ watchAgeMs, problem }: Pick<ScopeBelief, 'watchAgeMs' | 'problem'>) =>
  problem?.kind === 'unreachable' && watchAgeMs !== null && watchAgeMs > UNREACHABLE_MS;

export function reportedStanding({
  watchAgeMs,
  problem,
  denied,
}: ScopeBelief): Pick<ScopedObservation, 'watchAgeMs' | 'unavailable' | 'denied'> {
  if (watchAgeMs !== null) return { watchAgeMs: Math.round(watchAgeMs) };
  const unavailable = isRefused({ problem }) ? 'forbidden' : 'runtime_unreachable';
  return { watchAgeMs: 0, unavailable, ...(denied.length > 0 && { denied }) };
}
