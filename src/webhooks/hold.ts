import { intact, isIntact, readable } from '../store/broken-row.ts';
import type { Store, Tx } from '../store/port.ts';
import type { WebhookRow } from '../store/schema.ts';

/** A server holds a webhook for this long, which is longer than a try takes. */
const HELD_MS = 30_000;
/** Another server may take it earlier if its holder has not beaten for this long; servers beat once a second. */
const SILENT_MS = 5_000;

type WebhookKey = Pick<WebhookRow, 'org' | 'id'>;

/**
 * Takes a webhook, or keeps it; null while another server has it. Two servers that both took themselves for the holder,
 * since one was frozen, send the same deliveries under the same ids: receivers that keep to the standard take one.
 */
export async function holdWebhook(
  store: Store,
  { org, id }: WebhookKey,
  server: string,
): Promise<WebhookRow | null> {
  const { now, row, beat } = await store.read(async (tx) => {
    const row = intact(await tx.get('webhooks', { org, id }));
    const beat = row === undefined ? undefined : await tx.get('beats', { server: row.holder });
    return { now: await tx.now(), row, beat: readable(beat).at };
  });
  if (row === undefined || row.endedAt !== null) return null;
  const isMine = row.holder === server;
  if (isMine && row.heldUntil > now + HELD_MS / 2) return row;
  const isLeft = row.heldUntil <= now || (beat ?? 0) < now - SILENT_MS;
  if (!isMine && !isLeft) return null;
  const expect = { holder: row.holder, heldUntil: row.heldUntil };
  const set = { holder: server, heldUntil: now + HELD_MS };
  const taken = await store.transact((tx) =>
    tx.update('webhooks', { org, id }, { ...expect, endedAt: null }, set),
  );
  return taken > 0 ? { ...row, ...set } : null;
}

/** Lets the next server take it at once. */
export async function letGo(store: Store, { org, id }: WebhookKey, server: string): Promise<void> {
  await store.transact((tx) =>
    tx.update('webhooks', { org, id }, { holder: server }, { holder: '', heldUntil: 0 }),
  );
}

/** The webhook, locked; null once it has ended, cannot be read, or is held by another server. */
export async function lockHeld(tx: Tx, { org, id }: WebhookKey, server: string): Promise<WebhookRow | null> {
  const row = await tx.lock('webhooks', { org, id });
  if (row === undefined || !isIntact(row) || row.endedAt !== null) return null;
  return row.holder === server ? row : null;
}
