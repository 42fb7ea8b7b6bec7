import { RUNTIME_REASONS } from '../../src/contract/vocabulary.ts';
import type { ReportedInstance } from './report-items.ts';

const REASONS: ReadonlySet<string> = new Set(RUNTIME_REASONS);

/** An instance that is on its way out counts for nothing, and nothing about it is in doubt. */
export const isLeaving = (i: ReportedInstance) =>
  i.phase === 'stopping' || i.reason === 'terminating' || i.reason === 'drifted';

/** A lost node, or a reason outside the catalogue that phase and readiness do not make plain. */
export function isDoubtful(i: ReportedInstance): boolean {
  if (isLeaving(i)) return false;
  if (i.phase === 'unknown' || i.reason === 'node_lost') return true;
  const proves = i.phase === 'exited' || i.phase === 'failed' || (i.phase === 'running' && !i.ready);
  return i.reason !== null && !REASONS.has(i.reason) && !proves;
}
