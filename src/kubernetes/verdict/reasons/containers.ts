import { row } from './row.ts';

/** Reasons of pods and their containers that the runtimes' own catalogue lacks. */
export const CONTAINER_REASONS = {
  not_scheduled: row(
    'scheduling',
    'platform',
    'No machine has been chosen for it yet.',
    'PodScheduled is not True.',
  ),
  node_refused: row(
    'scheduling',
    'platform',
    'The machine that was chosen for it refused it.',
    'The kubelet rejected the pod at admission.',
  ),
  creating: row('start', 'none', 'It is being prepared.', 'Containers are being created.'),
  initialising: row('start', 'none', 'Its preparation steps run.', 'Init containers are not done.'),
  network_not_ready: row(
    'start',
    'platform',
    'The network of its machine is not ready.',
    'NetworkNotReady: the node’s network plugin.',
  ),
  hook_failed: row(
    'start',
    'user',
    'A step at the start of the app fails.',
    'A postStart or preStop hook fails.',
  ),
  image_not_allowed: row(
    'image',
    'platform',
    'The image is not allowed here.',
    'Its signature or policy check failed.',
  ),
  restarted: row(
    'runtime',
    'user',
    'It restarted and is not ready.',
    'A container has restarted and is not ready.',
  ),
  not_ready: row('readiness', 'user', 'It runs and is not ready.', 'Ready is not True.'),
  running_to_end: row(
    'runtime',
    'none',
    'It is still at work.',
    'It runs to its end: restartPolicy is not Always.',
  ),
  resize_pending: row(
    'runtime',
    'platform',
    'A change of its size waits.',
    'PodResizePending or PodResizeInProgress is True.',
  ),
  resize_refused: row(
    'runtime',
    'user',
    'Its size cannot be changed as asked; it runs with the old one.',
    'PodResizePending=True, Infeasible, or PodResizeInProgress=True, Error.',
  ),
  disrupted: row('runtime', 'platform', 'The cluster moves it away.', 'DisruptionTarget=True.'),
} as const;
