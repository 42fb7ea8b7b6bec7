import type { HumanRole } from '../contract/vocabulary.ts';
import type { ComponentRole } from './roles.ts';

/**
 * The callers that may do an operation: anyone with a token, or people from a role on and certain components.
 */
type Permission = 'anyone' | RolePermission;

interface RolePermission {
  readonly from?: HumanRole;
  readonly components?: readonly ComponentRole[];
  /** The operation is about the whole org: a caller that is bound to a part of it could shed its binding there. */
  readonly isOfWholeOrg?: true;
}

const BOTH = ['builder', 'agent'] as const;

/** All operations with their permissions. docs/api.md lists them by route. */
export const OPERATIONS = {
  /** Claims, history, logs and streams of services; targets; the status model. */
  read: { from: 'viewer' },
  /** Evidence, leases, agents, workers, commands, metrics. */
  inspect: { from: 'operator' },
  /** Deploy, rollback, retry, cancel, restart, scale, teardown. */
  act: { from: 'deployer' },
  /** Tear a service down against the evidence; an operator sees the evidence that this goes against. */
  force: { from: 'operator' },
  /** Say that a former place of a target is no more. */
  retire: { from: 'operator' },
  /** Tokens and the list of targets. */
  administer: { from: 'admin', isOfWholeOrg: true },
  /** Open the session of a browser. */
  browse: { from: 'viewer' },
  /** Acquire, renew and release leases. */
  work: { components: BOTH },
  /** Send and fetch the bytes of artifacts, and send lines of logs. */
  transfer: { components: BOTH },
  /** Register for a target and report for it. */
  represent: { components: ['agent'] },
  /**
   * Submit evidence: open to all, because evidence of a caller that is not its owner is rejected, and its first one
   * kept (S8, F125).
   */
  submit: 'anyone',
  /** Send a document of GraphQL: each of its fields is an operation of its own. */
  query: 'anyone',
} as const satisfies Record<string, Permission>;

export type Operation = keyof typeof OPERATIONS;

export const permissionOf = (operation: Operation): Permission => OPERATIONS[operation];
