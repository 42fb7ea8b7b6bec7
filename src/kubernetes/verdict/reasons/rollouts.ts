import { onceOnly, row } from './row.ts';

/** Reasons of workloads whose copies come and go. */
export const ROLLOUT_REASONS = {
  updating: row(
    'start',
    'none',
    'The new version is being rolled out.',
    'Fewer replicas are of the newest template than wanted, or older ones remain.',
  ),
  update_on_delete: row(
    'apply',
    'user',
    'The new version waits: copies change only when somebody deletes them.',
    'updateStrategy OnDelete, and replicas of an older template remain.',
  ),
  no_node_selected: row(
    null,
    'none',
    'No machine is selected for it, so nothing runs.',
    'desiredNumberScheduled is 0.',
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
    'Not all copies are ready.',
    'Fewer replicas are available than wanted.',
  ),
  settling: row(
    'readiness',
    'none',
    'Its copies are ready, and must stay so for a while.',
    'Replicas are ready and not available yet: minReadySeconds has not passed.',
  ),
  progress_deadline: row(
    'readiness',
    'user',
    'The new version did not become ready in the time it has.',
    'ProgressDeadlineExceeded. The cluster goes on trying: the deadline is not final.',
  ),
  rolled_back: row(
    'apply',
    'user',
    'The new version failed, and the one before it was put back.',
    'Remediated=True, or a rollback took the place of the newest version.',
  ),
  delete_failed: row(
    'stop',
    'platform',
    'Copies that should go cannot be removed.',
    'Deleting pods is refused (ReplicaFailure, FailedDelete).',
  ),
} as const;

/** Reasons of work that runs to an end. Its retry is not known to be safe: it may have done half of it. */
export const JOB_REASONS = {
  job_waiting: row('scheduling', 'platform', 'It has not begun yet.', 'The job has no start time.'),
  job_running: row(
    'runtime',
    'none',
    'It is still at work.',
    'Pods of the job are active, or not all are done.',
  ),
  job_suspending: row(
    'stop',
    'none',
    'It is being suspended: copies still run.',
    'spec.suspend is true, and pods are active.',
  ),
  runs_suspended: row(
    null,
    'user',
    'It is suspended: no run begins until somebody resumes it.',
    'spec.suspend is true.',
  ),
  job_failed: onceOnly('runtime', 'user', 'It ended without success.', 'Failed=True.'),
  backoff_limit: onceOnly(
    'runtime',
    'user',
    'It failed as often as it may, and was given up.',
    'BackoffLimitExceeded, MaxFailedIndexesExceeded or FailedIndexes.',
  ),
  pod_failure_policy: onceOnly(
    'runtime',
    'user',
    'It failed in a way that its own rules do not forgive.',
    'PodFailurePolicy ended the job.',
  ),
  last_run_failed: onceOnly(
    'runtime',
    'user',
    'Its last run did not succeed.',
    'lastScheduleTime is after lastSuccessfulTime and no job is active, or the last job that finished failed.',
  ),
  schedule_invalid: row(
    'scheduling',
    'user',
    'Its schedule is not understood, so it never runs.',
    'The schedule or time zone is missing or cannot be parsed.',
  ),
  never_ran: row(
    'scheduling',
    'platform',
    'It should have run by now, and no run of it is recorded.',
    'A time of the schedule has passed since it was created, and there is no lastScheduleTime. An old export of it looks the same.',
  ),
  schedule_missed: row(
    'scheduling',
    'platform',
    'Runs were missed.',
    'The controller missed too many start times, or the start deadline passed; or a time of the schedule has passed since lastScheduleTime. An old export of it looks the same.',
  ),
} as const;
