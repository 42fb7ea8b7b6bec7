import { type Mover, RUNTIME_REASONS, type RuntimeReason, type Stage } from '../contract/vocabulary.ts';

/** A reason that a runtime may report for an instance: its stage, its mover and the two texts. */
export interface ReasonRow {
  readonly stage: Stage;
  readonly owner: Mover;
  readonly retrySafe: boolean;
  /** Another try of the same revision ends the same way; absent where it may end otherwise. */
  readonly retryHelps?: false;
  readonly user: string;
  /** The user's text where the attempt ran before; absent where it is the same. */
  readonly lost?: string;
  readonly operator: string;
  /**
   * Time does not mend it: a start in which every instance has shown it for so long fails, and does not wait for its
   * whole deadline. Absent where time may mend it.
   */
  readonly patienceMs?: number;
}

/** The subject of a sentence about one instance; its name takes this place where it is reported. */
export const ONE_COPY = 'A copy of the app';

export const RUNTIME_REASON_TABLE = {
  crash_loop: row(
    'start',
    'user',
    'The app starts and exits again and again.',
    'Three or more exits within ten minutes, or the runtime calls it so.',
  ),
  exited: row('start', 'user', 'The app exited.', 'The main process ended by itself.'),
  signalled: row(
    'start',
    'user',
    'The app was stopped by a signal.',
    'The main process was killed by a signal.',
  ),
  oom_killed: row(
    'start',
    'user',
    'The app used more memory than it may.',
    'Killed by the out-of-memory killer.',
  ),
  not_listening: row(
    'readiness',
    'user',
    'Nothing listens on the port of the app yet: it should listen on the port that it is given in PORT.',
    'Connection refused on the port.',
    'Nothing listens on the port of the app any more: it should listen on the port that it is given in PORT.',
  ),
  wrong_port: {
    ...row(
      'readiness',
      'user',
      'The app listens on another port than the one that it is given in PORT.',
      'A process of the instance listens, and none on its port.',
    ),
    retryHelps: false,
    patienceMs: 8_000,
  },
  wrong_address: {
    ...row(
      'readiness',
      'user',
      'The app listens on its port at an address that requests do not reach: it should listen on 0.0.0.0.',
      'The listening socket is bound to an address at which nobody connects to it.',
    ),
    retryHelps: false,
    patienceMs: 8_000,
  },
  not_answering: row(
    'readiness',
    'user',
    `${ONE_COPY} listens and does not answer.`,
    'Connections are accepted, and no answer came for as long as the last one counts: the probe’s interval and timeout.',
    `${ONE_COPY} does not answer any more. It gets no requests until it does.`,
  ),
  port_taken: row(
    'readiness',
    'user',
    `${ONE_COPY} cannot have its port: another program listens there.`,
    'The listening socket is held by no process of the instance: its answers prove nothing about it.',
  ),
  suspended: row(
    'readiness',
    'user',
    `${ONE_COPY} is suspended: it is alive and does nothing.`,
    'A process of the instance is stopped by a signal or a debugger (state T).',
  ),
  probe_failed: row('readiness', 'user', 'The health check of the app fails.', 'The readiness probe fails.'),
  startup_failed: row(
    'readiness',
    'user',
    'The app does not finish its start in time, and is started again.',
    'The startup probe fails, and the node has ended the container for it.',
  ),
  liveness_failed: row(
    'runtime',
    'user',
    'The app was restarted because it did not answer its health check.',
    'The liveness probe fails, and the node has ended the container for it.',
  ),
  health_error: {
    ...row(
      'readiness',
      'user',
      'The health check of the app answers with an error.',
      'The health path answers with a status from 400 on, other than 429 and 503, which ask for patience.',
    ),
    patienceMs: 20_000,
  },
  readiness_gate: row(
    'readiness',
    'platform',
    'Something outside of it does not let it take part.',
    'A readiness gate is not met.',
  ),
  route_refused: row(
    'route',
    'user',
    'The app refuses requests from the router.',
    'The route is refused by the instance.',
  ),
  router_down: row(
    'route',
    'platform',
    'The router in front of the app is down. It is being started again.',
    'The process of the router has ended or does not answer its control socket. The agent starts another; its log says why that fails.',
  ),
  certificate_expired: row(
    'route',
    'platform',
    'The certificate for https has expired: browsers refuse the https address of the app.',
    'The certificate that the router shows for a listed host is past its notAfter, by the clock of the target.',
  ),
  image_not_found: row('image', 'user', 'The image does not exist.', 'The registry has no such image.'),
  image_denied: row('image', 'user', 'The image may not be pulled.', 'The registry refused the credentials.'),
  image_unreachable: row(
    'image',
    'platform',
    'The image registry does not answer.',
    'The registry cannot be reached.',
  ),
  image_pull_failed: row(
    'image',
    'user',
    'The image cannot be fetched.',
    'ErrImagePull or ImagePullBackOff, for a cause that the message does not name.',
  ),
  image_invalid: row('image', 'user', 'The name of the image is not valid.', 'InvalidImageName.'),
  unschedulable: row(
    'scheduling',
    'platform',
    'No machine there fits what it asks for.',
    'No node fits the constraints.',
  ),
  no_matching_node: row(
    'scheduling',
    'user',
    'No machine there has the labels that it asks for.',
    'Its node selector or affinity matches no node; a DaemonSet with it wants no copy.',
  ),
  insufficient_resources: row(
    'scheduling',
    'platform',
    'There is not enough room.',
    'Not enough cpu or memory.',
  ),
  quota_exceeded: row('scheduling', 'user', 'The quota is used up.', 'A resource quota refuses it.'),
  admission_denied: row(
    'scheduling',
    'platform',
    'The target refuses to run it.',
    'An admission policy refused it.',
  ),
  config_missing: row(
    'start',
    'user',
    'Configuration that the app needs is missing.',
    'A config or secret is absent.',
  ),
  volume_pending: row(
    'scheduling',
    'platform',
    'Its storage is not ready.',
    'A volume is not bound or attached.',
  ),
  storage_class_missing: row(
    'scheduling',
    'user',
    'The kind of storage that it asks for does not exist there.',
    'The storageClassName of a claim that it uses names no StorageClass.',
  ),
  volume_provisioning_failed: row(
    'scheduling',
    'platform',
    'Its storage cannot be made.',
    'A claim that it uses is pending, and a warning says that provisioning or binding fails.',
  ),
  volume_failed: row(
    'start',
    'platform',
    'Its storage could not be attached.',
    'A volume could not be mounted.',
  ),
  start_failed: row(
    'start',
    'user',
    'The app cannot be started.',
    'The container cannot be created or its command cannot run.',
  ),
  sandbox_failed: row(
    'start',
    'platform',
    'Its surroundings on the machine cannot be made.',
    'The pod sandbox or its network cannot be created.',
  ),
  init_failed: row('start', 'user', 'A preparation step of the app fails.', 'An init container fails.'),
  sidecar_failed: row('readiness', 'user', 'A helper beside the app fails.', 'A sidecar container fails.'),
  evicted: row('runtime', 'platform', 'The target moved it away.', 'Evicted from its node.'),
  preempted: row(
    'runtime',
    'platform',
    'Something more urgent took its place.',
    'Preempted by a higher priority.',
  ),
  node_lost: row(
    'runtime',
    'platform',
    'The machine it ran on does not answer.',
    'The node of the instance is silent.',
  ),
  vanished: row(
    'runtime',
    'platform',
    'Copies are gone from the records of their target, and their machine has not been heard since.',
    'The instance is gone from the API; its node has not renewed its lease since, which would prove that it ended.',
  ),
  not_replaced: row(
    'scheduling',
    'platform',
    'Copies are gone, and what should replace them at their target does not act.',
    'Its controller counts instances that are gone, and has created no others: the controllers of the cluster stand still.',
  ),
  create_failed: row(
    'scheduling',
    'user',
    'Its copies cannot be created.',
    'Creating pods is refused (ReplicaFailure, FailedCreate).',
  ),
  scheduling_gated: row(
    'scheduling',
    'user',
    'It waits: something must let it be scheduled first.',
    'spec.schedulingGates is not empty.',
  ),
  rollout_paused: row(
    'scheduling',
    'user',
    'Its rollout is paused: the other copies stay as they were until somebody resumes it.',
    'spec.paused in the middle of a rollout: copies of an older template remain. No deadline runs.',
  ),
  older_in_the_way: row(
    'scheduling',
    'user',
    'A copy of an older version is not ready and stands in the way: it goes on once somebody deletes that copy.',
    'A StatefulSet waits until each of its pods is ready, also for one of a superseded revision that never will be.',
  ),
  older_run_in_the_way: row(
    'scheduling',
    'user',
    'A run of an older version does not get on and stands in the way: the next begins once somebody deletes that run.',
    'concurrencyPolicy is Forbid, and a Job of other images is active and does not get on.',
  ),
  deadline_exceeded: row('runtime', 'user', 'It ran longer than it may.', 'An active deadline was exceeded.'),
  terminating: row('runtime', 'none', 'A copy of it is being stopped.', 'The instance is terminating.'),
  drifted: row('runtime', 'user', 'Someone else changed it.', 'Another manager owns fields of the template.'),
} as const satisfies Record<RuntimeReason, ReasonRow>;

function row(stage: Stage, owner: Mover, user: string, operator: string, lost?: string): ReasonRow {
  const reason: ReasonRow = { stage, owner, retrySafe: true, user, operator };
  return lost === undefined ? reason : { ...reason, lost };
}

const reasons: ReadonlySet<string> = new Set(RUNTIME_REASONS);

export function isRuntimeReason(reason: string): reason is RuntimeReason {
  return reasons.has(reason);
}
