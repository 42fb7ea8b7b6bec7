import type { ScopeRow } from '../../store/schema.ts';
import { NEAR_MS } from '../../store/steady-clock.ts';

/**
 * A scope is as of its receipt at the latest, complete by its receipt at the latest, and not received in the far future,
 * however clocks were set. A row that says otherwise was not written by us: believed, it would be fresh although no
 * agent is alive (S2, F56).
 */
export const isSound = (scope: Pick<ScopeRow, 'asOf' | 'receivedAt' | 'completeAt'>, now: number): boolean =>
  scope.asOf <= scope.receivedAt &&
  (scope.completeAt ?? 0) <= scope.receivedAt &&
  scope.receivedAt <= now + NEAR_MS;
