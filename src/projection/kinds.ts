import type { BODIES } from '../contract/evidence.ts';
import type { CommandKind, Kind, Role } from '../contract/vocabulary.ts';

/**
 * The way of a kind into the ledger:
 *  - `evidence`: a worker or agent sends it to `POST /v1/evidence`;
 *  - `lease`: the server creates it from a fenced call of the holder;
 *  - `report`: only through an agent's registration or report;
 *  - `request`: the server creates it from a person's request;
 *  - `platform`: publisher and sweeper create it.
 */
type Entrance = 'evidence' | 'lease' | 'report' | 'request' | 'platform';

export interface KindRow {
  readonly proves: string;
  /** The roles that may create it; from any other role it is rejected as `not_owner` and kept. */
  readonly roles: readonly Role[];
  readonly enters: Entrance;
  /** Sent under a lease: `command` and `fence` are required, and admission judges them (S3). */
  readonly fenced: boolean;
  /** The commands that it may be about; none for evidence about a service, a target or the platform. */
  readonly commands: readonly CommandKind[];
  readonly body: (typeof BODIES)[Kind];
}

const ANY_COMMAND = ['build', 'apply', 'remove'] as const;
const HOLDER = ['worker', 'agent'] as const;
/** Token role `agent` is agent and watcher: it observes as the watcher. */
const WATCHER = ['watcher', 'agent'] as const;

export const KIND_TABLE = {
  'intent.recorded': request('A revision was requested, and its command recorded with it.'),
  'cancel.requested': request('A cancel was requested.'),
  'retry.requested': request('Another attempt was requested.'),
  'teardown.requested': request('Removal was requested.'),
  'command.published': platform('The command was handed to the queue.', 'publisher', ANY_COMMAND),
  'command.publish_failed': platform('It could not be handed to the queue.', 'publisher', ANY_COMMAND),
  'command.acknowledged': {
    proves: 'A worker or agent owns the command: its first fenced call.',
    roles: HOLDER,
    enters: 'lease',
    fenced: true,
    commands: ANY_COMMAND,
  },
  'command.heartbeat': {
    proves: 'The holder is alive again after its lease had reached its end.',
    roles: HOLDER,
    enters: 'lease',
    fenced: true,
    commands: ANY_COMMAND,
  },
  'command.released': sent('The holder gave the command back.', HOLDER, ANY_COMMAND),
  'cancel.acknowledged': sent('The holder stopped because of a cancel.', HOLDER, ANY_COMMAND),
  'build.progress': sent('The build reached a step.', ['worker'], ['build']),
  'build.failed': sent('The build failed.', ['worker'], ['build']),
  'artifact.stored': sent('Our store holds the bytes of the build, digest verified.', ['worker'], ['build']),
  'runtime.applied': sent('The runtime was told.', ['agent'], ['apply']),
  'runtime.apply_failed': sent('The runtime could not be told.', ['agent'], ['apply']),
  'runtime.removed': sent('The runtime was told to remove it, and says it did.', ['agent'], ['remove']),
  'runtime.observed': report('What runs, as one report showed it.'),
  'route.observed': report('Which revision the route answers for.'),
  'agent.heartbeat': report('An agent registered: its epoch and the identity of its target.'),
  'lease.lapsed': platform('A lease ended by time.', 'sweeper', ANY_COMMAND),
  'stage.timed_out': platform('A deadline passed, after the work was revoked.', 'sweeper', ANY_COMMAND),
  'command.requeued': platform('The command waits for another lease.', 'sweeper', ANY_COMMAND),
  'command.held': platform(
    'A former place took it, and may carry it out: it is offered to no other.',
    'sweeper',
    ['apply'],
  ),
  'command.withdrawn': platform(
    'The command was taken back: nobody can own it any more.',
    'sweeper',
    ANY_COMMAND,
  ),
  'platform.blind': platform('No server was awake: time that no deadline counts.', 'sweeper', []),
  'operator.acted': {
    proves: 'An operator took a named repair, with a reason.',
    roles: ['operator'],
    enters: 'request',
    fenced: false,
    commands: [],
  },
} as const satisfies Record<Kind, Omit<KindRow, 'body'>>;

function request(proves: string) {
  return { proves, roles: ['api'], enters: 'request', fenced: false, commands: [] } as const;
}

function platform<C extends readonly CommandKind[]>(
  proves: string,
  role: 'publisher' | 'sweeper',
  commands: C,
) {
  return { proves, roles: [role], enters: 'platform', fenced: false, commands } as const;
}

function sent(proves: string, roles: readonly Role[], commands: readonly CommandKind[]) {
  return { proves, roles, enters: 'evidence', fenced: true, commands } as const;
}

function report(proves: string) {
  return { proves, roles: WATCHER, enters: 'report', fenced: false, commands: [] } as const;
}

export function mayCreate(role: Role, kind: Kind): boolean {
  const roles: readonly Role[] = KIND_TABLE[kind].roles;
  return roles.includes(role);
}

/**
 * The kind may come through `POST /v1/evidence`. Kinds that the server creates, and kinds that a report must
 * carry, may not.
 */
export function isSubmittable(kind: Kind): boolean {
  return KIND_TABLE[kind].enters === 'evidence';
}

/** The kind may be about a command of this kind: an artifact proves nothing about an apply. */
export function isAbout(kind: Kind, command: CommandKind): boolean {
  const commands: readonly CommandKind[] = KIND_TABLE[kind].commands;
  return commands.includes(command);
}
