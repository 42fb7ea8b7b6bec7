import type { Claim } from '../claim.ts';
import type { Stage, State } from '../vocabulary.ts';
import { failedStage } from './failed-stage.ts';

/**
 * The step of the path that failed. What waited in vain for a taker was done itself: the step that nobody took failed, and
 * not the last one that is proven. Null where nothing failed.
 */
export function failedStep(claim: Claim): State | null {
  const here = claim.path.findIndex(({ current }) => current);
  const stage = failedStage(claim);
  if (stage === null || here < 0) return null;
  const waited = stage === 'apply_queue' || stage === 'publish';
  const isTaken = claim.path[here]?.state !== 'artifact_ready' && claim.path[here]?.state !== 'accepted';
  return claim.path[waited && !isTaken ? here + 1 : here]?.state ?? null;
}

/** The parts of a start, each under its own name: what became not ready did start. */
const PARTS_OF_START: Readonly<Partial<Record<Stage, { readonly label: string; readonly note: string }>>> = {
  scheduling: { label: 'Placing', note: 'it was not started' },
  image: { label: 'Image', note: 'it was not started' },
  readiness: { label: 'Readiness', note: 'it started' },
  route: { label: 'Route', note: 'it started, and was ready' },
};

/** The name of the step that failed, where that is a part of the state, and how far the rest of it got. */
export function failedPart(claim: Claim): { readonly label: string; readonly note: string } | null {
  const stage = failedStage(claim);
  return stage === null ? null : (PARTS_OF_START[stage] ?? null);
}
