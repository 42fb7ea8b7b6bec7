import { isReadable } from '../../store/columns.ts';
import type { ScopeRow } from '../../store/schema.ts';
import { NEAR_MS } from '../../store/steady-clock.ts';

/**
 * A report is as of its receipt at the latest, and complete by then, and however clocks were set none is received a day
 * from now. A scope that says otherwise was not written by us: believed, it would be fresh with nobody alive (S2, F56).
 */
export const isSound = (scope: Pick<ScopeRow, 'asOf' | 'receivedAt' | 'completeAt'>, now: number): boolean =>
  isReadable(scope) &&
  scope.asOf <= scope.receivedAt &&
  (scope.completeAt ?? 0) <= scope.receivedAt &&
  scope.receivedAt <= now + NEAR_MS;
