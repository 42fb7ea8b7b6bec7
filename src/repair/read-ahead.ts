import { compareDigits } from '../contract/digits.ts';
import type { Door } from '../evidence/door/door.ts';
import { readFacts } from '../evidence/door/facts-cache.ts';
import type { Host } from '../evidence/door/host.ts';
import { type JudgedAhead, judgeAhead } from '../evidence/door/judge-ahead.ts';
import { platformLiveness, targetLiveness } from '../evidence/door/liveness.ts';
import type { Prefetch } from '../evidence/door/prefetch.ts';
import type { PageAhead, PagePlace, RowsAhead, ScopeAhead } from '../evidence/door/rows-ahead.ts';
import { reachesOf } from '../evidence/report/target-services.ts';
import { tellAhead } from '../evidence/tell-ahead.ts';
import { intact, isIntact, pick, type Stored } from '../store/broken-row.ts';
import { gt, lte, type ReadTx } from '../store/port.ts';
import type { RevisionRow } from '../store/schema.ts';

/** Other writers of the org wait for one transaction of a sweep, about a fifth of a second. */
const SERVICES_A_TRANSACTION = 1_000;
/** The first is short: from its commit on, its services are told while the database writes those of the next. */
const SERVICES_AT_FIRST = 200;

export const servicesOn = ({ reach, after }: PagePlace): number =>
  reach === 0 && after === '' ? SERVICES_AT_FIRST : SERVICES_A_TRANSACTION;

/** The time before a silence in which its services are read, several times what thousands of them take. */
const AHEAD_MS = 3_000;
/** An agent that is half an interval late with a report will probably not send it. */
const INTERVALS_LATE = 1.5;
const SCOPES = 200;
/** So many services are judged in one piece, between two looks at the clock: a few milliseconds. */
const JUDGED_A_LOOK = 25;
/** So many services of a page are sent to the database together: it writes them while the next are made. */
const WRITTEN_TOGETHER = 100;

/**
 * Reads the services of scopes that are about to fall silent, up to the instant: from then on the sweep needs the thread
 * for itself. Only scopes whose report is overdue: for all others this would be work for nothing.
 */
export async function readAhead(host: Host, org: string): Promise<void> {
  const { ahead } = host;
  if (ahead === undefined) return;
  const scopes = await overdueScopes(host, org);
  ahead.keepOnly(org, scopes);
  for (const scope of scopes) await readScope(host, ahead, scope);
}

type OverdueScope = ScopeAhead & { readonly silentAt: number };

function overdueScopes(host: Host, org: string): Promise<OverdueScope[]> {
  const { freshForMs, reportEveryMs } = host.settings;
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const overdue = lte(now - Math.max(freshForMs - AHEAD_MS, INTERVALS_LATE * reportEveryMs));
    const rows = await tx.select(
      'scopes',
      { org, swept: false, asOf: overdue },
      { order: 'asOf', limit: SCOPES },
    );
    return rows.flatMap((row) => {
      const scope = pick(row, 'target', 'scope', 'receivedAt', 'asOf');
      return scope === undefined ? [] : [{ org, ...scope, silentAt: scope.asOf + freshForMs }];
    });
  });
}

async function readScope(host: Host, ahead: RowsAhead, scope: OverdueScope): Promise<void> {
  for (const reach of reachesOf(scope.scope).keys())
    for (let after: string | null = ''; after !== null; ) {
      const place: PagePlace = { reach, after };
      const known: PageAhead | undefined = ahead.find(scope, place);
      const page: PageAhead | null = known ?? (await readPage(host, scope, place));
      if (page === null || !ahead.hasRoom) return;
      ahead.put(scope, place, page);
      if (known === undefined) await judgePage(host, page);
      const last: string | undefined = page.services.at(-1)?.service;
      after = page.services.length < servicesOn(place) ? null : (last ?? null);
      await host.yieldIfDue?.();
    }
}

/** Null where the scope is silent by now, or a row cannot be read. */
function readPage(host: Host, scope: OverdueScope, place: PagePlace): Promise<PageAhead | null> {
  const { org } = scope;
  return host.store.read(async (tx) => {
    if ((await tx.now()) >= scope.silentAt) return null;
    const head = intact(await tx.get('heads', { org }));
    const services = await servicesOnPage(tx, scope, place);
    if (head === undefined || !services.every(isIntact)) return null;
    const keys = services.flatMap(({ service, proven }) =>
      (readFacts(proven)?.revisions ?? []).map(({ revision }) => ({ org, service, revision })),
    );
    const { target } = scope;
    const [revisions, blinds, scopes, agents] = await tx.readAll([
      { table: 'revisions', keys },
      { table: 'blinds', where: { org } },
      { table: 'scopes', where: { org, target } },
      { table: 'agents', keys: [{ org, target }] },
    ]);
    if (!revisions.every(isIntact)) return null;
    const { settings } = host;
    const { silentAt } = scope;
    const platform = platformLiveness(blinds, [], head.recoveredAt);
    const around = { settings, platform, target: targetLiveness(scopes, agents[0], silentAt) };
    return { services, revisions, head, around, silentAt, judged: new Map() };
  });
}

