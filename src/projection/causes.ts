import { type ActionName, moverOf } from '../contract/actions.ts';
import {
  BUILD_CODES,
  type BuildCode,
  type CauseCode,
  type Mover,
  type OtherCause,
  RUNTIME_REASONS,
  type RuntimeReason,
  type Stage,
  type State,
  type UnknownCause,
  type WaitingCause,
} from '../contract/vocabulary.ts';
import { type ReasonRow, RUNTIME_REASON_TABLE } from './runtime-reasons.ts';

/** A cause of a state: the states and stages that it goes with, who moves next, and the two texts. */
export interface CauseRow {
  readonly states: readonly State[];
  /** The stages that the cause goes with; null where the state has no stage of failure. */
  readonly stages: readonly Stage[] | null;
  /** Takes the next action. A wrong owner would let everybody wait for somebody who never moves. */
  readonly owner: Mover;
  /** Null if it goes on by itself. */
  readonly action: ActionName | null;
  readonly retrySafe: boolean;
  /** Another try of the same revision ends the same way; absent where it may end otherwise. */
  readonly retryHelps?: false;
  readonly user: string;
  /**
   * The user's text where the attempt ran before; absent where it is the same. A service that ran is never
   * "not yet" ready.
   */
  readonly lost?: string;
  readonly operator: string;
}

const AT_RUNTIME = ['scheduling', 'image', 'start', 'readiness', 'route', 'runtime'] as const;

function waiting(action: ActionName | null, user: string, operator: string): CauseRow {
  return {
    states: ['waiting_for_worker', 'artifact_ready'],
    stages: null,
    owner: moverOf(action),
    action,
    retrySafe: true,
    user,
    operator,
  };
}

const WAITING = {
  no_worker_online: waiting(
    'start_worker',
    'Nobody who could take it is online.',
    'No worker or agent whose kinds and binding cover the command was seen within the freshness window.',
  ),
  all_busy: waiting(
    'start_worker',
    'Everybody who could take it is busy.',
    'Workers are online, and each holds a lease.',
  ),
  offered: waiting(
    null,
    'It is being handed over.',
    'Offered and not acknowledged (the offer is burned if nobody takes it up), or someone who is free asks next.',
  ),
  requeued: waiting(
    null,
    'The first try was interrupted; it waits for the next.',
    'Re-queued after a lapse, a registration or a contradiction; not offered since.',
  ),
} as const satisfies Record<WaitingCause, CauseRow>;

function unknown(action: ActionName | null, user: string, operator: string, retrySafe = true): CauseRow {
  return { states: ['unknown'], stages: null, owner: moverOf(action), action, retrySafe, user, operator };
}

const UNKNOWN = {
  stale_runtime: unknown(
    'start_agent',
    'Its target is silent.',
    'The agent is silent: no report within the freshness window.',
  ),
  never_observed: unknown(
    'start_agent',
    'Nothing has ever been seen at this target.',
    'No agent has ever reported for this target.',
  ),
  watch_stalled: unknown(
    'restart_agent',
    'The target answers, but what runs there is no longer seen.',
    'The agent is alive, its watch is not: reports arrive, what they show is old.',
  ),
  lease_lapsed: unknown(
    null,
    'Whoever worked on it has gone silent.',
    'The lease ended without a heartbeat; it is re-queued when the lapse is recorded.',
  ),
  contradictory: unknown(
    'investigate',
    'What we see contradicts what was proven.',
    'Evidence contradicts the recorded state, or the transition table does not list the step.',
    false,
  ),
  unrecognised: unknown(
    'investigate',
    'The target reports something we don’t understand.',
    'A runtime reason outside the catalogue, and phase and readiness alone prove nothing.',
  ),
  store_recovered: unknown(
    null,
    'The records were restored from a backup; what runs has to be seen again first.',
    'The store was restored or failed over; no complete report since has shown only what the ledger issued. With `seenRevision`: what was seen was never issued here, and only a new revision takes its place. With `lostSince`: the instant that was requested lies in what was lost.',
  ),
  evidence_corrupt: unknown(
    'restart_agent',
    'The last report could not be read.',
    'An item about this service failed its schema, or two of one report contradict each other: the report proves nothing about it. Or what was kept of it, or of who last reported for its target, cannot be read.',
  ),
  forbidden: unknown(
    'grant_access',
    'We are not allowed to look at the target.',
    'The agent is alive, but may not read what it must.',
  ),
  runtime_unreachable: unknown(
    'check_runtime',
    'What it runs on does not answer.',
    'The agent is alive; the engine, API server or node is not.',
  ),
  absence_unproven: unknown(
    'teardown',
    'We could not prove that all of it is gone.',
    'The stop deadline passed without `runtime.removed` and a complete snapshot without an instance. With `by`: a copy is gone whose machine was not heard since (`vanished`), or no complete report has shown yet whether there are copies of what wants none (`unreported`).',
  ),
  identity_changed: unknown(
    'confirm_target',
    'This target is another place now, and cannot see what runs in the former one.',
    'Registered with another identity (`former` is the one before). It ends when the former place or its instances are seen again, when a new attempt holds in the new place, or with `evident targets retire`.',
    false,
  ),
  not_observed: unknown(
    null,
    'It is no longer observed at its target.',
    'The rule of the target was changed or stopped, or its labels were changed: reports under the rule leave it out, and prove nothing of it.',
  ),
} as const satisfies Record<UnknownCause, CauseRow>;

