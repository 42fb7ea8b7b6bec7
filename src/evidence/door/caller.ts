import type { Source } from '../../contract/evidence.ts';
import { targetOf } from '../../contract/names.ts';
import { type Problem, problem } from '../../contract/problem.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { CommandKind, Role, TokenRole } from '../../contract/vocabulary.ts';
import { readable, type Stored } from '../../store/broken-row.ts';
import type { Key } from '../../store/schema.ts';

/** A caller, as authentication has established it. Bindings are patterns; `*` matches any run of characters. */
export interface Caller {
  readonly org: string;
  readonly role: TokenRole;
  /** The token's name: the actor of a person's requests, the bearer of a component's evidence. */
  readonly name: string;
  readonly instance: string;
  readonly target: string;
  readonly service: string;
  /** The id of the caller's token: it can end between the call and the transaction that serves it. */
  readonly token?: string;
  /** The id of the call itself, in its answer and in the log. */
  readonly correlation?: string;
}

export type { TokenRole };

/** The evidence role of a token; a person has none for evidence that only components may submit. */
export function evidenceRole(caller: Caller): Role | null {
  return caller.role === 'builder' ? 'worker' : caller.role === 'agent' ? 'agent' : null;
}

/**
 * An operator reads the evidence that a forced action contradicts; an admin may do all that an operator may.
 */
export function mayForce({ role }: Caller): boolean {
  return role === 'operator' || role === 'admin';
}

export function sourceOf(caller: Caller, role: Role): Source {
  return { role, name: caller.name, instance: caller.instance };
}

/** The key of the caller's token row; none for a caller without a token. */
export const tokenOf = ({ org, token }: Caller): readonly Key<'tokens'>[] =>
  token === undefined ? [] : [{ org, id: token }];

/**
 * A token is good until it expires or is revoked, by the store's clock; one whose times cannot be read is
 * not.
 */
export function isGood(row: Stored<'tokens'>, now: number): boolean {
  const { revokedAt, expiresAt } = readable(row);
  return revokedAt === null && expiresAt !== undefined && (expiresAt === null || now < expiresAt);
}

/**
 * The refusal of a caller whose token is not good among the rows that its transaction has read; null: it may
 * go on.
 */
export function ended({ token }: Caller, tokens: readonly Stored<'tokens'>[], now: number): Problem | null {
  const isOver = token !== undefined && !tokens.some((row) => readable(row).id === token && isGood(row, now));
  return isOver ? problem('unauthenticated', ENDED) : null;
}

/** Thrown to the caller whose token has ended; nothing was written. */
export class TokenEnded extends Refusal {
  override readonly code = 'unauthenticated';
  constructor() {
    super(ENDED);
  }
}

export const ENDED = 'This token is not known, has expired or was revoked.';

/** The binding of a token: patterns of targets and of services. */
export type Binding = Pick<Caller, 'target' | 'service'>;

export const isUnbound = ({ target, service }: Binding) => target === '*' && service === '*';

/**
 * True if the binding covers a service's name and target. A service whose name cannot be read is in no
 * binding.
 */
export function isBoundTo({ target, service }: Binding, ref: string | undefined): boolean {
  if (ref === undefined) return isUnbound({ target, service });
  return covers(service, ref) && covers(target, targetOf(ref));
}

/**
 * True if this caller holds the lease. The name alone does not prove it: tokens with other roles and bindings
 * may share one.
 */
export function isHolder(
  caller: Caller,
  lease: { readonly caller: string; readonly kind: CommandKind; readonly service: string },
): boolean {
  const isRole = (lease.kind === 'build') === (caller.role === 'builder');
  return isRole && lease.caller === caller.name && isBoundTo(caller, lease.service);
}

/**
 * True if the binding covers a whole target, as an agent's must: bound to some of its services, it would
 * report the others as gone.
 */
export function spansTarget({ target, service }: Binding, name: string): boolean {
  return covers(target, name) && covers(service, `*@${name}`);
}

export function covers(pattern: string, value: string): boolean {
  if (pattern === '*' || pattern === value) return true;
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0 || !value.startsWith(head)) return false;
  let at = head.length;
  const tail = rest.pop() ?? '';
  for (const piece of rest) {
    const found = value.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return value.length - tail.length >= at && value.endsWith(tail);
}
