import { type CommandKind, HUMAN_ROLES, type HumanRole, type TokenRole } from '../contract/vocabulary.ts';

export type ComponentRole = Exclude<TokenRole, HumanRole>;

const rankOf = (role: TokenRole) => (HUMAN_ROLES as readonly TokenRole[]).indexOf(role);

export const isPerson = (role: TokenRole) => rankOf(role) >= 0;

export const isAtLeast = (role: TokenRole, least: HumanRole) => rankOf(role) >= rankOf(least);

/** Operators and admins read details that users may not. */
export const seesDetail = (role: TokenRole) => isAtLeast(role, 'operator');

export const audienceOf = ({ role }: { readonly role: TokenRole }) =>
  seesDetail(role) ? 'operator' : 'user';

/** A builder takes builds, and an agent everything else. */
export const takesKind = (role: TokenRole, kind: CommandKind) => (kind === 'build') === (role === 'builder');