/** The repair of a cause, where it is not simply another version by the user. */
const REASON_ACTIONS: { readonly [R in RuntimeReason]?: ActionName | null } = {
  not_answering: 'restart',
  port_taken: 'restart',
  suspended: 'restart',
  image_unreachable: 'check_registry',
  readiness_gate: 'check_gate',
  router_down: 'check_runtime',
  certificate_expired: 'renew_certificate',
  sandbox_failed: 'check_runtime',
  unschedulable: 'add_capacity',
  insufficient_resources: 'add_capacity',
  quota_exceeded: 'raise_quota',
  admission_denied: 'check_policy',
  volume_pending: 'check_storage',
  volume_provisioning_failed: 'check_storage',
  volume_failed: 'check_storage',
  evicted: 'add_capacity',
  preempted: 'add_capacity',
  node_lost: 'check_runtime',
  vanished: null,
  not_replaced: 'check_runtime',
  rollout_paused: 'resume_rollout',
  terminating: null,
};

/** Runtime reasons come from their own catalogue; this adds the states and stages that may show them. */
const RUNTIME = Object.fromEntries(
  RUNTIME_REASONS.map((reason) => {
    const { owner, retrySafe, retryHelps, user, lost, operator, patienceMs }: ReasonRow =
      RUNTIME_REASON_TABLE[reason];
    const fails = patienceMs === undefined ? '' : ` A start fails after ${patienceMs / 1_000} s of it.`;
    const listed = REASON_ACTIONS[reason];
    const action = listed === undefined ? 'deploy' : listed;
    const row: CauseRow = {
      states: ['starting', 'degraded', 'failed'],
      stages: ['apply', ...AT_RUNTIME],
      owner,
      action,
      retrySafe,
      ...(retryHelps === false && { retryHelps }),
      user,
      ...(lost === undefined ? {} : { lost }),
      operator: `${operator}${fails}`,
    };
    return [reason, row];
  }),
) as Record<RuntimeReason, CauseRow>;

function failed(
  stages: readonly Stage[],
  action: ActionName | null,
  user: string,
  operator: string,
): CauseRow {
  return { states: ['failed'], stages, owner: moverOf(action), action, retrySafe: true, user, operator };
}

/** The same source and spec fail again in the same way. */
const sameAgain = (...of: Parameters<typeof failed>): CauseRow => ({ ...failed(...of), retryHelps: false });

const BUILD = {
  build_failed: failed(
    ['build'],
    'deploy',
    'The build failed.',
    '`build.failed`, with this code or one outside the catalogue.',
  ),
  build_command_failed: sameAgain(
    ['build'],
    'deploy',
    'The build command failed.',
    'The build command exited with a code other than 0.',
  ),
  dependencies_failed: failed(
    ['build'],
    'deploy',
    'The dependencies could not be installed.',
    'Installing dependencies failed.',
  ),
  no_start_command: sameAgain(
    ['build'],
    'deploy',
    'Nothing says how to start the app.',
    'No Procfile, start script or `command` in the spec.',
  ),
  source_invalid: sameAgain(
    ['build'],
    'deploy',
    'The source could not be read.',
    'The source archive could not be unpacked.',
  ),
  build_out_of_memory: failed(
    ['build'],
    'deploy',
    'The build ran out of memory.',
    'The build was killed for its memory.',
  ),
  not_recognised: sameAgain(
    ['build'],
    'deploy',
    'We can’t tell what this folder is: it names no build or command, and has no evident.yaml, Procfile, package.json, requirements.txt, pyproject.toml, go.mod or index.html at its top.',
    'Nothing that the builder looks for is at the top of the source; the build log lists what is there.',
  ),
  tool_missing: failed(
    ['build'],
    'prepare_builder',
    'The builder lacks a program that the build needs.',
    'A program of the build is not on the builder’s PATH; `build.failed` names it.',
  ),
  builder_disk_full: failed(
    ['build'],
    'prepare_builder',
    'The builder’s disk is full.',
    'Less than the floor is free on the builder, or a write failed with ENOSPC.',
  ),
  builder_failed: failed(
    ['build'],
    'prepare_builder',
    'The builder itself failed; nothing is known to be wrong with the app.',
    'A defect or a broken machine: `build.failed` carries what the builder met.',
  ),
} as const satisfies Record<BuildCode, CauseRow>;

