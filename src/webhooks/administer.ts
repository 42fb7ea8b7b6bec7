import { randomBytes } from 'node:crypto';
import { ZERO } from '../contract/digits.ts';
import type { NewWebhook } from '../contract/webhook.ts';
import { rfc3339 } from '../projection/instant.ts';
import { intact, isIntact, keyOf, pick, readable } from '../store/broken-row.ts';
import { type Expect, lte, oneOf, type Store, type Tx } from '../store/port.ts';
import type { DeliveryRow, WebhookRow } from '../store/schema.ts';
import { deliveryId, enqueue } from './enqueue.ts';
import { newWebhookSecret } from './signature.ts';

/** A former secret signs for this long, so that the receiver can take up the new one. */
const FORMER_MS = 24 * 3_600_000;
/** Deliveries stay on the list for this long after they were made. */
const LISTED_MS = 30 * 24 * 3_600_000;
const PAGE = 200;

/** The id never begins with a dash, which a command line would take for an option. */
export const newWebhookId = () => randomBytes(9).toString('base64url').replace(/^-/, '_');

/** Begins at the head of the ledger: nothing of the past is sent. */
export async function insertWebhook(
  tx: Tx,
  { org, id, createdBy, ...wishes }: NewWebhook & Pick<WebhookRow, 'org' | 'id' | 'createdBy'>,
  createdAt: number,
): Promise<void> {
  const { position = ZERO } = readable(await tx.get('heads', { org }));
  await tx.insert('webhooks', {
    ...{ org, id, ...wishes, secret: newWebhookSecret(), formerSecret: null, formerUntil: null },
    ...{ createdAt, createdBy, endedAt: null, endedBecause: null },
    ...{ position, issued: 0, incidents: {}, holder: '', heldUntil: 0 },
  });
}

/** Null: there is none. Its address and its secrets are forgotten at once; it may be one that cannot be read. */
export function removeWebhook(store: Store, org: string, id: string): Promise<true | null> {
  return store.transact(async (tx) => {
    const row = await tx.lock('webhooks', { org, id });
    if (row === undefined || readable(row).endedBecause === 'removed') return null;
    const forgotten = { url: '', secret: '', formerSecret: null, formerUntil: null };
    await tx.update(
      'webhooks',
      { org, id },
      {},
      { ...forgotten, endedAt: await tx.now(), endedBecause: 'removed' },
    );
    return true;
  });
}

export function changeSecret(
  store: Store,
  org: string,
  id: string,
): Promise<{ readonly secret: string; readonly formerUntil: number } | null> {
  const secret = newWebhookSecret();
  return store.transact(async (tx) => {
    const row = await standing(tx, org, id);
    if (row === null) return null;
    const formerUntil = (await tx.now()) + FORMER_MS;
    await tx.update('webhooks', { org, id }, {}, { secret, formerSecret: row.secret, formerUntil });
    return { secret, formerUntil };
  });
}

/** Answers the id of the delivery; null: there is no such webhook. */
export function sendTest(store: Store, org: string, id: string, by: string): Promise<string | null> {
  return store.transact(async (tx) => {
    const row = await standing(tx, org, id);
    if (row === null || row.endedAt !== null) return null;
    const createdAt = await enqueue(tx, row, [{ event: 'test', at: rfc3339(await tx.now()), by }]);
    return deliveryId({ webhook: id, nth: row.issued + 1, createdAt });
  });
}

/**
 * Sends it again under the same id, from the first try on; false: there is no such delivery, or nobody to send it to. One
 * that waits behind another stays there: it would overtake it.
 */
export function sendAgain(store: Store, org: string, webhook: string, delivery: string): Promise<boolean> {
  const nth = Number(/_(\d{1,15})_[a-z0-9]+$/.exec(delivery)?.[1] ?? 0);
  return store.transact(async (tx) => {
    const hook = await standing(tx, org, webhook);
    const row = intact(await tx.get('deliveries', { org, webhook, nth }));
    if (hook === null || hook.endedAt !== null || row === undefined) return false;
    if (deliveryId(row) !== delivery) return false;
    if (row.state === 'waiting' && row.nextAt === null) return true;
    const set = { state: 'waiting', tries: 0, nextAt: await tx.now(), problem: null } as const;
    await tx.update('deliveries', { org, webhook, nth }, {}, set);
    return true;
  });
}

async function standing(tx: Tx, org: string, id: string): Promise<WebhookRow | null> {
  const row = await tx.lock('webhooks', { org, id });
  return row !== undefined && isIntact(row) && row.endedBecause !== 'removed' ? row : null;
}

/**
 * Removes deliveries that were over a month ago, and webhooks that were removed as long ago with what still waited for them.
 * What waits for one that stands is never removed: the next about its subject waits behind it.
 */
export async function forgetOldDeliveries(store: Store): Promise<void> {
  const old = lte((await store.read((tx) => tx.now())) - LISTED_MS);
  await removeAll(store, { createdAt: old, state: oneOf('delivered', 'dead') });
  const removed = { endedAt: old, endedBecause: 'removed' } as const;
  for (const row of await store.read((tx) => tx.select('webhooks', removed))) {
    const named = pick(row, 'org', 'id');
    if (named === undefined) continue;
    await removeAll(store, { org: named.org, webhook: named.id });
    await store.transact((tx) => tx.remove('webhooks', named, removed));
  }
}

async function removeAll(store: Store, where: Expect<DeliveryRow>): Promise<void> {
  for (let removed = PAGE; removed === PAGE; ) {
    removed = await store.transact(async (tx) => {
      const rows = await tx.select('deliveries', where, { limit: PAGE });
      const keys = rows.flatMap((row) => keyOf('deliveries', row) ?? []);
      for (const { org, webhook, nth } of keys) await tx.remove('deliveries', { org, webhook, nth }, {});
      return keys.length;
    });
  }
}
