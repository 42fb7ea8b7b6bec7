import { exitsOf } from './exits.ts';
import type { Mark, Proven, RevisionFacts, Steady } from './facts.ts';
import { gapOf } from './recovery.ts';
import type { Standing } from './standing.ts';

/**
 * The ids of the evidence that a standing rests on: replaying only these gives the same state (S14). Gathered
 * apart from the judgement, because the door judges far more often than anyone reads.
 */
export function citedEvidence(
  revision: RevisionFacts,
  proven: Proven,
  standing: Standing,
): readonly string[] {
  const { observed } = proven;
  const ids = new Set<string>();
  const cite = (...marks: readonly (Mark | null)[]) => {
    for (const mark of marks) if (mark !== null) ids.add(mark.id);
  };
  const steadily = (steady: Steady) => {
    ids.add(steady.evidence);
    for (const id of steady.contrary) ids.add(id);
  };
  const { attempt } = revision;
  cite(revision.recorded, attempt.requested, revision.artifact, revision.adopted ?? null);
  for (const command of attempt.commands) {
    cite(command.published, command.requeued, command.withdrawn);
    for (const lease of command.leases) cite(lease.acknowledged, lease.ended);
  }
  cite(attempt.cancel, attempt.applied, attempt.removed, attempt.held, attempt.progress);
  // A contract that was broken makes nothing stopped. Its row shows copies, and the one that showed them gone may be of a
  // former place, and no longer on record here: a replay would take them for left behind there (seed 333).
  if (standing.state !== 'stopped') cite(attempt.broken);
  cite(attempt.ending, attempt.settled, attempt.loop ?? null, attempt.growing ?? null);
  const isFromObservation = standing.reading !== null || standing.stage === 'stop';
  if (!isFromObservation && standing.cause?.code !== 'store_recovered') return [...ids];
  for (const { mark, evidence } of observed.left ?? []) for (const id of [mark.id, ...evidence]) ids.add(id);
  for (const silence of observed.silences) ids.add(silence.evidence);
  // The row that ended what served: without it, a replay takes an earlier one for serving still.
  for (const { evidence } of observed.served ?? []) ids.add(evidence);
  for (const part of observed.parts) {
    for (const instance of part.instances) steadily(instance.steady);
    for (const { steady } of part.entries) steadily(steady);
    for (const { steady } of part.cleared) steadily(steady);
    cite(part.completeMark, part.mark);
    // An instance with a number that was never issued serves nobody (F24): the row that left the number out says so.
    for (const { revision: shown } of [...part.instances, ...(part.entry?.route ? [part.entry.route] : [])]) {
      const gap = gapOf(shown, proven);
      if (gap !== undefined) ids.add(gap.evidence);
    }
    // The windows and crash loops of what is there now (F113).
    for (const instance of part.instances) {
      const memory = exitsOf(observed, instance);
      for (const { evidence } of memory?.exits ?? []) ids.add(evidence);
      if (memory?.outlived !== undefined) ids.add(memory.outlived);
    }
  }
  return [...ids];
}
