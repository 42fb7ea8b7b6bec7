import { compareDigits } from '../contract/digits.ts';
import type { Facts, Mark, ObservedPart } from './facts.ts';
import type { JudgeInput } from './standing.ts';

/**
 * The order that a snapshot has to come after to prove absence: `runtime.applied` or `runtime.removed`. In observe mode,
 * and where no apply was ever leased, there is none: then it is the intent itself.
 */
export function orderMark({ intent, revision, attempt }: JudgeInput): Mark | null {
  if (intent.kind === 'teardown')
    return attempt.removed ?? (revision.recorded?.absent ? revision.recorded : null);
  return intent.origin.kind === 'observe' ? revision.recorded : attempt.applied;
}

/** Absence is proven: every scope that has shown the service has shown no instance since. */
export function isAbsent(facts: Facts, since: Mark | null): boolean {
  const { parts } = facts.proven.observed;
  return since !== null && parts.length > 0 && parts.every((part) => isAbsentIn(part, since));
}

/**
 * A complete snapshot without any instance, taken after `since` and received after it: an empty list that is not
 * complete proves nothing, and neither does one that was on its way when the runtime received its order.
 */
export function isAbsentIn({ instances, completeAsOf, completeMark }: ObservedPart, since: Mark): boolean {
  // mutant: absence
  return (
    instances.length === 0 &&
    completeAsOf !== null &&
    completeMark !== null &&
    completeAsOf >= since.at &&
    compareDigits(completeMark.position, since.position) > 0
  );
}
