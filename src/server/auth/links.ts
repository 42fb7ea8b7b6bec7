import { randomBytes } from 'node:crypto';
import { isGood } from '../../evidence/door/bearer.ts';
import { pick } from '../../store/broken-row.ts';
import { gt, lte, type Store } from '../../store/port.ts';
import type { TokenRow } from '../../store/schema.ts';
import { hashOf, tokenIn } from './tokens.ts';

const LINK_MS = 15 * 60_000;
const PAGE = 100;

/**
 * Creates a one-time link that signs a browser in with the permissions of `token`. It is good once, for a
 * quarter of an hour, at every server of this database. Only its hash is stored.
 */
export async function makeLink(store: Store, { org, id }: TokenRow): Promise<string> {
  const link = randomBytes(24).toString('base64url');
  await store.transact(async (tx) => {
    const expiresAt = (await tx.now()) + LINK_MS;
    await tx.insert('links', { hash: hashOf(link), org, token: id, expiresAt, usedAt: null });
  });
  return link;
}

/**
 * Answers the token that the link was created with; null if the link was used, has expired or does not exist,
 * or if the token has ended. The guard of the update makes it one-time: of two servers that redeem it at
 * once, one finds it used.
 */
export function redeemLink(store: Store, link: string): Promise<TokenRow | null> {
  const hash = hashOf(link);
  return store.transact(async (tx) => {
    const now = await tx.now();
    const used = await tx.update('links', { hash }, { usedAt: null, expiresAt: gt(now) }, { usedAt: now });
    const redeemed = used === 1 ? pick(await tx.get('links', { hash }), 'org', 'token') : undefined;
    const row = redeemed && tokenIn(await tx.get('tokens', { org: redeemed.org, id: redeemed.token }));
    return row !== undefined && isGood(row, now) ? row : null;
  });
}

/** Removes links that have expired. */
export async function forgetOldLinks(store: Store): Promise<void> {
  await store.transact(async (tx) => {
    const old = lte(await tx.now());
    const ended = await tx.select('links', { expiresAt: old }, { order: 'expiresAt', limit: PAGE });
    for (const { hash } of ended.flatMap((row) => pick(row, 'hash') ?? []))
      await tx.remove('links', { hash }, { expiresAt: old });
  });
}
