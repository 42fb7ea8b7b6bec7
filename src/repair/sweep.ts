import type { Source } from '../contract/evidence.ts';
import type { Door } from '../evidence/door/door.ts';
import { leaseStampOf, prefetchForLease } from '../evidence/door/held-lease.ts';
import type { Host } from '../evidence/door/host.ts';
import { endLease } from '../evidence/door/lease-end.ts';
import type { PagePlace, RowsAhead, ScopeAhead } from '../evidence/door/rows-ahead.ts';
import { throughDoor } from '../evidence/door/through-door.ts';
import { openAll } from '../evidence/report/register.ts';
import { reachesOf } from '../evidence/report/target-services.ts';
import { decide } from '../projection/decide.ts';
import { pick, readable } from '../store/broken-row.ts';
import { gt, lte } from '../store/port.ts';
import type { LeaseRow, ScopeRow } from '../store/schema.ts';
import { beat } from './beat.ts';
import { carryOut } from './carry-out.ts';
import {
  judgedIn,
  prefetchForPage,
  recallPage,
  recordPage,
  servicesOn,
  servicesOnPage,
} from './read-ahead.ts';

const BATCH = 200;
const DECISIONS_A_TURN = 8;

interface Swept {
  /** The time until the next lease ends or the next scope falls silent, unless it is extended; null if there is none. */
  readonly nextMs: number | null;
}

/**
 * The sweeper: a named part of the control loop, under the same fences as all others. It finds due work by
 * index, decides by a pure function, and records changes that a read already shows. Two of them at once are
 * harmless: every decision is taken again behind the lock, and every write carries its guard (F36).
 */
export async function sweep(
  host: Host,
  sweeper: { readonly name: string; readonly instance: string },
  org: string,
): Promise<Swept> {
  await beat(host, sweeper.name);
  const source: Source = { role: 'sweeper', ...sweeper };
  const { expired, nextLeaseMs } = await overdueLeases(host, org);
  for (const { id } of expired) {
    await throughDoor(host, org, (door) => sweepLease(door, id, source), {
      prefetch: prefetchForLease(org, id),
    });
  }
  const { silent, nextSilenceMs } = await silentScopes(host, org);
  for (const scope of silent) await sweepScope(host, org, scope);
  const due = await dueServices(host, org);
  for (const service of due) {
    const prefetch = [{ table: 'services', keys: [{ org, service }] }] as const;
    await throughDoor(host, org, (door) => sweepService(door, service, source), { prefetch });
  }
  return { nextMs: earlier(nextLeaseMs, nextSilenceMs) };
}

const earlier = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** Bounds the pages of one turn: those that are left come with the next one. */
const PAGES_A_TURN = 50;

type OpenLease = Pick<LeaseRow, 'id' | 'until' | 'sweepAt'>;

/**
 * The leases that are overdue, and the time that is left to the first of the others. Leases that were renewed since the
 * sweeper last looked are found too, and put off to the end that they have now: however many, they keep no overdue one
 * waiting.
 */
async function overdueLeases(host: Host, org: string) {
  for (let page = 1; ; page++) {
    const { now, due, nextAt } = await leasesToSweep(host, org);
    const [renewed, expired] = [
      due.filter(({ until }) => until > now),
      due.filter(({ until }) => until <= now),
    ];
    if (renewed.length > 0) await putOff(host, org, renewed);
    if (renewed.length > 0 && due.length === BATCH && page < PAGES_A_TURN) continue;
    const next = renewed.reduce<number | null>((first, { until }) => earlier(first, until), nextAt);
    return { expired, nextLeaseMs: next === null ? null : next - now };
  }
}

function leasesToSweep(host: Host, org: string) {
  return host.store.read(async (tx) => {
    const now = await tx.now();
    const open = { org, endedAt: null };
    const byInstant = { order: 'sweepAt', limit: BATCH } as const;
    const due = await tx.select('leases', { ...open, sweepAt: lte(now) }, byInstant);
    const [next] = await tx.select('leases', { ...open, sweepAt: gt(now) }, { ...byInstant, limit: 1 });
    return {
      now,
      due: due.flatMap((row) => pick(row, 'id', 'until', 'sweepAt') ?? []),
      nextAt: readable(next).sweepAt ?? null,
    };
  });
}

/** Only where the end is still as it was read: an acknowledgement may just have brought it nearer. */
async function putOff(host: Host, org: string, leases: readonly OpenLease[]): Promise<void> {
  const updates = leases.map(({ id, until, sweepAt }) => {
    const expect = { endedAt: null, until, sweepAt };
    const set = { /* mutant: put-off */ sweepAt: until };
    return { table: 'leases', key: { org, id }, expect, set } as const;
  });
  updates.sort((a, b) => (a.key.id < b.key.id ? -1 : 1));
  await host.store.transact((tx) => tx.updateAll(updates));
}