function observed(
  stages: readonly Stage[],
  action: ActionName | null,
  user: string,
  operator: string,
  lost?: string,
): CauseRow {
  const row: CauseRow = {
    ...failed(stages, action, user, operator),
    states: ['starting', 'degraded', 'failed'],
  };
  return lost === undefined ? row : { ...row, lost };
}

const OTHER = {
  // Codes of `runtime.apply_failed` that only the person who deploys can mend; any other code shows `apply_failed`.
  image_unsupported: sameAgain(
    ['apply'],
    'deploy',
    'This target runs processes and no images: deploy a folder, or an artifact that was built here.',
    'The agent’s runtime cannot run an image.',
  ),
  observe_only: sameAgain(
    ['apply'],
    'deploy_elsewhere',
    'This target only observes what other tools deploy.',
    'The agent’s runtime observes a cluster, and applies nothing.',
  ),
  wrong_runtime: sameAgain(
    ['apply'],
    'deploy',
    'This target has another runtime than you asked for.',
    '`runtime` in the spec is not what the agent runs.',
  ),
  no_command: sameAgain(
    ['apply'],
    'deploy',
    'Nothing says how to start the app: set a command.',
    'Neither the spec nor the builder’s plan has a command.',
  ),
  command_invalid: sameAgain(
    ['apply'],
    'deploy',
    'The start command can’t be parsed.',
    'The command cannot be split into words.',
  ),
  command_not_found: sameAgain(
    ['apply'],
    'deploy',
    'The program in the start command is neither in the app nor on the target.',
    'The program is not in the artifact nor on the agent’s search path, or may not be executed.',
  ),
  secret_in_arguments: sameAgain(
    ['apply'],
    'deploy',
    'The start command contains a secret, which everybody on the target could read. Read it from the environment instead.',
    'A secret would stand in an argument list.',
  ),
  host_taken: failed(
    ['apply'],
    'deploy',
    'Its address belongs to another service: choose another one.',
    'Another service holds `route.host`; `runtime.apply_failed` names it. NAME.localhost belongs to the service NAME.',
  ),
  image_required: sameAgain(
    ['apply'],
    'deploy',
    'This target runs images and no folders: build one, and deploy it by its name.',
    'The order names an artifact of our store; the agent’s runtime is Kubernetes.',
  ),
  object_taken: failed(
    ['apply'],
    'deploy',
    'Something of that name is at the target already, and was not made for this service: give it another name.',
    'An object of that kind and name has no marks of this service; `runtime.apply_failed` names it. It was not touched.',
  ),
  field_conflict: failed(
    ['apply'],
    'mend_there',
    'Somebody else manages a part of it at the target, and wants it otherwise.',
    'The API server answers a server-side apply with FieldManagerConflict; `runtime.apply_failed` names manager and field.',
  ),
  changed_meanwhile: failed(
    ['apply'],
    'retry',
    'Somebody deleted or changed it at the target while it was being applied.',
    'An object was deleted between the read that compared its stamp and the write, is being deleted, or changes all the time.',
  ),
  cluster_refused: sameAgain(
    ['apply'],
    'deploy',
    'The target refuses it as it is.',
    'The API server or its admission refuses an object; `runtime.apply_failed` has its words.',
  ),
  cluster_forbids: failed(
    ['apply'],
    'grant_access',
    'We may not change that at the target, or its quota is used up.',
    'The API server answers 401 or 403; `runtime.apply_failed` has its words.',
  ),
  publish_timed_out: failed(
    ['publish'],
    'retry',
    'It was not handed on in time, so it was withdrawn.',
    'Not published within its deadline; the command was withdrawn.',
  ),
  queue_timed_out: failed(
    ['queue'],
    'start_worker',
    'No builder picked it up, so it was withdrawn.',
    'No acknowledged lease within the deadline; the command was withdrawn.',
  ),
  build_timed_out: failed(
    ['build'],
    'deploy',
    'The build took too long and was stopped.',
    'All leases of the build together exceeded the deadline; the fence was revoked.',
  ),
  apply_queue_timed_out: failed(
    ['apply_queue'],
    'start_agent',
    'The target never picked it up, so it was withdrawn.',
    'No agent acknowledged apply within the deadline; the command was withdrawn.',
  ),
  apply_timed_out: failed(
    ['apply'],
    'retry',
    'The target did not apply it in time.',
    'No `runtime.applied` within the deadline; the fence was revoked.',
  ),
  worker_lost: failed(
    ['build', 'apply', 'stop'],
    'retry',
    'Whoever worked on it was lost, three times in a row.',
    'The third lapsed lease of this command.',
  ),
  apply_failed: failed(
    ['apply'],
    'retry',
    'The target could not apply it.',
    '`runtime.apply_failed`, with this code or one outside the catalogue.',
  ),
  holder_silent: {
    states: ['building', 'applying_runtime_state'],
    stages: null,
    owner: moverOf(null),
    action: null,
    retrySafe: true,
    user: 'Whoever took it has gone silent.',
    operator: 'The lease holds, but its holder did not renew it when it should have.',
  },
  not_seen_yet: {
    ...observed(
      AT_RUNTIME,
      null,
      'Nothing has been seen of it yet.',
      '`runtime.applied`, and no report since that shows anything of this attempt.',
    ),
    states: ['starting'],
  },
  not_scheduled: observed(
    AT_RUNTIME,
    'add_capacity',
    'Not every copy is placed on a machine yet.',
    'Fewer instances than wanted, or pending without a reason.',
    'A copy has no place to run.',
  ),
  generation_behind: observed(
    AT_RUNTIME,
    'check_runtime',
    'The target has not picked up the latest change yet.',
    'The observed generation is behind the desired one.',
  ),
  instances_gone: observed(
    AT_RUNTIME,
    'restart',
    'Copies are missing.',
    'This attempt was running; now fewer instances are there than wanted, and none is on its way.',
  ),
  image_unverified: observed(
    AT_RUNTIME,
    'deploy',
    'We could not verify that what runs is what you asked for.',
    'Ready instances whose artifact is not the intended digest, or that carry none.',
  ),
  not_started: observed(
    AT_RUNTIME,
    'deploy',
    'The app has not started yet.',
    'Instances are starting and do not run.',
    'A copy is being started.',
  ),
  not_ready: observed(AT_RUNTIME, 'deploy', 'The app runs, but is not ready.', 'Running and not ready.'),
  settling: observed(
    AT_RUNTIME,
    null,
    'It is ready; we watch it a little longer before calling it running.',
    'The contract is satisfied, but not yet stable for the window.',
  ),
  unsteady: observed(
    AT_RUNTIME,
    null,
    'It exited and is ready again; we watch it longer before calling it running.',
    'The contract is satisfied, but an instance that exited has not held its window, which doubles with every exit.',
  ),
  route_silent: observed(
    AT_RUNTIME,
    'deploy',
    'The app does not answer yet.',
    'Ready, but the route does not answer for this revision.',
    'The app no longer answers.',
  ),
  still_there: {
    ...observed(
      AT_RUNTIME,
      'retry',
      'Nobody has seen yet that nothing of it runs any more.',
      'Zero instances are wanted, and no complete snapshot shows none.',
    ),
    // An instance that is observed again after it was proven gone is `contradictory`.
    states: ['starting', 'failed'],
  },
  cancel_requested: {
    states: ['cancelling', 'cancelled'],
    stages: null,
    owner: 'user',
    action: 'retry',
    retrySafe: true,
    user: 'Somebody cancelled it.',
    operator: '`cancel.requested`.',
  },
  scaled_to_zero: {
    states: ['stopped'],
    stages: null,
    owner: 'none',
    action: null,
    retrySafe: true,
    user: 'No copies are wanted.',
    operator: '`replicas: 0`, and a complete snapshot shows no instance.',
  },
  no_node_selected: {
    states: ['stopped'],
    stages: null,
    owner: 'none',
    action: null,
    retrySafe: true,
    user: 'No machine there matches what it asks for.',
    operator: 'Observe mode: a DaemonSet whose selector, affinity or tolerations fit no node wants no copy.',
  },
  removed_elsewhere: {
    states: ['stopped'],
    stages: null,
    owner: 'none',
    action: null,
    retrySafe: true,
    user: 'Somebody removed it at its target.',
    operator:
      'Observe mode: the workload is gone from a complete report under the same rule, and so are its instances.',
  },
  more_wanted: {
    ...observed(
      AT_RUNTIME,
      null,
      'More copies are wanted, and are being started.',
      'Observe mode: the declared number grew; every copy that was wanted before is ready.',
    ),
    states: ['starting'],
  },
  ending: {
    states: ['stopping'],
    stages: null,
    owner: 'platform',
    action: null,
    retrySafe: true,
    user: 'No copies are wanted any more; what is left is ending.',
    operator: 'Observe mode: the workload was scaled to zero, suspended or removed, and instances are left.',
  },
  job_suspended: {
    states: ['stopped'],
    stages: null,
    owner: 'none',
    action: null,
    retrySafe: true,
    user: 'It is suspended: nothing new is started until somebody resumes it.',
    operator: 'CronJob with `spec.suspend`, or a Deployment with `spec.paused` that was never rolled out.',
  },
  completed: {
    states: ['stopped'],
    stages: null,
    owner: 'none',
    action: null,
    retrySafe: true,
    user: 'It did its work and ended well.',
    operator: 'A pod that nothing controls, in the phase `Succeeded`.',
  },
  job_failed: observed(
    AT_RUNTIME,
    'deploy',
    'Its last run failed.',
    'The last Job of the CronJob that finished has the condition `Failed`; one that is under way proves nothing yet.',
  ),
  first_run: {
    ...observed(
      AT_RUNTIME,
      null,
      'Its first run is under way.',
      'A Job of the CronJob is active, and none has finished yet: no deadline runs.',
    ),
    states: ['starting'],
  },
  not_run_yet: {
    ...observed(
      AT_RUNTIME,
      null,
      'It waits for the first time of its schedule.',
      'The CronJob is not suspended, and has had no Job: nothing proves that it can run. No deadline runs.',
    ),
    states: ['starting'],
  },
  never_applied: {
    states: ['stopped'],
    stages: null,
    owner: 'none',
    action: null,
    retrySafe: true,
    user: 'It never ran.',
    operator: 'No apply was ever leased: the ledger alone proves that nothing runs.',
  },
  uncontained: {
    states: ['stopped'],
    stages: null,
    owner: 'none',
    action: null,
    retrySafe: true,
    user: 'Its target can’t see what an app starts on its own.',
    operator:
      '`runtime.removed` with `contained: false`: no cgroup and no namespace held its processes together.',
  },
} as const satisfies Record<OtherCause, CauseRow>;

