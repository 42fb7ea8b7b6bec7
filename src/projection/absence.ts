import { compareDigits } from '../contract/digits.ts';
import type { Facts, Mark, ObservedPart } from './facts.ts';
import type { JudgeInput } from './standing.ts';

type Order = Pick<Mark, 'at' | 'position'>;

/**
 * The order that a snapshot has to come after to prove absence: `runtime.applied` or `runtime.removed`. Where no apply
 * was ever leased there is none: then it is the intent itself. In observe mode nobody gives one here: the intent is the
 * platform's own, written when it learned of the workload, and a snapshot of before that instant shows it as well.
 */
export function orderMark({ intent, revision, attempt }: JudgeInput): Order | null {
  if (intent.kind === 'teardown')
    return attempt.removed ?? (revision.recorded?.absent ? revision.recorded : null);
  if (intent.origin.kind !== 'observe') return attempt.applied;
  return revision.recorded && { ...revision.recorded, at: Number.NEGATIVE_INFINITY };
}

/** Absence is proven: every scope that has shown the service has shown no instance since. */
export function isAbsent(facts: Facts, since: Order | null): boolean {
  const { parts } = facts.proven.observed;
  return since !== null && parts.length > 0 && parts.every((part) => isAbsentIn(part, since));
}

/**
 * A complete snapshot without any instance, taken after `since` and received after it: an empty list that is not
 * complete proves nothing, and neither does one that was on its way when the runtime received its order.
 */
export function isAbsentIn({ instances, completeAsOf, completeMark }: ObservedPart, since: Order): boolean {
  // mutant: absence
  return (
    instances.length === 0 &&
    completeAsOf !== null &&
    completeMark !== null &&
    completeAsOf >= since.at &&
    compareDigits(completeMark.position, since.position) > 0
  );
}
