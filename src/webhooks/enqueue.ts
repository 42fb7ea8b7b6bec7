import type { ToldEvent } from '../contract/webhook.ts';
import { oneOf, type Tx } from '../store/port.ts';
import type { DeliveryRow, WebhookRow } from '../store/schema.ts';
import { toldSubject } from './told-of.ts';

/**
 * Makes deliveries of a webhook whose row is locked. Of those about one subject only the first has a time to be sent at;
 * each of the others gets one when the one before it is over. Answers the instant at which they were made.
 */
export async function enqueue(tx: Tx, hook: WebhookRow, told: readonly ToldEvent[]): Promise<number> {
  const { org, id: webhook } = hook;
  const createdAt = await tx.now();
  if (told.length === 0) return createdAt;
  const subjects = [...new Set(told.map(toldSubject))];
  // Counted, not read: a receiver that is dead has thousands of them.
  const waiting = await tx.tally('deliveries', ['subject'], {
    ...{ org, webhook, state: 'waiting' },
    subject: oneOf(...subjects),
  });
  const busy = new Set(waiting.map(({ values }) => values[0]));
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
  return createdAt;
}

/**
 * The `webhook-id` of a delivery, equal in all tries and at all servers. With the instant, because a database that was
 * restored issues the same numbers again, and a receiver that remembers ids would drop what is new.
 */
export const deliveryId = ({ webhook, nth, createdAt }: Pick<DeliveryRow, 'webhook' | 'nth' | 'createdAt'>) =>
  `msg_${webhook}_${nth}_${createdAt.toString(36)}`;
