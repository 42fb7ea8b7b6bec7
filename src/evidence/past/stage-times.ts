import type { Stage, State } from '../../contract/vocabulary.ts';
import type { AttemptRow, TransitionRow } from '../../store/schema.ts';

/** How long an attempt spent at a stage, all visits together. */
export interface StageTime {
  readonly stage: Stage;
  readonly ms: number;
}

/** Where an attempt has arrived: what follows is no longer time that a stage took. */
const ARRIVED: ReadonlySet<State> = new Set(['running', 'degraded', 'failed', 'cancelled', 'stopped']);

/**
 * What came after the runtime was told: on record is where it stood when `starting` began, and not how it went on from
 * there. All of it is told as the start; told as where it began, a program slow to get ready would be slow to be placed.
 */
const STARTING: ReadonlySet<Stage> = new Set(['scheduling', 'image', 'start', 'readiness', 'route']);

/** From the recorded transitions of one attempt, in ledger order; what is under way counts up to `now`. */
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
    const told = STARTING.has(stage) ? 'start' : stage;
    spent.set(told, (spent.get(told) ?? 0) + Math.max(0, until - at));
  }
  return [...spent].map(([stage, ms]) => ({ stage, ms }));
}
