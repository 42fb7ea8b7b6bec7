import { compareDigits } from '../contract/digits.ts';
import type { Instance, ServiceEntry } from '../contract/report.ts';
import { isRuntimeReason } from './runtime-reasons.ts';

/** What ties an instance to the revision and attempt, or in observe mode to the template, that it runs. */
export type Stamped = Pick<Instance, 'revision' | 'attempt' | 'template'>;

/** What is on its way out neither helps nor hinders. */
export function isCounted(i: Instance): boolean {
  return i.reason !== 'drifted' && i.reason !== 'terminating' && i.phase !== 'stopping';
}

/** One that somebody has put beside it to look into it is shown, and says nothing about it (F75). */
export const isJudged = ({ kind }: Instance['containers'][number]) => kind !== 'ephemeral';

export function isReady(i: Instance): boolean {
  // mutant: ready
  return i.phase === 'running' && i.ready && i.containers.every((c) => c.ready || !isJudged(c));
}

/** A silent node, or a word that nobody has taught us, proves nothing, unless phase and readiness do alone (F81). */
export function opaquenessOf(i: Instance): 'unrecognised' | 'runtime_unreachable' | null {
  if (i.phase === 'unknown' || i.reason === 'node_lost') return 'runtime_unreachable';
  const proves = i.phase === 'exited' || i.phase === 'failed' || (i.phase === 'running' && !isReady(i));
  return i.reason && !isRuntimeReason(i.reason) && !proves ? 'unrecognised' : null;
}

/** The runtime has not yet looked at what it was last told. */
export function isBehind(entry: ServiceEntry | null): boolean {
  const generation = entry?.generation;
  return generation != null && compareDigits(generation.observed, generation.desired) < 0;
}
