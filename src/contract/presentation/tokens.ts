import type { TokenView } from '../answers/views.ts';
import type { TokenRole } from '../vocabulary.ts';

/** What a role lets its bearer do (docs/protocol.md), as the end of "It …". */
export const MAY: Readonly<Record<TokenRole, string>> = {
  viewer: 'reads what users may see',
  deployer: 'reads, and acts: deploy, roll back, retry, cancel, restart, scale, tear down',
  operator: 'sees evidence, agents, workers and commands too, and may force',
  admin: 'manages tokens and targets too',
  builder: 'takes builds, stores artifacts and proves what it built',
  agent: 'speaks for its target: registers, reports, applies and removes',
};

/** How a token stands by the server's clock. One that has ended is kept: what it did has its name. */
export type TokenStanding = 'valid' | 'expired' | 'revoked';

export function tokenStanding(
  { revokedAt, expiresAt }: Pick<TokenView, 'revokedAt' | 'expiresAt'>,
  there: number,
): TokenStanding {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && there >= Date.parse(expiresAt) ? 'expired' : 'valid';
}

/** What it is bound to; a star alone is everything. */
export function bindingOf({ target, service }: Pick<TokenView, 'target' | 'service'>): string {
  if (target === '*' && service === '*') return 'everything';
  if (service === '*') return `target ${target}`;
  return target === '*' ? `service ${service}` : `target ${target}, service ${service}`;
}

/** What ends with a token, for whoever is about to revoke it. */
export function endsWith(role: string): string {
  const all = 'Whoever uses it is refused from then on, and browsers that were signed in with it are too.';
  if (role === 'agent')
    return `${all} Its target is no longer heard, and what runs there becomes unknown until another speaks for it.`;
  if (role === 'builder') return `${all} A build that it holds is taken up by another when its lease ends.`;
  return all;
}