export const CAUSES: Readonly<Record<CauseCode, CauseRow>> = {
  ...WAITING,
  ...UNKNOWN,
  ...RUNTIME,
  ...BUILD,
  ...OTHER,
};

/** The code that a stage shows when the code in the evidence is not in the catalogue. */
const BY_STAGE = {
  publish: 'publish_timed_out',
  queue: 'queue_timed_out',
  build: BUILD_CODES[0],
  apply_queue: 'apply_queue_timed_out',
  apply: 'apply_failed',
  scheduling: 'not_scheduled',
  image: 'image_unverified',
  start: 'not_started',
  readiness: 'not_ready',
  route: 'route_silent',
  runtime: 'not_ready',
  stop: 'worker_lost',
} as const satisfies Record<Stage, CauseCode>;

/**
 * The cause code of a claim. A sender's code is free text unless the catalogue has it for this state and
 * stage: a builder that sends `store_recovered` for a build has only proven `build_failed` (S1, S15).
 */
export function catalogueCause(code: string | null, state: State, stage: Stage | null): CauseCode | null {
  if (code !== null && isCause(code) && fits(CAUSES[code], state, stage)) return code;
  if (state === 'failed') return BY_STAGE[stage ?? 'publish'];
  return state === 'unknown' ? 'contradictory' : null;
}

function isCause(code: string): code is CauseCode {
  return Object.hasOwn(CAUSES, code);
}

function fits(row: CauseRow, state: State, stage: Stage | null): boolean {
  if (!row.states.includes(state)) return false;
  return state !== 'failed' || row.stages === null || stage === null || row.stages.includes(stage);
}