/** Judges the services of a page at the instant of the silence, for as long as that is still to come. */
async function judgePage(host: Host, page: PageAhead): Promise<void> {
  const { services, around, silentAt, judged } = page;
  const intents = new Map<string, RevisionRow[]>();
  for (const row of page.revisions) intents.set(row.service, [...(intents.get(row.service) ?? []), row]);
  const isWatched = host.recent?.isWanted(page.head.org) ?? false;
  for (let i = 0; i < services.length; i += JUDGED_A_LOOK) {
    const some: JudgedAhead[] = [];
    for (const row of services.slice(i, i + JUDGED_A_LOOK)) {
      const one = await judgeAhead(row, intents.get(row.service) ?? [], around, silentAt);
      if (one !== null) some.push(one);
    }
    const isOver = await host.store.read(async (tx) => {
      if (isWatched && some.length > 0) await tellAhead(tx, some, page.head.position);
      return (await tx.now()) >= silentAt;
    });
    for (const one of some) judged.set(one.file.service, one);
    if (isOver) return;
    await host.yieldIfDue?.();
  }
}

/** The services of a silent scope after a name, up to a page of them, among those that the scope may speak of. */
export function servicesOnPage(
  tx: ReadTx,
  { org, target, scope }: Pick<ScopeAhead, 'org' | 'target' | 'scope'>,
  place: PagePlace,
): Promise<Stored<'services'>[]> {
  const { reach, after } = place;
  return tx.select(
    'services',
    { org, target, ...reachesOf(scope)[reach], service: gt(after) },
    { order: 'service', limit: servicesOn(place) },
  );
}

/** Columns that every write of a service moves, also one that leaves the ledger as it is. */
const MOVED_BY_ANY_WRITE = ['settledTo', 'steadyUntil', 'due', 'awaitsReport'] as const;

/** What shows whether a page that was read ahead may have changed since: a row in the ledger of its target. */
const ledgerSince = ({ org, target }: ScopeAhead, { head: { position } }: PageAhead) =>
  ({ table: 'ledger', where: { org, target, position: gt(position) }, options: { limit: 1 } }) as const;

/** The rows that decide whether a page that was read ahead is used: read with the head's lock, they cost no trip more. */
export function prefetchForPage(scope: ScopeAhead, page: PageAhead | undefined): Prefetch[] {
  if (page === undefined) return [];
  const { org, target } = scope;
  return [
    { table: 'scopes', where: { org, target } },
    { table: 'agents', keys: [{ org, target }] },
    ledgerSince(scope, page),
  ];
}

/**
 * The services of a page as they were read ahead, in the cache of the transaction behind the head's lock; null if the
 * page was not read, or may have changed: a service that is new or has other facts has left a row in the ledger of its
 * target. Of all other writes the transaction's own write is the proof, which is a Conflict after one.
 */
export async function recallPage(
  { tx, head: now }: Door,
  ahead: RowsAhead | undefined,
  scope: ScopeAhead,
  place: PagePlace,
): Promise<PageAhead | null> {
  const page = ahead?.take(scope, place);
  if (page === undefined) return null;
  const { services, revisions, head: then } = page;
  const grown = compareDigits(now.position, then.position);
  if (now.recoveredAt !== then.recoveredAt || grown < 0 || (grown === 0 && now.at !== then.at)) return null;
  if (grown > 0) {
    const { table, where, options } = ledgerSince(scope, page);
    if ((await tx.select(table, where, options)).length > 0) return null;
  }
  tx.recall('services', services, MOVED_BY_ANY_WRITE);
  tx.recall('revisions', revisions);
  return page;
}

/** The services of a page that were judged ahead, where the surroundings are the same now; else none. */
export async function judgedIn(
  door: Door,
  target: string,
  { around, silentAt, judged }: PageAhead,
): Promise<JudgedInPage> {
  return (await door.isAround(target, around, silentAt)) ? judged : NOTHING_JUDGED;
}

type JudgedInPage = PageAhead['judged'];

/** Records the services of a page that was read ahead, in their order: as they were judged ahead, all others by opening them. */
export async function recordPage(door: Door, { services }: PageAhead, judged: JudgedInPage): Promise<void> {
  await door.prefetch(services.flatMap(({ service }) => (judged.has(service) ? [] : [service])));
  for (const [i, { service }] of services.entries()) {
    const ahead = judged.get(service);
    if (ahead === undefined || !(await door.fileJudgedAhead(ahead))) await door.file(service);
    if (i % WRITTEN_TOGETHER === WRITTEN_TOGETHER - 1) await door.tx.flush();
    await door.yieldIfDue?.();
  }
}

const NOTHING_JUDGED: JudgedInPage = new Map();
