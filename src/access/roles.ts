import type { CommandKind, TokenRole } from '../contract/vocabulary.ts';

/** The roles of people, each with all permissions of the one before. */
const PEOPLE = ['viewer', 'deployer', 'operator', 'admin'] as const satisfies readonly TokenRole[];
export type HumanRole = (typeof PEOPLE)[number];
export type Component = Exclude<TokenRole, HumanRole>;

const rankOf = (role: TokenRole) => (PEOPLE as readonly TokenRole[]).indexOf(role);

export const isPerson = (role: TokenRole) => rankOf(role) >= 0;

export const isAtLeast = (role: TokenRole, least: HumanRole) => rankOf(role) >= rankOf(least);

/** Operators and admins read details that users may not. */
export const seesDetail = (role: TokenRole) => isAtLeast(role, 'operator');

export const audienceOf = ({ role }: { readonly role: TokenRole }) =>
  seesDetail(role) ? 'operator' : 'user';

/** A builder takes builds, and an agent everything else. */
export const takesKind = (role: TokenRole, kind: CommandKind) => (kind === 'build') === (role === 'builder');
