import type { TokenView } from '../answers/views.ts';
import type { TokenRole } from '../vocabulary.ts';

/** The permissions of each role (docs/protocol.md), as the end of "It …". */
export const MAY: Readonly<Record<TokenRole, string>> = {
  viewer: 'reads what users may see',
  deployer: 'reads, and acts: deploy, roll back, retry, cancel, restart, scale, tear down',
  operator: 'sees evidence, agents, workers and commands too, and may force',
  admin: 'manages tokens and targets too',
  builder: 'takes builds, stores artifacts and proves what it built',
  agent: 'speaks for its target: registers, reports, applies and removes',
};

/** A token's state by the server's clock. An ended token is kept, because records carry its name. */
type TokenStanding = 'valid' | 'expired' | 'revoked';

export function tokenStanding(
  { revokedAt, expiresAt }: Pick<TokenView, 'revokedAt' | 'expiresAt'>,
  serverNow: number,
): TokenStanding {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && serverNow >= Date.parse(expiresAt) ? 'expired' : 'valid';
}

/** The binding of a token in words; a star alone is everything. */
export function bindingOf({ target, service }: Pick<TokenView, 'target' | 'service'>): string {
  if (target === '*' && service === '*') return 'everything';
  if (service === '*') return `target ${target}`;
  return target === '*' ? `service ${service}` : `target ${target}, service ${service}`;
}

/** The consequences of revoking a token, shown before it is revoked. */
export function endsWith(role: string): string {
  const all = 'Whoever uses it is refused from then on, and browsers that were signed in with it are too.';
  if (role === 'agent')
    return `${all} Its target is no longer heard, and what runs there becomes unknown until another speaks for it.`;
  if (role === 'builder') return `${all} A build that it holds is taken up by another when its lease ends.`;
  return all;
}
