import type { State } from '../contract/vocabulary.ts';
import type { Recorded } from './facts.ts';
import { cause, type Standing } from './standing.ts';
import { TRANSITIONS, type TransitionRule } from './transition-table.ts';

const pairsOf = (rows: readonly TransitionRule[]): ReadonlySet<string> =>
  new Set(rows.map((row) => `${row.from ?? ''}>${row.to}`));
const LISTED = {
  own: pairsOf(TRANSITIONS.filter(({ only }) => only === undefined)),
  observe: pairsOf(TRANSITIONS),
} as const;

/**
 * A claim may go from `from` to `to` in one step. Within an attempt the step needs a row of its own; a new
 * revision or attempt may only enter a state that is listed as a first state.
 */
export function isListed(
  from: State | null,
  to: State,
  sameAttempt: boolean,
  mode: keyof typeof LISTED = 'own',
): boolean {
  const listed = LISTED[mode];
  if (from === null || !sameAttempt) return listed.has(`>${to}`);
  return from === to || listed.has(`${from}>${to}`);
}

export interface Guarded {
  readonly standing: Standing;
  /** The table does not list the step: a defect of ours or a forgery, which an operator must inspect. */
  readonly alarm: boolean;
}

/**
 * The last guard before anything is claimed: a step that the table does not list, or one back to an earlier
 * revision or attempt, is `unknown`, `contradictory`, and an alarm (S1, S11).
 */
export function guarded(
  standing: Standing,
  recorded: Recorded | null,
  revision: number,
  attempt: number,
): Guarded {
  if (standing.state === 'unknown') return { standing, alarm: false };
  const age = recorded === null ? 1 : revision - recorded.revision || attempt - recorded.attempt;
  const mode = standing.reading?.isObserveMode ? 'observe' : 'own';
  if (age >= 0 && isListed(recorded?.state ?? null, standing.state, age === 0, mode)) {
    return { standing, alarm: false };
  }
  return { standing: contradicted(standing, recorded), alarm: true };
}

function contradicted(standing: Standing, recorded: Recorded | null): Standing {
  const hasState = recorded !== null && recorded.state !== 'unknown';
  return {
    ...standing,
    state: 'unknown',
    cause: cause('contradictory'),
    freshUntil: null,
    lastKnown: hasState ? { state: recorded.state, at: recorded.since } : standing.lastKnown,
    expecting: { evidence: 'runtime.observed', from: 'watcher', by: null },
    timeout: null,
  };
}
