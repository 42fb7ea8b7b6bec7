import { SignInFailed } from '../auth/authenticate.ts';
import { ClientLeft } from './client-left.ts';
import type { Refused } from './problems.ts';

/**
 * The level at which a refusal is logged. A caller over its limit, or one that leaves before it is answered, can do so
 * as often as it likes: it must not fill the log as well (F125).
 */
export function levelOf(refused: Refused, status: number): 'warn' | 'info' | 'debug' {
  if (refused instanceof ClientLeft || refused.code === 'too_many') return 'debug';
  return status >= 500 || refused instanceof SignInFailed ? 'warn' : 'info';
}
