import type { Stage, State } from '../../contract/vocabulary.ts';
import type { AttemptRow, TransitionRow } from '../../store/schema.ts';

/** The time that an attempt spent at a stage, all visits together. */
export interface StageTime {
  readonly stage: Stage;
  readonly ms: number;
}

/** The states in which an attempt has arrived: time after them belongs to no stage. */
const ARRIVED: ReadonlySet<State> = new Set(['running', 'degraded', 'failed', 'cancelled', 'stopped']);

/**
 * The stages after the apply. Only the stage at which `starting` began is recorded, and not its course: all
 * of them count as `start`. Rejected: to count them as the first; a program slow to get ready would then seem
 * slow to be placed.
 */
const STARTING: ReadonlySet<Stage> = new Set(['scheduling', 'image', 'start', 'readiness', 'route']);

/**
 * The stage times of one attempt, from its transitions in ledger order; a stage under way counts up to `now`.
 */
export function stageTimes(
  { endedAt }: Pick<AttemptRow, 'endedAt'>,
  transitions: readonly Pick<TransitionRow, 'at' | 'to' | 'stage'>[],
  now: number,
): readonly StageTime[] {
  const end = endedAt ?? now;
  const spent = new Map<Stage, number>();
  for (const [i, { at, to, stage }] of transitions.entries()) {
    if (stage === null || ARRIVED.has(to) || at > end) continue;
    const until = Math.min(transitions[i + 1]?.at ?? end, end);
    const counted = STARTING.has(stage) ? 'start' : stage;
    spent.set(counted, (spent.get(counted) ?? 0) + Math.max(0, until - at));
  }
  return [...spent].map(([stage, ms]) => ({ stage, ms }));
}
