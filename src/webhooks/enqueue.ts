import type { ToldEvent } from '../contract/webhook.ts';
import { readable } from '../store/broken-row.ts';
import { oneOf, type Tx } from '../store/port.ts';
import type { WebhookRow } from '../store/schema.ts';
import { toldSubject } from './told-of.ts';

/**
 * Makes deliveries of a webhook whose row is locked. Of those about one subject only the first has a time to be sent at;
 * each of the others gets one when the one before it is over.
 */
export async function enqueue(tx: Tx, hook: WebhookRow, told: readonly ToldEvent[]): Promise<void> {
  if (told.length === 0) return;
  const { org, id: webhook } = hook;
  const createdAt = await tx.now();
  const subjects = [...new Set(told.map(toldSubject))];
  const waiting = await tx.select('deliveries', {
    ...{ org, webhook, state: 'waiting' },
    subject: oneOf(...subjects),
  });
  const busy = new Set(waiting.map((row) => readable(row).subject));
  for (const [i, one] of told.entries()) {
    const subject = toldSubject(one);
    await tx.append('deliveries', {
      ...{ org, webhook, nth: hook.issued + 1 + i, subject, told: one, state: 'waiting', tries: 0 },
      ...{ nextAt: busy.has(subject) ? null : createdAt, createdAt },
      ...{ lastAt: null, lastStatus: null, problem: null },
    });
    busy.add(subject);
  }
  await tx.update('webhooks', { org, id: webhook }, {}, { issued: hook.issued + told.length });
}

/** The `webhook-id` of a delivery, equal in all tries and at all servers. */
export const deliveryId = ({ webhook, nth }: { readonly webhook: string; readonly nth: number }) =>
  `msg_${webhook}_${nth}`;
