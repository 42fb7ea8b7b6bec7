import { isBoundTo } from '../access/binding.ts';
import type { Claim } from '../contract/claim.ts';
import { compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import { targetOf } from '../contract/names.ts';
import type { ToldEvent, WebhookFilter } from '../contract/webhook.ts';
import type { Host } from '../evidence/door/host.ts';
import { claimAfter, claimNow } from '../evidence/read.ts';
import { intact, isIntact, readable } from '../store/broken-row.ts';
import { gt, lt, lte, type ReadTx } from '../store/port.ts';
import type { RowCount } from '../store/row-count.ts';
import type { AlarmRow, TransitionRow, WebhookRow } from '../store/schema.ts';
import { enqueue } from './enqueue.ts';
import { lockHeld } from './hold.ts';
import { judgeIncidents, type NotKnown } from './incidents.ts';
import {
  filterBinding,
  type OutcomeTold,
  toldOfAlarm,
  toldOfTransition,
  wantsTransition,
} from './told-of.ts';

const PAGE = 100;
/** So many positions may be looked at again before the cursor moves past what nobody asked for. */
const STRIDE = 1_000n;
/** So many services are named in a message about a target. */
const NAMED = 10;
/** With so many waiting the ledger is read no further: a dead receiver costs a bounded number of rows. */
const MOST_WAITING = 10_000;

/**
 * Turns what was recorded since into deliveries, a page at a time: true if there may be more. The cursor moves in the
 * transaction that makes the deliveries, so each transition becomes one however many servers run, and whenever they die.
 */
export async function gather(host: Host, hook: WebhookRow, server: string): Promise<boolean> {
  const { org, id } = hook;
  const news = await readNews(host, hook);
  const told = await toldOf(host, hook, news);
  // Moving the cursor is a write: past what nobody asked for it moves in strides.
  const stride = BigInt(news.upTo) - BigInt(hook.position);
  if (told.length === 0 && !news.isFull && !news.isWanted && stride < STRIDE) return false;
  const moved = await host.store.transact(async (tx) => {
    const held = await lockHeld(tx, hook, server);
    if (held === null || held.position !== hook.position) return false;
    await tx.update('webhooks', { org, id }, {}, { position: news.upTo });
    await enqueue(tx, held, told);
    return true;
  });
  return moved && news.isFull;
}

interface News {
  readonly transitions: readonly TransitionRow[];
  readonly alarms: readonly AlarmRow[];
  readonly upTo: Digits;
  readonly isFull: boolean;
  /** At least one of the transitions is of those that were asked for. */
  readonly isWanted: boolean;
}

async function readNews(host: Host, hook: WebhookRow): Promise<News> {
  const { org, id: webhook, position } = hook;
  return host.store.read(async (tx) => {
    const where = { org, position: gt(position) };
    const page = { order: 'position', limit: PAGE } as const;
    const [heads, waiting, transitions, alarms] = await tx.readAll([
      { table: 'heads', keys: [{ org }] },
      {
        table: 'deliveries',
        where: { org, webhook, state: 'waiting', nth: lte(hook.issued - MOST_WAITING) },
        options: { limit: 1 },
      },
      { table: 'transitions', where, options: page },
      { table: 'alarms', where, options: page },
    ]);
    if (waiting.length > 0 && (await isFlooded(tx, hook)))
      return { transitions: [], alarms: [], upTo: position, isFull: false, isWanted: false };
    // A page that is full ends what can be told in order; of the other table no more is taken.
    const ends = [transitions, alarms]
      .filter((rows) => rows.length === PAGE)
      .map((rows) => rows.findLast((row) => readable(row).position !== undefined))
      .map((row) => readable(row).position ?? position);
    const head = readable(heads[0]).position ?? ZERO;
    const upTo = [head, ...ends].reduce((a, b) => (compareDigits(a, b) < 0 ? a : b));
    const isIn = (row: { readonly position: Digits }) => compareDigits(row.position, upTo) <= 0;
    const own = transitions.filter(isIntact).filter(isIn);
    return {
      transitions: own,
      alarms: alarms.filter(isIntact).filter(isIn),
      upTo: compareDigits(upTo, position) < 0 ? position : upTo,
      isFull: ends.length > 0,
      isWanted: own.some((row) => wantsTransition(hook, row)),
    };
  });
}

/** Of those that wait the oldest may be one that its receiver refuses for days, while others pass: only all of them count. */
async function isFlooded(tx: ReadTx, { org, id: webhook }: WebhookRow): Promise<boolean> {
  const [waiting] = await tx.tally('deliveries', ['state'], { org, webhook, state: 'waiting' });
  return (waiting?.count ?? 0) >= MOST_WAITING;
}

async function toldOf(
  host: Host,
  hook: WebhookRow,
  { transitions, alarms }: News,
): Promise<readonly ToldEvent[]> {
  // In the order of the ledger: an alarm about a service stands between its transitions.
  const told = alarms.flatMap((row) =>
    toldOfAlarm(hook, row).map((event) => ({ position: row.position, event })),
  );
  for (const row of transitions) {
    if (!wantsTransition(hook, row)) continue;
    const { position } = row;
    const claim = await claimAfter(host, hook.org, row);
    const settled = hook.events.includes('settled') ? await settledBy(host, hook.org, row, claim) : [];
    for (const event of toldOfTransition(hook, row, claim, settled)) told.push({ position, event });
    await host.yieldIfDue?.();
  }
  return told.sort((a, b) => compareDigits(a.position, b.position)).map(({ event }) => event);
}

/**
 * The attempts that got their outcome with this transition, or since the one before: an attempt that is given up while
 * nothing is known of it (`abandoned`) has no transition of its own.
 */
async function settledBy(
  host: Host,
  org: string,
  { service, position, revision, attempt }: TransitionRow,
  claim: Claim | null,
): Promise<readonly OutcomeTold[]> {
  const [stored] = await host.store.read((tx) =>
    tx.select(
      'transitions',
      { org, service, position: lt(position) },
      { order: 'position', descending: true, limit: 1 },
    ),
  );
  const before = intact(stored);
  const wasOpen = before !== undefined && (await claimAfter(host, org, before))?.outcome === 'in_progress';
  const isSame = before?.revision === revision && before.attempt === attempt;
  const settled: OutcomeTold[] = [];
  if (wasOpen && !isSame) {
    const last = { revision: before.revision, attempt: before.attempt };
    const { outcome } = readable(
      await host.store.read((tx) => tx.get('attempts', { org, service, ...last })),
    );
    if (outcome === 'abandoned') settled.push({ ...last, outcome });
  }
  if (claim !== null && claim.outcome !== 'in_progress' && (wasOpen || !isSame))
    settled.push({ revision, attempt, outcome: claim.outcome });
  return settled;
}

/** Looks at the targets that are not known, and makes deliveries of incidents that begin or end. */
export async function gatherIncidents(host: Host, hook: WebhookRow, server: string): Promise<void> {
  if (!hook.events.includes('unknown') && !hook.events.includes('recovered')) return;
  const { org, id } = hook;
  const { now, notKnown } = await readNotKnown(host, hook);
  const { incidents, told } = judgeIncidents(hook, await withReasons(host, hook, notKnown), now);
  if (isSame(incidents, hook.incidents)) return;
  await host.store.transact(async (tx) => {
    const held = await lockHeld(tx, hook, server);
    if (held === null || !isSame(held.incidents, hook.incidents)) return;
    await tx.update('webhooks', { org, id }, {}, { incidents });
    await enqueue(tx, held, told);
  });
}

const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b);

