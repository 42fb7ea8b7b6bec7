import { randomBytes } from 'node:crypto';
import { isGood } from '../../evidence/door/bearer.ts';
import { pick } from '../../store/broken-row.ts';
import { gt, lte, type Store } from '../../store/port.ts';
import type { TokenRow } from '../../store/schema.ts';
import { hashOf, tokenIn } from './tokens.ts';

const LINK_MS = 15 * 60_000;
const PAGE = 100;

/** Ended links are kept this long, so that a person who opens one is told why it does not sign in. */
const KEPT_MS = 24 * 3_600_000;

interface SignInLink {
  readonly link: string;
  readonly expiresAt: number;
}

/**
 * Creates a one-time link that signs a browser in with the permissions of `token`. It is good once, for a
 * quarter of an hour, at every server of this database. Only its hash is stored.
 */
export async function makeLink(store: Store, { org, id }: TokenRow): Promise<SignInLink> {
  const link = randomBytes(24).toString('base64url');
  return store.transact(async (tx) => {
    const expiresAt = (await tx.now()) + LINK_MS;
    await tx.insert('links', { hash: hashOf(link), org, token: id, expiresAt, usedAt: null });
    return { link, expiresAt };
  });
}

/** The reason why a link signs nobody in; `ended`: the token it was made with has ended. */
export type LinkRefusal = 'used' | 'expired' | 'unknown' | 'ended';

/**
 * Answers the token that the link was created with, or why it signs nobody in. The guard of the update makes
 * it one-time: of two servers that redeem it at once, one finds it used.
 */
export function redeemLink(store: Store, link: string): Promise<TokenRow | LinkRefusal> {
  const hash = hashOf(link);
  return store.transact(async (tx) => {
    const now = await tx.now();
    const used = await tx.update('links', { hash }, { usedAt: null, expiresAt: gt(now) }, { usedAt: now });
    const found = pick(await tx.get('links', { hash }), 'org', 'token', 'usedAt');
    if (found === undefined) return 'unknown';
    if (used === 0) return found.usedAt === null ? 'expired' : 'used';
    const row = tokenIn(await tx.get('tokens', { org: found.org, id: found.token }));
    return row !== undefined && isGood(row, now) ? row : 'ended';
  });
}

/** Removes links that expired a day ago and more. */
export async function forgetOldLinks(store: Store): Promise<void> {
  await store.transact(async (tx) => {
    const old = lte((await tx.now()) - KEPT_MS);
    const ended = await tx.select('links', { expiresAt: old }, { order: 'expiresAt', limit: PAGE });
    for (const { hash } of ended.flatMap((row) => pick(row, 'hash') ?? []))
      await tx.remove('links', { hash }, { expiresAt: old });
  });
}