/** The scopes that are silent, and the time that is left to the first of the others. */
function silentScopes(host: Host, org: string) {
  return host.store.read(async (tx) => {
    const stale = (await tx.now()) - host.settings.freshForMs;
    const open = { org, swept: false };
    const silent = await tx.select('scopes', { ...open, asOf: lte(stale) }, { order: 'asOf', limit: BATCH });
    const [next] = await tx.select('scopes', { ...open, asOf: gt(stale) }, { order: 'asOf', limit: 1 });
    const { asOf } = readable(next);
    return {
      silent: silent.flatMap((row) => pick(row, 'target', 'scope', 'receivedAt') ?? []),
      nextSilenceMs: asOf === undefined ? null : asOf - stale,
    };
  });
}

type SilentScope = Pick<ScopeRow, 'target' | 'scope' | 'receivedAt'>;

async function dueServices(host: Host, org: string): Promise<string[]> {
  const rows = await host.store.read(async (tx) =>
    tx.select('services', { org, due: lte(await tx.now()) }, { order: 'due', limit: BATCH }),
  );
  return rows.flatMap((row) => readable(row).service ?? []);
}

/**
 * Every service of a silent scope gets its transition, each at the instant its freshness ended. Many are recorded in
 * several transactions, so that viewers receive the first before the last is recorded (S2); the scope counts as swept
 * with the last one. A report in between ends the silence, and this sweep.
 *
 * Rejected: smaller transactions, which made no difference.
 */
async function sweepScope(host: Host, org: string, scope: SilentScope): Promise<void> {
  const reaches = reachesOf(scope.scope).length;
  for (let reach = 0; reach < reaches; reach++)
    for (let after: string | null = ''; after !== null; ) {
      const page: SweptPage = { reach, after, isLastReach: reach === reaches - 1 };
      const silent = { org, ...scope };
      const prefetch = prefetchForPage(silent, host.ahead?.find(silent, page));
      after = await throughDoor(host, org, (door) => sweepPage(door, host.ahead, silent, page), { prefetch });
    }
}

interface SweptPage extends PagePlace {
  readonly isLastReach: boolean;
}

/** Sweeps the services after a name, up to a page of them; returns the last one's name, null if there are no more. */
async function sweepPage(
  door: Door,
  ahead: RowsAhead | undefined,
  silent: ScopeAhead,
  page: SweptPage,
): Promise<string | null> {
  const { tx } = door;
  const { org, target, scope, receivedAt } = silent;
  const recalled = await recallPage(door, ahead, silent, page);
  const services = recalled?.services ?? (await servicesOnPage(tx, silent, page));
  // Compared before the scope is written: behind that write, its rows would be read a second time.
  const judged = recalled === null ? null : await judgedIn(door, target, recalled);
  const isLast = services.length < servicesOn(page);
  const set = isLast && page.isLastReach ? { swept: true, silenced: true } : { silenced: true };
  const swept = await tx.update('scopes', { org, target, scope }, { receivedAt, swept: false }, set);
  if (swept === 0) return null;
  if (recalled === null || judged === null) await openAll(door, services);
  else await recordPage(door, recalled, judged);
  return isLast ? null : (services.flatMap((row) => readable(row).service ?? []).at(-1) ?? null);
}

async function sweepService(door: Door, service: string, source: Source): Promise<void> {
  const file = await door.file(service);
  if (file === null) return;
  for (let n = 0; n < DECISIONS_A_TURN; n++) {
    let done = false;
    for (const decision of decide(file.intent, file.facts, door.at)) {
      done = await carryOut(door, file, decision, source);
      if (done) break;
    }
    if (!done) return;
  }
}

/**
 * Records the end of an offer with its reason. It changes no claim: nobody had acquired the command, and it
 * waits as before.
 */
async function recordExpiredOffer(
  door: Door,
  lease: Pick<LeaseRow, 'service' | 'command' | 'fence'>,
  source: Source,
): Promise<void> {
  const file = await door.file(lease.service);
  if (file === null) return;
  await door.admit(file, {
    kind: 'command.requeued',
    source,
    ...leaseStampOf(lease),
    body: { after: 'offer' },
  });
}

/** Ends an offer that was not taken up or a lease of work that nobody waits for, or decides on a lapse. */
async function sweepLease(door: Door, id: string, source: Source): Promise<void> {
  const { org, tx } = door;
  const row = await tx.get('leases', { org, id });
  const lease = pick(row, 'service', 'command', 'fence', 'acknowledgedAt', 'until', 'endedAt');
  const command = lease && (await tx.get('commands', { org, id: lease.command }));
  if (row === undefined || lease === undefined || command === undefined) return;
  if (lease.endedAt !== null || lease.until > door.at) return;
  if (readable(command).state === 'superseded') {
    await endLease(door, row, 'superseded', 'superseded');
  } else if (lease.acknowledgedAt === null) {
    // mutant: offer-withdrawn
    const ended = await endLease(door, row, 'not_taken_up', 'published');
    if (ended) await recordExpiredOffer(door, lease, source);
  } else {
    await sweepService(door, lease.service, source);
  }
}
