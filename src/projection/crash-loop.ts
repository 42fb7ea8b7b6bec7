import { compareDigits } from '../contract/digits.ts';
import type { CauseCode } from '../contract/vocabulary.ts';
import type { AttemptFacts, ObservedInstance } from './facts.ts';
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
  return causeOfEnds(loop?.instance ?? {}, entryReason) ?? 'crash_loop';
}

/** The one known cause of an instance's ends; null where they have none, or another each time. */
export function causeOfEnds(
  instance: Pick<ObservedInstance, 'reason'>,
  entryReason: string | null,
): CauseCode | null {
  const known = [instance.reason ?? null, entryReason].find((one) => one !== null && LOOP_CAUSES.has(one));
  return (known ?? null) as CauseCode | null;
}

/** A crash loop fails the attempt until the running contract holds, or until others are steady: never by mere readiness. */
export const isFailedByLoop = ({ loop, held }: AttemptFacts): boolean =>
  loop?.fails === true && (held === null || compareDigits(held.position, loop.position) < 0);
