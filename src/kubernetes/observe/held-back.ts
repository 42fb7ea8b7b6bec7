import type { PodInstance } from './instance.ts';
import { type HoldingWorkload, holdsBack, mayBeHeldBack } from './template-in-force.ts';

/** The copies that are held back: one that is not ready, or of which nobody knows, speaks against the whole. */
export interface HeldBack {
  readonly count: number;
  readonly ready: number;
  /** The first that is known not to be ready. */
  readonly broken: PodInstance | null;
  readonly isUnknown: boolean;
}

export const NONE_HELD_BACK: HeldBack = { count: 0, ready: 0, broken: null, isUnknown: false };

export function heldBackIn(workload: HoldingWorkload, instances: readonly PodInstance[]): HeldBack {
  if (!holdsBack(workload)) return NONE_HELD_BACK;
  const held = instances.filter(
    ({ name, revision, isTerminating, standing }) =>
      revision === 'superseded' &&
      !isTerminating &&
      !(standing.kind === 'unknown' && standing.why === 'vanished') &&
      mayBeHeldBack(workload, name),
  );
  return {
    count: held.length,
    ready: held.filter(({ standing }) => standing.kind === 'known' && standing.ready).length,
    broken: held.find(({ standing }) => standing.kind === 'known' && !standing.ready) ?? null,
    isUnknown: held.some(({ standing }) => standing.kind === 'unknown'),
  };
}

/**
 * The copies that are wanted of the template in force: those that are held back are wanted too, and are as they should be
 * while they are ready. With one that is not, all are wanted, so that the workload is not called running.
 */
export function wantedInForce(all: number | null, { count, broken }: HeldBack): number | null {
  if (all === null || all === 0 || count === 0 || broken !== null) return all;
  return Math.max(1, all - count);
}
