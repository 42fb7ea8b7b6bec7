import { ASKS } from './asks.ts';
import type { ProblemCode } from './problem.ts';
import type { CauseCode, Mover } from './vocabulary.ts';

/** A named repair: a value of `next.action` and of the repair column of a state. */
interface ActionRow {
  /** The side that takes it. A stage that timed out names the owner of the stage, which may be the other side. */
  readonly owner: Exclude<Mover, 'none'>;
  /** Its effect, for the model page. */
  readonly does: string;
  /** The imperative that ends a user's sentence: "Your move: …". */
  readonly ask: string;
  /** The call of the API that takes it; null where no call does. */
  readonly call: string | null;
}

export const ACTIONS = {
  deploy: {
    owner: 'user',
    does: 'Deploys a corrected version as a new revision.',
    ask: ASKS.deploy,
    call: 'POST /v1/services/{ref}/deployments',
  },
  redeploy: {
    owner: 'user',
    does: 'Deploys what should run as a new revision, which takes the place of whatever runs.',
    ask: ASKS.redeploy,
    call: 'POST /v1/services/{ref}/deployments',
  },
  retry: {
    owner: 'user',
    does: 'Starts the next attempt of the same revision at the first stage not yet proven.',
    ask: ASKS.retry,
    call: 'POST /v1/services/{ref}/retries',
  },
  restart: {
    owner: 'user',
    does: 'Makes a new revision with the same artifact and spec.',
    ask: ASKS.restart,
    call: 'POST /v1/services/{ref}/restarts',
  },
  rollback: {
    owner: 'user',
    does: 'Makes a new revision with the artifact and spec of an earlier one; builds nothing.',
    ask: ASKS.rollback,
    call: 'POST /v1/services/{ref}/rollbacks',
  },
  cancel: {
    owner: 'user',
    does: 'Ends what is in progress, until apply is acknowledged.',
    ask: ASKS.cancel,
    call: 'POST /v1/services/{ref}/cancellations',
  },
  teardown: {
    owner: 'user',
    does: 'Removes what runs, and proves that it is gone. May be repeated.',
    ask: ASKS.teardown,
    call: 'DELETE /v1/services/{ref}',
  },
  mend_there: {
    owner: 'user',
    does: 'Changes it with the tool that deploys it; nothing here may.',
    ask: ASKS.mend_there,
    call: null,
  },
  deploy_elsewhere: {
    owner: 'user',
    does: 'Deploys it to a target that runs it, or with the tool that deploys to this one.',
    ask: ASKS.deploy_elsewhere,
    call: null,
  },
  resume_rollout: {
    owner: 'user',
    does: 'Resumes the rollout at its target, so that the change that waits is rolled out.',
    ask: ASKS.resume_rollout,
    call: null,
  },
  raise_quota: {
    owner: 'user',
    does: 'Raises the quota, or asks for less.',
    ask: ASKS.raise_quota,
    call: null,
  },
  renew_certificate: {
    owner: 'platform',
    does: 'Puts a renewed certificate and its key in the place of the old files; the router reads them by itself.',
    ask: ASKS.renew_certificate,
    call: null,
  },
  start_worker: {
    owner: 'platform',
    does: 'Starts a worker whose kinds and binding cover the command.',
    ask: ASKS.start_worker,
    call: null,
  },
  prepare_builder: {
    owner: 'platform',
    does: 'Gives the builders the program or the room that the build needs.',
    ask: ASKS.prepare_builder,
    call: null,
  },
  start_agent: {
    owner: 'platform',
    does: 'Starts the agent of the target, or restores its connection.',
    ask: ASKS.start_agent,
    call: null,
  },
  restart_agent: {
    owner: 'platform',
    does: 'Restarts an agent that is alive but no longer sees, or reports what cannot be read.',
    ask: ASKS.restart_agent,
    call: null,
  },
  grant_access: {
    owner: 'platform',
    does: 'Lets the agent read what it must.',
    ask: ASKS.grant_access,
    call: null,
  },
  check_runtime: {
    owner: 'platform',
    does: 'Brings the engine, API server or node of the target back.',
    ask: ASKS.check_runtime,
    call: null,
  },
  check_registry: {
    owner: 'platform',
    does: 'Makes the image registry reachable from the target.',
    ask: ASKS.check_registry,
    call: null,
  },
  check_policy: {
    owner: 'platform',
    does: 'Reviews the admission policy that refuses it.',
    ask: ASKS.check_policy,
    call: null,
  },
  check_storage: {
    owner: 'platform',
    does: 'Provides or repairs the volume.',
    ask: ASKS.check_storage,
    call: null,
  },
  check_gate: {
    owner: 'platform',
    does: 'Looks at what sets the condition that the readiness gate of a copy waits for.',
    ask: ASKS.check_gate,
    call: null,
  },
  add_capacity: {
    owner: 'platform',
    does: 'Adds capacity that fits the constraints.',
    ask: ASKS.add_capacity,
    call: null,
  },
  confirm_target: {
    owner: 'platform',
    does: 'Brings the former place back, or says that it is no more: `evident targets retire`.',
    ask: ASKS.confirm_target,
    call: 'POST /v1/targets/{target}/retirements',
  },
  investigate: {
    owner: 'platform',
    does: 'Reads the evidence, the rejected included, and finds what contradicts the model.',
    ask: ASKS.investigate,
    call: 'GET /v1/services/{ref}/evidence',
  },
} as const satisfies Record<string, ActionRow>;

export type ActionName = keyof typeof ACTIONS;

/** The side that moves next: the owner of the action. Without an action, the platform goes on by itself. */
export function moverOf(action: ActionName | null): 'user' | 'platform' {
  return action === null ? 'platform' : ACTIONS[action].owner;
}

/** The actions that a person can request of a service that exists. A claim decides each of them. */
export const SERVICE_ACTIONS = ['retry', 'rollback', 'restart', 'scale', 'cancel', 'teardown'] as const;
export type ServiceAction = (typeof SERVICE_ACTIONS)[number];

/**
 * The answer that the verb would give at the instant of the claim. The token's role is not part of it. An action is
 * requested without options: a rollback that names no revision, a cancel of the active revision, a teardown without
 * force.
 */
export type ActionDecision =
  | { readonly action: ServiceAction; readonly allowed: true; readonly risk?: Risk | undefined }
  | { readonly action: ServiceAction; readonly allowed: false; readonly whyNot: WhyNot }
  /** Undecided: a rollback depends on earlier revisions, which lists and streams do not read. */
  | { readonly action: ServiceAction; readonly allowed: null; readonly risk?: Risk | undefined };

/** Said of what may be requested all the same, and is not safe: a person decides, and is told before. */
interface Risk {
  readonly code: CauseCode;
  readonly detail: string;
}

/** True if another tool manages the service of a claim with these decisions: Evident only observes it. */
export const isManagedElsewhere = (actions: readonly ActionDecision[]) =>
  actions.some((decision) => decision.allowed === false && decision.whyNot.code === 'managed_elsewhere');

interface WhyNot {
  readonly code: ProblemCode;
  readonly detail: string;
  /** An operator may force it all the same, with a reason that is recorded. */
  readonly mayForce: boolean;
}
