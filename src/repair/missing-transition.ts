import type { Digits } from '../contract/digits.ts';
import type { Evidence } from '../contract/evidence.ts';
import type { State } from '../contract/vocabulary.ts';
import type { Host } from '../evidence/door/host.ts';
import {
  draftTransition,
  expiredEvidence,
  type RecordedTrigger,
  type TransitionDraft,
} from '../evidence/door/transition-draft.ts';
import { fileOf } from '../evidence/past/past.ts';
import type { Proven } from '../projection/facts.ts';
import { judge } from '../projection/judge.ts';
import type { Standing } from '../projection/standing.ts';
import type { ReadTx } from '../store/port.ts';
import type { TransitionRow } from '../store/schema.ts';
import type { MissingRows } from './missing-rows.ts';
import { isSettledByDoor } from './transition-trigger.ts';

/** The facts and the last transition of a service before a run of missing rows that held its next transition. */
export interface BeforeMissing {
  readonly tx: ReadTx;
  readonly settings: Host['settings'];
  readonly org: string;
  readonly service: string;
  readonly proven: Proven;
  readonly last: TransitionRow | null;
  /** The state from which the next transition continues; null if it is not recorded. */
  readonly wanted: State | null;
}

/**
 * The missing transition that evidence caused: the door records it right behind its row, in the same instant.
 * Behind a deadline that the door recorded itself, the clock caused it, at the instant when the deadline
 * fired.
 */
export async function transitionAfter(
  before: BeforeMissing,
  e: Evidence,
  position: Digits,
): Promise<TransitionRow | null> {
  const { receivedAt: at, source, id } = e;
  const { transition } = isSettledByDoor(e)
    ? await transitionAt(before, e.body.at, null)
    : await transitionAt(before, at, { owner: source.role, evidence: id });
  return transition && rowOf(before, transition, position, at);
}

/**
 * The missing transition that time caused, or evidence about no service right before it. Only bounds of its
 * instant are left: it gets the first instant between them at which judging gives it.
 */
export async function transitionAround(
  before: BeforeMissing,
  { after, before: end }: MissingRows,
  position: Digits,
): Promise<TransitionRow | null> {
  if (after.trigger !== null) {
    const { transition } = await transitionAt(before, after.at, after.trigger);
    if (transition !== null) return rowOf(before, transition, position, after.at);
  }
  for (let at = after.at; ; ) {
    const { transition, standing } = await transitionAt(before, at, null);
    if (transition !== null) return rowOf(before, transition, position, at);
    if (at >= end.at) return null;
    at = Math.min(end.at, standing.changesAt ?? end.at);
  }
}

function rowOf(
  { org, service }: BeforeMissing,
  transition: TransitionDraft,
  position: Digits,
  recordedAt: number,
): TransitionRow {
  return { org, service, position, recordedAt, ...transition };
}

/**
 * The transition that the door would have recorded at an instant, if it leads to the wanted state. Without
 * `trigger` the clock caused it.
 */
async function transitionAt(
  { tx, settings, org, service, proven, last, wanted }: BeforeMissing,
  at: number,
  trigger: Pick<RecordedTrigger, 'owner' | 'evidence'> | null,
): Promise<{ readonly transition: TransitionDraft | null; readonly standing: Standing }> {
  const file = await fileOf(tx, settings, { org, service, at }, proven, last);
  const { awakeUntil } = file.liveness;
  // Old beats are not stored: a deadline that passed less than `blindAfterMs` ago may not have been confirmed
  // yet.
  const standings = [awakeUntil, awakeUntil - settings.blindAfterMs].map((until) =>
    judge(file.intent, { ...file.facts, liveness: { ...file.liveness, awakeUntil: until } }, at),
  ) as [Standing, Standing];
  for (const standing of standings) {
    const by = trigger ?? { owner: 'clock' as const, evidence: expiredEvidence(file, standing) };
    const { transition, unlisted } = draftTransition(file, standing, { ...by, at, now: at });
    // A transition that the table does not list is recorded behind an alarm, which would be missing too.
    if (transition !== null && unlisted === null && (wanted === null || transition.to === wanted))
      return { transition, standing };
  }
  return { transition: null, standing: standings[0] };
}
