import { type Answer, noService, type Problem, problem } from '../contract/problem.ts';
import type { CommandKind } from '../contract/vocabulary.ts';
import { covers, isBoundTo, isUnbound, spansTarget } from './binding.ts';
import type { Caller } from './caller.ts';
import { type Operation, permissionOf } from './operations.ts';
import { type ComponentRole, isAtLeast, takesKind } from './roles.ts';

/** The part of a caller that permission depends on. */
export type Bearer = Pick<Caller, 'org' | 'role' | 'name' | 'target' | 'service'>;

/**
 * An operation with the object that it is about. Without an object only the role is judged, and whether the caller is
 * bound where the operation is of the whole org: as a front door does before it reads anything.
 */
export type AccessRequest =
  | { readonly operation: Operation }
  | {
      readonly operation: 'read' | 'inspect' | 'act' | 'force' | 'transfer';
      /** The full name of a service. */
      readonly service: string;
    }
  | { readonly operation: 'represent' | 'retire'; readonly target: string }
  | { readonly operation: 'work'; readonly target?: string; readonly kinds: readonly CommandKind[] }
  | { readonly operation: 'administer'; readonly org: string };

/** The name of the token that a server writes for its own administrator: the only one that reaches beyond its org. */
export const SERVERS_OWN = 'server-admin';

/**
 * Decides from values alone whether a caller may do something. Front doors and verbs call it. Questions about
 * stored rows have files of their own: the holder of a lease (src/access/lease-holder.ts), the sender of log lines
 * (src/access/log-lines.ts), the bytes of artifacts (src/access/artifact-bytes.ts). A service outside the caller's
 * binding does not exist for a reader (F109), and is forbidden to a caller that would change it.
 */
export function authorize(caller: Bearer, request: AccessRequest): Answer<object> {
  return roleRefusal(caller, request) ?? objectRefusal(caller, request) ?? { ok: true };
}

function roleRefusal(caller: Bearer, { operation }: AccessRequest): Problem | null {
  const { role } = caller;
  const permission = permissionOf(operation);
  if (permission === 'anyone') return null;
  const { from, components, isOfWholeOrg } = permission;
  const isAllowed =
    (from !== undefined && isAtLeast(role, from)) || (components?.includes(role as ComponentRole) ?? false);
  if (isAllowed && (isOfWholeOrg !== true || isUnbound(caller))) return null;
  if (operation === 'browse')
    return problem('forbidden', 'Browsers are for people; a component sends its token.');
  if (operation === 'force') return problem('forbidden', 'Only an operator may force a teardown.');
  const bound = isUnbound(caller) ? '' : ' and a binding';
  return problem('forbidden', `A token with the role ${role}${bound} may not do this.`);
}

function objectRefusal(caller: Bearer, request: AccessRequest): Problem | null {
  if ('service' in request && !isBoundTo(caller, request.service))
    return request.operation === 'act' || request.operation === 'force'
      ? problem('forbidden', 'This token may not act on this service.')
      : noService();
  if ('kinds' in request) return workRefusal(caller, request);
  if ('target' in request) return targetRefusal(caller, request.target, true);
  if ('org' in request && request.org !== caller.org && !caller.name.startsWith(SERVERS_OWN))
    return problem('forbidden', 'Only the administrator of the server may make tokens for another org.');
  return null;
}

function workRefusal(
  caller: Bearer,
  { target, kinds }: { readonly target?: string; readonly kinds: readonly CommandKind[] },
): Problem | null {
  if (caller.role === 'agent') {
    if (target === undefined)
      return problem('invalid_request', 'An agent’s token must name its target.', {
        errors: ['target: required'],
      });
    const refused = targetRefusal(caller, target, false);
    if (refused !== null) return refused;
  }
  if (kinds.some((kind) => takesKind(caller.role, kind))) return null;
  return problem('forbidden', `The role ${caller.role} may not take ${kinds.join(', ')}.`);
}

function targetRefusal(caller: Bearer, target: string, isWhole: boolean): Problem | null {
  if (!covers(caller.target, target)) return problem('forbidden', 'This token is not bound to this target.');
  if (!isWhole || spansTarget(caller, target)) return null;
  return problem(
    'forbidden',
    'An agent speaks for all of its target, and this token is bound to some services; make one that is bound to the target.',
  );
}

/**
 * Refuses a token that nobody may have. An administrator that is bound to a part of its org could make itself a token
 * that is not; the name of the server's own administrator reaches beyond its org.
 */
export function tokenRefusal({ role, name, target, service }: Omit<Bearer, 'org'>): Problem | null {
  if (role === 'admin' && !isUnbound({ target, service }))
    return problem('invalid_request', 'An administrator’s token can’t be limited to a target or a service.', {
      errors: ['role: an admin has no target and no service'],
    });
  if (name.startsWith(SERVERS_OWN))
    return problem('invalid_request', 'This name is reserved for the server.', {
      errors: ['name: reserved'],
    });
  return null;
}

/**
 * Refuses a token that promises a border where there is none (F127): apps that run as the server's own user can read its
 * admin token, so whoever may deploy may do everything, in every org.
 */
export function borderRefusal({ role, org }: Pick<Bearer, 'role' | 'org'>, firstOrg: string): Problem | null {
  const isWhole = role === 'admin' || role === 'builder' || role === 'agent';
  if (isWhole && org === firstOrg) return null;
  return problem(
    'invalid_request',
    'Apps run as this server’s own user and can read its admin token, so a token that may do less would hold nothing back. Install bubblewrap and let users make namespaces, or run Evident as root, so that each service gets a user of its own; or start it with --trust-apps. evident doctor says what works here.',
    { errors: ['role: only an admin of this org, a builder or an agent'] },
  );
}
