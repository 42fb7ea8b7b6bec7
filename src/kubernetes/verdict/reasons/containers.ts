import { row } from './row.ts';

/** Reasons of pods and their containers that the runtimes' own catalogue lacks. */
export const CONTAINER_REASONS = {
  not_scheduled: row(
    'scheduling',
    'platform',
    'No machine has been chosen for it yet.',
    'PodScheduled is not True.',
  ),
  scheduling_gated: row(
    'scheduling',
    'user',
    'It waits: something must let it be scheduled first.',
    'spec.schedulingGates is not empty.',
  ),
  node_refused: row(
    'scheduling',
    'platform',
    'The machine that was chosen for it refused it.',
    'The kubelet rejected the pod at admission.',
  ),
  creating: row('start', 'none', 'It is being prepared.', 'Containers are being created.'),
  initialising: row('start', 'none', 'Its preparation steps run.', 'Init containers are not done.'),
  sandbox_failed: row(
    'start',
    'platform',
    'Its surroundings on the machine cannot be made.',
    'The pod sandbox or its network cannot be created.',
  ),
  network_not_ready: row(
    'start',
    'platform',
    'The network of its machine is not ready.',
    'NetworkNotReady: the node’s network plugin.',
  ),
  start_failed: row(
    'start',
    'user',
    'The app cannot be started.',
    'The container cannot be created or its command cannot run.',
  ),
  hook_failed: row(
    'start',
    'user',
    'A step at the start of the app fails.',
    'A postStart or preStop hook fails.',
  ),
  image_pull_failed: row(
    'image',
    'user',
    'The image cannot be fetched.',
    'ErrImagePull or ImagePullBackOff, for a cause that the message does not name.',
  ),
  image_invalid: row('image', 'user', 'The name of the image is not valid.', 'InvalidImageName.'),
  image_not_allowed: row(
    'image',
    'platform',
    'The image is not allowed here.',
    'Its signature or policy check failed.',
  ),
  restarted: row(
    'runtime',
    'user',
    'It ended and was started again, and is not ready.',
    'A container has restarted and is not ready.',
  ),
  liveness_failed: row(
    'runtime',
    'user',
    'It was restarted because it did not answer its health check.',
    'The liveness probe fails.',
  ),
  startup_failed: row(
    'readiness',
    'user',
    'It does not finish its start in time.',
    'The startup probe fails.',
  ),
  not_ready: row('readiness', 'user', 'It runs and is not ready.', 'Ready is not True.'),
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
  resize_pending: row(
    'runtime',
    'platform',
    'A change of its size waits.',
    'PodResizePending or PodResizeInProgress is True.',
  ),
  disrupted: row('runtime', 'platform', 'The cluster moves it away.', 'DisruptionTarget=True.'),
} as const;
