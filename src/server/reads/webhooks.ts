import type { DeliveryView, WebhookView } from '../../contract/answers/webhooks.ts';
import type { Host } from '../../evidence/door/host.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { isIntact, readable } from '../../store/broken-row.ts';
import { lt, oneOf } from '../../store/port.ts';
import type { DeliveryRow, WebhookRow } from '../../store/schema.ts';
import { deliveryId } from '../../webhooks/enqueue.ts';
import { type Listing, listing } from './listing.ts';

/** Those of an org that were not removed, with the deliveries of each that wait or were given up. */
export async function webhooksOf({ store }: Host, org: string): Promise<Listing<WebhookView>> {
  const { rows, counts } = await store.read(async (tx) => ({
    rows: await tx.select('webhooks', { org }),
    counts: await tx.tally('deliveries', ['webhook', 'state'], { org, state: oneOf('waiting', 'dead') }),
  }));
  const countOf = (id: string, state: DeliveryRow['state']) =>
    counts.find(({ values }) => values[0] === id && values[1] === state)?.count ?? 0;
  return listing(
    rows.filter((row) => readable(row).endedBecause !== 'removed'),
    (row) => readable(row).id,
    (row) => (isIntact(row) ? webhookView(row, countOf(row.id, 'waiting'), countOf(row.id, 'dead')) : null),
  );
}

export function webhookView(row: WebhookRow, waiting: number, dead: number): WebhookView {
  const { id, url, events, filter, format, graceMs, createdAt, createdBy, endedAt, endedBecause } = row;
  return {
    ...{ id, url: originOf(url), events: [...events], filter, format, graceMs },
    ...{ createdAt: rfc3339(createdAt), createdBy, endedAt: rfc3339OrNull(endedAt) },
    ...{ endedBecause: endedBecause === 'gone' ? 'gone' : null },
    ...{ waiting: endedAt === null ? waiting : 0, dead },
  };
}

/** The address of a chat's webhook is a secret from its path on: who has it may write there. */
const originOf = (url: string) => (URL.canParse(url) ? `${new URL(url).origin}/…` : '');

export function deliveriesPage(
  { store }: Host,
  org: string,
  webhook: string,
  state: DeliveryRow['state'] | undefined,
  before: string | null,
  limit: number,
): Promise<readonly DeliveryRow[]> {
  const where = {
    ...{ org, webhook },
    ...(state === undefined ? {} : { state }),
    ...(before === null ? {} : { nth: lt(Number(before)) }),
  };
  return store.read(async (tx) =>
    (await tx.select('deliveries', where, { order: 'nth', descending: true, limit })).filter(isIntact),
  );
}

/** What waits for a webhook that has ended is not sent any more. */
export function deliveryView(row: DeliveryRow, hasEnded: boolean): DeliveryView {
  const { told, subject, state, tries, createdAt, nextAt, lastAt, lastStatus, problem } = row;
  return {
    id: deliveryId(row),
    ...{ event: told.event, about: subject, tries, lastStatus, problem },
    state: hasEnded && state === 'waiting' ? 'dropped' : state,
    createdAt: rfc3339(createdAt),
    nextTryAt: hasEnded || state !== 'waiting' ? null : rfc3339OrNull(nextAt),
    lastTryAt: rfc3339OrNull(lastAt),
  };
}
