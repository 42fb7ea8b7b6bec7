import type { Claim } from '../../contract/claim.ts';
import type { Outcome } from '../../contract/vocabulary.ts';
import type { SettledAttempt } from './view.ts';

/** Exit codes of every command that waits (docs/cli.md). A script can trust them. */
export const EXIT = {
  cameTrue: 0,
  failed: 1,
  refused: 2,
  unknown: 3,
  cancelled: 4,
  unreachable: 5,
  interrupted: 130,
} as const;

const BY_OUTCOME: Readonly<Record<Exclude<Outcome, 'in_progress' | 'succeeded'>, number>> = {
  failed: EXIT.failed,
  cancelled: EXIT.cancelled,
  superseded: EXIT.cancelled,
  abandoned: EXIT.unknown,
};

/**
 * Exit 0 needs a succeeded attempt and a claim that still supports it: an attempt that succeeded and is
 * unknown or broken by now is no 0, because a script would go on as if it ran (S1). `degraded` ran and does
 * not run now.
 */
export function exitCodeOf({ outcome, revision, attempt }: SettledAttempt, claim: Claim): number {
  if (outcome !== 'succeeded') return BY_OUTCOME[outcome];
  if (claim.desired.revision !== revision || claim.desired.attempt !== attempt) return EXIT.cameTrue;
  if (claim.state === 'unknown') return EXIT.unknown;
  if (claim.state === 'failed' || claim.state === 'degraded') return EXIT.failed;
  return EXIT.cameTrue;
}

/** From the best to the worst, for a command about several services. */
const BY_BADNESS: readonly number[] = [
  EXIT.cameTrue,
  EXIT.cancelled,
  EXIT.unknown,
  EXIT.failed,
  EXIT.refused,
  EXIT.unreachable,
  EXIT.interrupted,
];

/** The exit code of several outcomes: that of the worst. */
export function worstOf(codes: readonly number[]): number {
  return BY_BADNESS[Math.max(0, ...codes.map((code) => BY_BADNESS.indexOf(code)))] ?? EXIT.cameTrue;
}
