import type { Stage, State } from '../contract/vocabulary.ts';
import type { AttemptRow, TransitionRow } from '../store/schema.ts';

/** How long an attempt spent at a stage, all visits together. */
export interface StageTime {
  readonly stage: Stage;
  readonly ms: number;
}

/** Where an attempt has arrived: what follows is no longer time that a stage took. */
const ARRIVED: ReadonlySet<State> = new Set(['running', 'degraded', 'failed', 'cancelled', 'stopped']);

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
    spent.set(stage, (spent.get(stage) ?? 0) + Math.max(0, until - at));
  }
  return [...spent].map(([stage, ms]) => ({ stage, ms }));
}
