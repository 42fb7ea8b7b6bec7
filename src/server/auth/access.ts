import type { Binding, TokenRole } from '../../evidence/door/caller.ts';

/** Human roles, each with all of the one before. */
const PEOPLE = ['viewer', 'deployer', 'operator', 'admin'] as const;
export type HumanRole = (typeof PEOPLE)[number];

/**
 * Who may use a route: a human role and those above it, components by name, both, anybody with a token, or the
 * public. The one place that decides; docs/api.md lists it, and a test walks every route with every role.
 */
export type Access =
  | 'public'
  | 'anyone'
  | { readonly from?: HumanRole; readonly components?: readonly Component[] };
export type Component = 'builder' | 'agent';

export const viewers: Access = { from: 'viewer' };
export const deployers: Access = { from: 'deployer' };
export const operators: Access = { from: 'operator' };
export const admins: Access = { from: 'admin' };
export const components: Access = { components: ['builder', 'agent'] };
export const agents: Access = { components: ['agent'] };

export function mayUse(access: Access, role: TokenRole, binding: Binding): boolean {
  if (access === 'public' || access === 'anyone') return true;
  if (access === admins && isBound(binding)) return false;
  if (access.components?.includes(role as Component)) return true;
  if (access.from === undefined) return false;
  return PEOPLE.indexOf(role as HumanRole) >= PEOPLE.indexOf(access.from);
}

/** What administrators do is about the whole org: whoever is bound to a part of it could shed its binding there. */
export const isBound = ({ target, service }: Binding) => target !== '*' || service !== '*';

/** Operators and admins see what users may not. */
export const seesDetail = (role: TokenRole) => role === 'operator' || role === 'admin';
export const isPerson = (role: TokenRole) => PEOPLE.includes(role as HumanRole);
