import { randomBytes } from 'node:crypto';
import { ZERO } from '../contract/digits.ts';
import type { NewWebhook } from '../contract/webhook.ts';
import { rfc3339 } from '../projection/instant.ts';
import { isIntact, readable } from '../store/broken-row.ts';
import { lte, type Store, type Tx } from '../store/port.ts';
import type { WebhookRow } from '../store/schema.ts';
import { deliveryId, enqueue } from './enqueue.ts';
import { newWebhookSecret } from './signature.ts';

/** A former secret signs for this long, so that the receiver can take up the new one. */
const FORMER_MS = 24 * 3_600_000;
/** Deliveries are on the list for this long. */
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

/** Null: there is none. Its address and its secrets are forgotten at once. */
export function removeWebhook(store: Store, org: string, id: string): Promise<true | null> {
  return store.transact(async (tx) => {
    if ((await standing(tx, org, id)) === null) return null;
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
    await enqueue(tx, row, [{ event: 'test', at: rfc3339(await tx.now()), by }]);
    return deliveryId({ webhook: id, nth: row.issued + 1 });
  });
}

/** Sends it again under the same id, from the first try on; null: there is no such delivery, or nobody to send it to. */
export function sendAgain(store: Store, org: string, webhook: string, nth: number): Promise<string | null> {
  return store.transact(async (tx) => {
    const row = await standing(tx, org, webhook);
    if (row === null || row.endedAt !== null) return null;
    const set = { state: 'waiting', tries: 0, nextAt: await tx.now(), problem: null } as const;
    const changed = await tx.update('deliveries', { org, webhook, nth }, {}, set);
    return changed === 0 ? null : deliveryId({ webhook, nth });
  });
}

async function standing(tx: Tx, org: string, id: string): Promise<WebhookRow | null> {
  const row = await tx.lock('webhooks', { org, id });
  return row !== undefined && isIntact(row) && row.endedBecause !== 'removed' ? row : null;
}

/** Removes deliveries that have been on the list for a month, and webhooks that were removed as long ago. */
export async function forgetOldDeliveries(store: Store): Promise<void> {
  for (let removed = PAGE; removed === PAGE; ) {
    removed = await store.transact(async (tx) => {
      const old = lte((await tx.now()) - LISTED_MS);
      const rows = await tx.select('deliveries', { createdAt: old }, { order: 'createdAt', limit: PAGE });
      for (const { org, webhook, nth } of rows.filter(isIntact))
        await tx.remove('deliveries', { org, webhook, nth }, { createdAt: old });
      return rows.filter(isIntact).length;
    });
  }
  await store.transact(async (tx) => {
    const old = lte((await tx.now()) - LISTED_MS);
    for (const { org, id } of (await tx.select('webhooks', { endedAt: old, endedBecause: 'removed' })).filter(
      isIntact,
    ))
      await tx.remove('webhooks', { org, id }, { endedAt: old });
  });
}
