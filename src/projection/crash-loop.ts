import { compareDigits } from '../contract/digits.ts';
import type { CauseCode } from '../contract/vocabulary.ts';
import type { AttemptFacts } from './facts.ts';
import type { ContractReading } from './running-contract.ts';

/**
 * A loop whose ends all have one known cause is named by it: it says more than that the app exits again and again. One
 * whose command cannot run never started.
 */
const LOOP_CAUSES: ReadonlySet<string> = new Set([
  'oom_killed',
  'start_failed',
  'startup_failed',
  'liveness_failed',
  'init_failed',
  'sidecar_failed',
]);

export const isLoopCause = (code: CauseCode): boolean => code === 'crash_loop' || LOOP_CAUSES.has(code);

/**
 * @param entryReason what the report says of the service: a copy that is up for a moment says nothing itself, or that it
 *   is not ready yet
 */
export function loopCause(loop: ContractReading['loop'], entryReason: string | null): CauseCode {
  const reasons = [loop?.instance.reason ?? null, entryReason];
  const known = reasons.find((reason) => reason !== null && LOOP_CAUSES.has(reason));
  return (known ?? 'crash_loop') as CauseCode;
}

/** A crash loop fails the attempt until the running contract holds, or until others are steady: never by mere readiness. */
export const isFailedByLoop = ({ loop, held }: AttemptFacts): boolean =>
  loop?.fails === true && (held === null || compareDigits(held.position, loop.position) < 0);
