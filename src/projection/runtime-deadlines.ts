import type { Facts } from './facts.ts';
import { instantAfter } from './intervals.ts';
import { startedAt } from './judge-command.ts';
import { orderInDoubt, timesInDoubt } from './places.ts';
import type { ContractReading } from './running-contract.ts';
import type { JudgeInput } from './standing.ts';

/** No deadline runs while nothing but the window is missing, nor while others are steady beside a crash loop. */
export const isPaused = ({
  held,
  wanted,
  unmet,
  isUnhurried,
  opaque,
  loop,
  steady,
}: ContractReading): boolean =>
  !held && wanted > 0 && opaque === null && (loop === null ? unmet === null || isUnhurried : steady > 0);

export function startDeadline(view: JudgeInput): number {
  const { intent } = view;
  const without = [...uncounted(view.facts), ...orderInDoubt(view.attempt, view.facts)];
  // mutant: start-deadline
  return instantAfter(startClock(view), intent.deadlines.startMs, without);
}

function startClock(view: JudgeInput): number {
  // mutant: start-clock
  return Math.max(view.attempt.applied?.at ?? startedAt(view), view.attempt.progress?.at ?? 0);
}

/** The instant at which a start is given up that time does not mend: an app that listens on another port stays there. */
export function hopelessAt(view: JudgeInput, { hopeless }: ContractReading): number {
  if (hopeless === null) return Number.POSITIVE_INFINITY;
  const since = Math.max(hopeless.since, view.attempt.applied?.at ?? startedAt(view));
  return instantAfter(since, hopeless.patienceMs, uncounted(view.facts));
}

/** Time that an observation deadline does not count: the agent's silence, doubt about a place, our own blindness. */
export function uncounted(facts: Facts) {
  const { silences } = facts.proven.observed;
  const { blind } = facts.liveness;
  const others = [...timesInDoubt(facts), ...blind];
  // mutant: silence-uncounted
  return silences.length === 0 ? others : [...silences, ...others];
}
