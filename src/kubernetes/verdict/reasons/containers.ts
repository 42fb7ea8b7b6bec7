import { row } from './row.ts';

/** Reasons of pods and their containers that the runtimes' catalogue lacks. */
export const CONTAINER_REASONS = {
  not_scheduled: row(
    'scheduling',
    'platform',
    'No machine has been chosen for it yet.',
    'PodScheduled is not True.',
  ),
  creating: row('start', 'none', 'It is being prepared.', 'Containers are being created.'),
  initialising: row('start', 'none', 'Its preparation steps run.', 'Init containers are not done.'),
  not_ready: row('readiness', 'user', 'It runs and is not ready yet.', 'Ready is not True.'),
  readiness_gate: row(
    'readiness',
    'platform',
    'Something outside has not let it in yet.',
    'A readiness gate is not met.',
  ),
  running_to_end: row(
    'runtime',
    'none',
    'It is still at work.',
    'It runs to its end: restartPolicy is not Always.',
  ),
} as const;
