import { row } from './row.ts';

/** Reasons of workloads whose copies come and go. */
export const ROLLOUT_REASONS = {
  updating: row(
    'start',
    'none',
    'The new version is being rolled out.',
    'Fewer replicas are of the newest template than wanted.',
  ),
  scaling: row(
    'scheduling',
    'none',
    'Copies are being added or removed.',
    'The number of replicas is not the one that is wanted.',
  ),
  not_available: row(
    'readiness',
    'none',
    'Not all copies are ready yet.',
    'Fewer replicas are available than wanted.',
  ),
  progress_deadline: row(
    'readiness',
    'user',
    'The new version did not become ready in the time it has.',
    'Progressing=False, ProgressDeadlineExceeded. It goes on trying: the deadline is not final.',
  ),
  create_failed: row(
    'scheduling',
    'user',
    'Its copies cannot be created.',
    'ReplicaFailure=True: creating pods is refused.',
  ),
  job_running: row('runtime', 'none', 'It is still at work.', 'Pods of the job are active.'),
  job_waiting: row('scheduling', 'platform', 'It has not begun yet.', 'The job has no start time.'),
  job_failed: row('runtime', 'user', 'It ended without success.', 'Failed=True.'),
  backoff_limit: row('runtime', 'user', 'It failed as often as it may.', 'BackoffLimitExceeded.'),
} as const;
