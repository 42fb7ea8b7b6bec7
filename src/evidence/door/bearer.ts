import type { Caller } from '../../access/caller.ts';
import type { Source } from '../../contract/evidence.ts';
import { type Problem, problem } from '../../contract/problem.ts';
import { Refusal } from '../../contract/refusal.ts';
import type { Role } from '../../contract/vocabulary.ts';
import { readable, type Stored } from '../../store/broken-row.ts';
import type { Key } from '../../store/schema.ts';

/** The evidence role of a token; a person has none for evidence that only components may submit. */
export function evidenceRole(caller: Caller): Role | null {
  return caller.role === 'builder' ? 'worker' : caller.role === 'agent' ? 'agent' : null;
}

export function sourceOf(caller: Caller, role: Role): Source {
  return { role, name: caller.name, instance: caller.instance };
}

/** The key of the caller's token row; none for a caller without a token. */
export const tokenKeysOf = ({ org, token }: Caller): readonly Key<'tokens'>[] =>
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
