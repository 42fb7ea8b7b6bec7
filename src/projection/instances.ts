import { compareDigits } from '../contract/digits.ts';
import type { Instance, ServiceEntry } from '../contract/report.ts';
import { isRuntimeReason } from './runtime-reasons.ts';

/** The stamp of an instance: the revision and attempt that it runs or, in observe mode, the template. */
export type InstanceStamp = Pick<Instance, 'revision' | 'attempt' | 'template'>;

export function sameStamp(a: InstanceStamp, b: InstanceStamp): boolean {
  return a.revision === b.revision && a.attempt === b.attempt && a.template === b.template;
}

/** An instance on its way out neither helps nor hinders the running contract. */
export function isCounted(i: Instance): boolean {
  return i.reason !== 'drifted' && i.reason !== 'terminating' && i.phase !== 'stopping';
}

/** An ephemeral container, started to debug an instance, is shown and not judged (F75). */
export const isJudged = ({ kind }: Instance['containers'][number]) => kind !== 'ephemeral';

export function isReady(i: Instance): boolean {
  // mutant: ready
  return i.phase === 'running' && i.ready && i.containers.every((c) => c.ready || !isJudged(c));
}

/** The cause for which an instance cannot be judged. */
export type InstanceOpaqueness =
  | 'unrecognised'
  | 'runtime_unreachable'
  | 'store_recovered'
  | 'absence_unproven';

/**
 * A silent node (F73), a cluster that was restored under it (F61), or a reason outside the catalogue proves nothing, unless
 * phase and readiness do alone (F81).
 */
export function opaquenessOf(i: Instance): InstanceOpaqueness | null {
  if (i.phase === 'unknown' && i.reason === 'store_recovered') return 'store_recovered';
  if (i.phase === 'unknown' && i.reason === 'vanished') return 'absence_unproven';
  if (i.phase === 'unknown' || i.reason === 'node_lost') return 'runtime_unreachable';
  const proves = i.phase === 'exited' || i.phase === 'failed' || (i.phase === 'running' && !isReady(i));
  return i.reason && !isRuntimeReason(i.reason) && !proves ? 'unrecognised' : null;
}

/** The runtime has not yet acted on its newest generation (F70). */
export function isBehind(entry: ServiceEntry | null): boolean {
  const generation = entry?.generation;
  return generation != null && compareDigits(generation.observed, generation.desired) < 0;
}
