/**
 * The words of the status model, as data without schemas, so that the web UI can import them.
 * The tables in src/projection and src/model say what each word means.
 */
export const STATES = [
  'accepted',
  'waiting_for_worker',
  'building',
  'artifact_ready',
  'applying_runtime_state',
  'starting',
  'running',
  'degraded',
  'failed',
  'cancelling',
  'cancelled',
  'stopping',
  'stopped',
  'unknown',
] as const;
export type State = (typeof STATES)[number];

export const OUTCOMES = [
  'in_progress',
  'succeeded',
  'failed',
  'cancelled',
  'superseded',
  'abandoned',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const STAGES = [
  'publish',
  'queue',
  'build',
  'apply_queue',
  'apply',
  'scheduling',
  'image',
  'start',
  'readiness',
  'route',
  'runtime',
  'stop',
] as const;
export type Stage = (typeof STAGES)[number];

/** The evidence roles. Token role `builder` is `worker`; token role `agent` is both `agent` and `watcher`. */
export const ROLES = ['api', 'publisher', 'worker', 'agent', 'watcher', 'sweeper', 'operator'] as const;
export type Role = (typeof ROLES)[number];

/** The roles of people, each with all permissions of the one before. */
export const HUMAN_ROLES = ['viewer', 'deployer', 'operator', 'admin'] as const;
export type HumanRole = (typeof HUMAN_ROLES)[number];

/** The roles of tokens: those of people, and two of components. */
export const TOKEN_ROLES = [...HUMAN_ROLES, 'builder', 'agent'] as const;
export type TokenRole = (typeof TOKEN_ROLES)[number];

/** The owner of a transition: a role, or the clock when only time passed. */
export const OWNERS = [...ROLES, 'clock'] as const;
export type Owner = (typeof OWNERS)[number];

export const REVISION_KINDS = [
  'deploy',
  'rollback',
  'restart',
  'scale',
  'config',
  'teardown',
  'observed',
] as const;
export type RevisionKind = (typeof REVISION_KINDS)[number];

export const COMMAND_KINDS = ['build', 'apply', 'remove'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

export const RUNTIMES = ['process', 'container', 'kubernetes'] as const;
export type RuntimeKind = (typeof RUNTIMES)[number];

export const POLICIES = ['newest', 'queue', 'refuse'] as const;

export const KINDS = [
  'intent.recorded',
  'cancel.requested',
  'retry.requested',
  'teardown.requested',
  'command.published',
  'command.publish_failed',
  'command.acknowledged',
  'command.heartbeat',
  'command.released',
  'cancel.acknowledged',
  'build.progress',
  'build.failed',
  'artifact.stored',
  'runtime.applied',
  'runtime.apply_failed',
  'runtime.removed',
  'runtime.observed',
  'route.observed',
  'agent.heartbeat',
  'lease.lapsed',
  'stage.timed_out',
  'command.requeued',
  'command.held',
  'command.withdrawn',
  'platform.blind',
  'operator.acted',
] as const;
export type Kind = (typeof KINDS)[number];

/** Why evidence is kept as history only, in the order in which admission checks. */
export const REJECTIONS = [
  'invalid',
  'conflicting_duplicate',
  'not_owner',
  'unissued',
  'stale_revision',
  'stale_attempt',
  'stale_lease',
  'stale_epoch',
  'out_of_order',
  'artifact_missing',
] as const;
export type Rejection = (typeof REJECTIONS)[number];

export const PHASES = ['pending', 'starting', 'running', 'stopping', 'exited', 'failed', 'unknown'] as const;
export type Phase = (typeof PHASES)[number];

const WAITING_CAUSES = ['no_worker_online', 'all_busy', 'offered', 'requeued'] as const;
export type WaitingCause = (typeof WAITING_CAUSES)[number];

export const UNKNOWN_CAUSES = [
  'stale_runtime',
  'never_observed',
  'watch_stalled',
  'lease_lapsed',
  'contradictory',
  'unrecognised',
  'store_recovered',
  'evidence_corrupt',
  'forbidden',
  'runtime_unreachable',
  'absence_unproven',
  'identity_changed',
  'not_observed',
] as const;
export type UnknownCause = (typeof UNKNOWN_CAUSES)[number];

/** Reasons a runtime gives for an instance; the catalogue with stage, owner and texts is in src/projection. */
export const RUNTIME_REASONS = [
  'crash_loop',
  'exited',
  'signalled',
  'oom_killed',
  'not_listening',
  'wrong_port',
  'wrong_address',
  'not_answering',
  'port_taken',
  'suspended',
  'probe_failed',
  'startup_failed',
  'liveness_failed',
  'health_error',
  'readiness_gate',
  'route_refused',
  'router_down',
  'certificate_expired',
  'image_not_found',
  'image_denied',
  'image_unreachable',
  'image_pull_failed',
  'image_invalid',
  'unschedulable',
  'no_matching_node',
  'insufficient_resources',
  'quota_exceeded',
  'admission_denied',
  'config_missing',
  'volume_pending',
  'storage_class_missing',
  'volume_provisioning_failed',
  'volume_failed',
  'start_failed',
  'sandbox_failed',
  'init_failed',
  'sidecar_failed',
  'evicted',
  'preempted',
  'node_lost',
  'vanished',
  'not_replaced',
  'create_failed',
  'scheduling_gated',
  'rollout_paused',
  'older_in_the_way',
  'older_run_in_the_way',
  'deadline_exceeded',
  'terminating',
  'drifted',
] as const;
export type RuntimeReason = (typeof RUNTIME_REASONS)[number];

/** Codes a builder may give with `build.failed`; any other shows users `build_failed`. */
export const BUILD_CODES = [
  'build_failed',
  'build_command_failed',
  'dependencies_failed',
  'no_start_command',
  'source_invalid',
  'build_out_of_memory',
  'not_recognised',
  'tool_missing',
  'builder_disk_full',
  'builder_failed',
] as const;
export type BuildCode = (typeof BUILD_CODES)[number];

/** Causes of `failed` and of the states that are no failure, beside the runtime's reasons and the builder's codes. */
const OTHER_CAUSES = [
  'image_unsupported',
  'observe_only',
  'wrong_runtime',
  'no_command',
  'command_invalid',
  'command_not_found',
  'secret_in_arguments',
  'host_taken',
  'image_required',
  'object_taken',
  'field_conflict',
  'changed_meanwhile',
  'cluster_refused',
  'cluster_forbids',
  'publish_timed_out',
  'queue_timed_out',
  'build_timed_out',
  'apply_queue_timed_out',
  'apply_timed_out',
  'worker_lost',
  'apply_failed',
  'holder_silent',
  'not_seen_yet',
  'not_scheduled',
  'generation_behind',
  'instances_gone',
  'image_unverified',
  'not_started',
  'not_ready',
  'settling',
  'unsteady',
  'route_silent',
  'still_there',
  'cancel_requested',
  'scaled_to_zero',
  'no_node_selected',
  'removed_elsewhere',
  'ending',
  'more_wanted',
  'job_suspended',
  'completed',
  'job_failed',
  'first_run',
  'not_run_yet',
  'never_applied',
  'uncontained',
] as const;
export type OtherCause = (typeof OTHER_CAUSES)[number];

/**
 * Every code of a cause. Rejected: spreading the lists, which a bundler cannot leave out where nobody reads it, so that the
 * first screen of the web UI would load all of them.
 */
export const CAUSE_CODES = /* @__PURE__ */ [
  WAITING_CAUSES,
  UNKNOWN_CAUSES,
  RUNTIME_REASONS,
  BUILD_CODES,
  OTHER_CAUSES,
].flat();
export type CauseCode = (typeof CAUSE_CODES)[number];

export const MOVERS = ['user', 'platform', 'none'] as const;
export type Mover = (typeof MOVERS)[number];

/** The events that a webhook may ask for. `test` is sent on request alone. */
export const WEBHOOK_EVENTS = ['transition', 'settled', 'unknown', 'recovered', 'alarm'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const WEBHOOK_FORMATS = ['cloudevents', 'slack', 'discord', 'teams'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];