/** By names alone: the facts of a service are most of its row. */
function readNotKnown(host: Host, { org, filter, graceMs }: WebhookRow) {
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const where = { org, state: 'unknown', hidden: false } as const;
    const late = { ...where, since: lte(now - graceMs) };
    const services = namesIn(await tx.tally('services', ['service'], where), filter);
    const overdue = new Set(
      services.length === 0 ? [] : namesIn(await tx.tally('services', ['service'], late), filter),
    );
    const notKnown = [...new Set(services.map(targetOf))].map((target): NotKnown => {
      const own = services.filter((service) => targetOf(service) === target);
      const overdueHere = own.filter((service) => overdue.has(service)).length;
      const named = own.slice(0, NAMED);
      return { target, overdue: overdueHere, since: now, services: own.length, named, why: null };
    });
    return { now, notKnown };
  });
}

const namesIn = (counts: readonly RowCount[], filter: WebhookFilter) =>
  counts
    .flatMap(({ values }) => values[0] ?? [])
    .filter((service) => isBoundTo(filterBinding(filter), service));

/** Only of targets that are about to be told. */
async function withReasons(
  host: Host,
  { org, incidents, filter }: WebhookRow,
  notKnown: readonly NotKnown[],
): Promise<readonly NotKnown[]> {
  const explained: NotKnown[] = [];
  for (const one of notKnown) {
    const [first] = one.named;
    if (Object.hasOwn(incidents, one.target) || one.overdue === 0 || first === undefined) {
      explained.push(one);
      continue;
    }
    const oldest = await oldestOf(host, org, one.target, filter);
    const answer = await claimNow(host, org, first, 'user');
    const { state, message } = answer.ok ? answer.claim : { state: null, message: null };
    explained.push({
      ...one,
      since: oldest ?? one.since,
      why: state === 'unknown' && message !== null ? message.title : null,
    });
  }
  return explained;
}

/** Since when the first of them is not known. */
async function oldestOf({ store }: Host, org: string, target: string, filter: WebhookFilter) {
  const where = { org, target, state: 'unknown', hidden: false } as const;
  const rows = await store.read((tx) => tx.select('services', where, { order: 'since', limit: PAGE }));
  const own = rows.find((row) => isBoundTo(filterBinding(filter), readable(row).service));
  return readable(own).since;
}
