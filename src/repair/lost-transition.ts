import type { Digits } from '../contract/digits.ts';
import type { Evidence } from '../contract/evidence.ts';
import type { State } from '../contract/vocabulary.ts';
import type { Host } from '../evidence/door/host.ts';
import { type Brought, expiredEvidence, type Step, stepOf } from '../evidence/door/step.ts';
import { fileOf } from '../evidence/past/past.ts';
import type { Proven } from '../projection/facts.ts';
import { judge } from '../projection/judge.ts';
import type { Standing } from '../projection/standing.ts';
import type { ReadTx } from '../store/port.ts';
import type { TransitionRow } from '../store/schema.ts';
import { isSettledByDoor } from './brought.ts';
import type { Hole } from './holes.ts';

/** A service where a transition of it is gone: its facts and its last transition before the hole. */
export interface Before {
  readonly tx: ReadTx;
  readonly settings: Host['settings'];
  readonly org: string;
  readonly service: string;
  readonly proven: Proven;
  readonly last: TransitionRow | null;
  /** The state that what follows goes on from, where that is known. */
  readonly wanted: State | null;
}

/**
 * The transition that evidence brought: the door writes it right behind its row, in the same instant. Behind a deadline
 * that the door wrote down itself it is the clock's, of when the deadline fired.
 */
export async function broughtBy(
  before: Before,
  e: Evidence,
  position: Digits,
): Promise<TransitionRow | null> {
  const { receivedAt: at, source, id } = e;
  const { step } = isSettledByDoor(e)
    ? await stepAt(before, e.body.at, null)
    : await stepAt(before, at, { owner: source.role, evidence: id });
  return step && rowOf(before, step, position, at);
}

/**
 * The transition that time brought, or evidence about no service that stands right before it. Of when it was written
 * only the bounds are left: it is told as of the first instant between them that gives it.
 */
export async function broughtAround(
  before: Before,
  { after, before: end }: Hole,
  position: Digits,
): Promise<TransitionRow | null> {
  if (after.brings !== null) {
    const { step } = await stepAt(before, after.at, after.brings);
    if (step !== null) return rowOf(before, step, position, after.at);
  }
  for (let at = after.at; ; ) {
    const { step, standing } = await stepAt(before, at, null);
    if (step !== null) return rowOf(before, step, position, at);
    if (at >= end.at) return null;
    at = Math.min(end.at, standing.changesAt ?? end.at);
  }
}

function rowOf({ org, service }: Before, step: Step, position: Digits, recordedAt: number): TransitionRow {
  return { org, service, position, recordedAt, ...step };
}

/**
 * The step that the door would have written at an instant, if it is the wanted one. Without `brought` the clock
 * brought it.
 */
async function stepAt(
  { tx, settings, org, service, proven, last, wanted }: Before,
  at: number,
  brought: Pick<Brought, 'owner' | 'evidence'> | null,
): Promise<{ readonly step: Step | null; readonly standing: Standing }> {
  const file = await fileOf(tx, settings, { org, service, at }, proven, last);
  const { awakeUntil } = file.liveness;
  // Beats are not kept: a deadline that passed less than a blindness ago may not have been confirmed yet.
  const standings = [awakeUntil, awakeUntil - settings.blindAfterMs].map((until) =>
    judge(file.intent, { ...file.facts, liveness: { ...file.liveness, awakeUntil: until } }, at),
  ) as [Standing, Standing];
  for (const standing of standings) {
    const by = brought ?? { owner: 'clock' as const, evidence: expiredEvidence(file, standing) };
    const { step, unlisted } = stepOf(file, standing, { ...by, at, now: at });
    // One that the table does not list is written behind an alarm, which would be gone too.
    if (step !== null && unlisted === null && (wanted === null || step.to === wanted))
      return { step, standing };
  }
  return { step: null, standing: standings[0] };
}
