import { isBoundTo } from '../access/binding.ts';
import type { Claim } from '../contract/claim.ts';
import { compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import { targetOf } from '../contract/names.ts';
import type { ToldEvent, WebhookFilter } from '../contract/webhook.ts';
import type { Host } from '../evidence/door/host.ts';
import { claimAfter, claimNow } from '../evidence/read.ts';
import { intact, isIntact, readable } from '../store/broken-row.ts';
import { gt, lt, lte } from '../store/port.ts';
import type { RowCount } from '../store/row-count.ts';
import type { TransitionRow, WebhookRow } from '../store/schema.ts';
import { enqueue } from './enqueue.ts';
import { lockHeld } from './hold.ts';
import { judgeIncidents, type NotKnown } from './incidents.ts';
import { filterBinding, toldOfAlarm, toldOfTransition, wantsTransition } from './told-of.ts';

const PAGE = 100;
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
  if (news.upTo === hook.position && told.length === 0) return false;
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
  readonly alarms: readonly ToldEvent[];
  readonly upTo: Digits;
  readonly isFull: boolean;
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
    if (waiting.length > 0) return { transitions: [], alarms: [], upTo: position, isFull: false };
    // A page that is full ends what can be told in order; of the other table no more is taken.
    const ends = [transitions, alarms]
      .filter((rows) => rows.length === PAGE)
      .map((rows) => readable(rows.at(-1)).position ?? position);
    const head = readable(heads[0]).position ?? ZERO;
    const upTo = [head, ...ends].reduce((a, b) => (compareDigits(a, b) < 0 ? a : b));
    const isIn = (row: { readonly position: Digits }) => compareDigits(row.position, upTo) <= 0;
    return {
      transitions: transitions.filter(isIntact).filter(isIn),
      alarms: alarms
        .filter(isIntact)
        .filter(isIn)
        .flatMap((row) => toldOfAlarm(hook, row)),
      upTo: compareDigits(upTo, position) < 0 ? position : upTo,
      isFull: ends.length > 0,
    };
  });
}

async function toldOf(
  host: Host,
  hook: WebhookRow,
  { transitions, alarms }: News,
): Promise<readonly ToldEvent[]> {
  const told: ToldEvent[] = [];
  for (const row of transitions) {
    if (!wantsTransition(hook, row)) continue;
    const claim = await claimAfter(host, hook.org, row);
    const settledNow = hook.events.includes('settled') && (await isSettledBy(host, hook.org, row, claim));
    told.push(...toldOfTransition(hook, row, claim, settledNow));
    await host.yieldIfDue?.();
  }
  return [...told, ...alarms];
}

/** True if the attempt has an outcome after this transition, and had none after the one before. */
async function isSettledBy(
  host: Host,
  org: string,
  row: TransitionRow,
  claim: Claim | null,
): Promise<boolean> {
  if (claim === null || claim.outcome === 'in_progress') return false;
  const { service, position, revision, attempt } = row;
  const [stored] = await host.store.read((tx) =>
    tx.select(
      'transitions',
      { org, service, position: lt(position) },
      { order: 'position', descending: true, limit: 1 },
    ),
  );
  const before = intact(stored);
  if (before?.revision !== revision || before.attempt !== attempt) return true;
  return (await claimAfter(host, org, before))?.outcome === 'in_progress';
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
  { org, incidents }: WebhookRow,
  notKnown: readonly NotKnown[],
): Promise<readonly NotKnown[]> {
  const explained: NotKnown[] = [];
  for (const one of notKnown) {
    const [first] = one.named;
    if (incidents[one.target] !== undefined || one.overdue === 0 || first === undefined) {
      explained.push(one);
      continue;
    }
    const [oldest] = await host.store.read((tx) =>
      tx.select(
        'services',
        { org, target: one.target, state: 'unknown', hidden: false },
        { order: 'since', limit: 1 },
      ),
    );
    const answer = await claimNow(host, org, first, 'user');
    const { state, message } = answer.ok ? answer.claim : { state: null, message: null };
    explained.push({
      ...one,
      since: readable(oldest).since ?? one.since,
      why: state === 'unknown' && message !== null ? message.title : null,
    });
  }
  return explained;
}
