import { isIntact, keyOf, pick, readable, type Stored } from '../store/broken-row.ts';
import type { Store, Tx } from '../store/port.ts';
import { lte } from '../store/port.ts';
import type { DeliveryRow, WebhookRow } from '../store/schema.ts';
import type { Destinations } from './destination.ts';
import { deliveryId } from './enqueue.ts';
import { messageBody } from './formats/message-body.ts';
import { lockHeld } from './hold.ts';
import { nextDelayMs } from './schedule.ts';
import { sendOnce, type Tried } from './send.ts';
import { signed } from './signature.ts';

/** So many messages are under way to one receiver at a time, each about something else. */
const AT_ONCE = 16;
const GONE = 410;
const UNREADABLE_DELIVERY = 'What was to be sent cannot be read any more.';

export interface Outlet {
  readonly store: Store;
  readonly destinations: Destinations;
  /** The name of this server as a holder. */
  readonly server: string;
  readonly stopping: AbortSignal;
  readonly tried: (outcome: 'delivered' | 'failed' | 'dead') => void;
}

/** Sends what is due to a webhook, at most so many as go at once; gives the number of tries. */
export async function deliver(outlet: Outlet, hook: WebhookRow): Promise<number> {
  const { store, stopping } = outlet;
  const { org, id: webhook } = hook;
  const { now, due, broken } = await store.read(async (tx) => {
    const now = await tx.now();
    const rows = await tx.select(
      'deliveries',
      { org, webhook, nextAt: lte(now) },
      { order: ['nextAt', 'nth'], limit: AT_ONCE },
    );
    return { now, due: rows.filter(isIntact), broken: rows.filter((row) => !isIntact(row)) };
  });
  for (const row of broken) await giveUp(store, row);
  const tries = await Promise.all(
    due.map(async (row) => ({ row, tried: await sendOne(outlet, hook, row, now) })),
  );
  // A server that stops has not tried: the next one sends it anew, under the same id.
  if (tries.length === 0 || stopping.aborted) return broken.length;
  const isRecorded = await store.transact(async (tx) => {
    const held = await lockHeld(tx, hook, outlet.server);
    if (held === null) return false;
    for (const { row, tried } of tries) await record(tx, row, tried);
    if (tries.some(({ tried }) => tried.status === GONE))
      await tx.update(
        'webhooks',
        { org, id: webhook },
        {},
        { endedAt: await tx.now(), endedBecause: 'gone' },
      );
    return true;
  });
  if (!isRecorded) return 0;
  for (const { row, tried } of tries) outlet.tried(outcomeOf(row, tried));
  return tries.length;
}

async function sendOne(
  { destinations, stopping }: Outlet,
  { org, url, format, secret, formerSecret, formerUntil }: WebhookRow,
  row: DeliveryRow,
  now: number,
): Promise<Tried> {
  const id = deliveryId(row);
  const body = bodyOrNull(format, row, org, id);
  if (body === null) return { status: null, problem: UNREADABLE_DELIVERY, askedMs: null };
  const { type, text } = body;
  const former = formerSecret !== null && now < (formerUntil ?? 0) ? [formerSecret] : [];
  // This machine's clock, which receivers compare with theirs; the store's never goes back (F35).
  const headers = { 'content-type': type, ...signed(id, Date.now(), text, [secret, ...former]) };
  return sendOnce(destinations, { url, headers, body: text }, stopping);
}

/** Null for a row whose content is damaged: it is tried like any other, and given up in the end (F56). */
function bodyOrNull(format: WebhookRow['format'], { told }: DeliveryRow, org: string, id: string) {
  try {
    return messageBody(format, told, org, id);
  } catch {
    return null;
  }
}

/** A row that cannot be read must not hold up those behind it (F56). */
async function giveUp(store: Store, row: Stored<'deliveries'>): Promise<void> {
  const key = keyOf('deliveries', row);
  if (key === undefined) return;
  const { org, webhook, nth } = key;
  await store.transact(async (tx) => {
    const dead = { state: 'dead', nextAt: null, problem: UNREADABLE_DELIVERY } as const;
    await tx.update('deliveries', { org, webhook, nth }, {}, dead);
    const { subject } = readable(row);
    if (subject !== undefined) await wakeNext(tx, { org, webhook, subject });
  });
}

function outcomeOf({ tries }: DeliveryRow, { problem, askedMs }: Tried): 'delivered' | 'failed' | 'dead' {
  if (problem === null) return 'delivered';
  return nextDelayMs(tries + 1, askedMs, 0) === null ? 'dead' : 'failed';
}

async function record(tx: Tx, row: DeliveryRow, tried: Tried): Promise<void> {
  const { org, webhook, nth, subject } = row;
  const now = await tx.now();
  const outcome = outcomeOf(row, tried);
  const delay = nextDelayMs(row.tries + 1, tried.askedMs, Math.random());
  const changed = await tx.update(
    'deliveries',
    { org, webhook, nth },
    { state: 'waiting', tries: row.tries },
    {
      state: outcome === 'failed' ? 'waiting' : outcome,
      nextAt: outcome === 'failed' && delay !== null ? now + delay : null,
      ...{ tries: row.tries + 1, lastAt: now, lastStatus: tried.status, problem: tried.problem },
    },
  );
  if (changed === 0 || outcome === 'failed') return;
  await wakeNext(tx, { org, webhook, subject });
}

/** The next about the same is sent at once. */
async function wakeNext(
  tx: Tx,
  { org, webhook, subject }: Pick<DeliveryRow, 'org' | 'webhook' | 'subject'>,
): Promise<void> {
  const where = { org, webhook, subject, state: 'waiting' } as const;
  const [next] = await tx.select('deliveries', where, { order: 'nth', limit: 1 });
  const named = pick(next, 'nth', 'nextAt');
  if (named?.nextAt === null)
    await tx.update(
      'deliveries',
      { org, webhook, nth: named.nth },
      { state: 'waiting' },
      { nextAt: await tx.now() },
    );
}
