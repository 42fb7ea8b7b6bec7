import type { TokenView } from '../../../../src/contract/answers/views.ts';
import { bindingOf, tokenStanding } from '../../../../src/contract/presentation/tokens.ts';
import { HUMAN_ROLES, type HumanRole } from '../../../../src/contract/vocabulary.ts';

/** Somebody who can sign in: all valid tokens of one name and a role for people. */
export interface Person {
  readonly name: string;
  /** The strongest of the roles. */
  readonly role: HumanRole;
  /** What each token is bound to, each binding once. */
  readonly bindings: readonly string[];
  readonly tokens: number;
  readonly lastUsedAt: string | null;
}

/** The people behind the tokens, by name, and how many more had tokens that have ended. Pure. */
export function peopleOf(
  tokens: readonly TokenView[],
  serverNow: number,
): { readonly people: readonly Person[]; readonly ended: number } {
  const byName = new Map<string, TokenView[]>();
  const rankOf = ({ role }: TokenView) => HUMAN_ROLES.indexOf(role as HumanRole);
  for (const token of tokens.filter((one) => rankOf(one) >= 0))
    byName.set(token.name, [...(byName.get(token.name) ?? []), token]);
  const people = [...byName].flatMap(([name, all]): Person[] => {
    const valid = all.filter((one) => tokenStanding(one, serverNow) === 'valid');
    const role = HUMAN_ROLES[Math.max(-1, ...valid.map(rankOf))];
    if (role === undefined) return [];
    const used = valid.flatMap(({ lastUsedAt }) => lastUsedAt ?? []).sort();
    return [
      {
        ...{ name, role, tokens: valid.length },
        bindings: [...new Set(valid.map(bindingOf))],
        lastUsedAt: used.at(-1) ?? null,
      },
    ];
  });
  people.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { people, ended: byName.size - people.length };
}
