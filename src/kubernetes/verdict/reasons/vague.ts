import type { ReasonName } from './index.ts';

/** Reasons that say only that it is not there yet: a pod or a warning that says why takes their place. */
export const VAGUE_REASONS: ReadonlySet<ReasonName> = new Set([
  'not_scheduled',
  'creating',
  'initialising',
  'not_ready',
  'not_yet_ready',
  'not_available',
  'settling',
  'progress_deadline',
  'scaling',
  'updating',
  'create_failed',
  'no_address',
  'volume_pending',
  'job_waiting',
  'job_running',
  'restarted',
]);
