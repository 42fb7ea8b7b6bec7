import { covers } from '../../access/binding.ts';
import { commandId } from '../../contract/command-id.ts';
import type { Digits } from '../../contract/digits.ts';
import { targetOf } from '../../contract/names.ts';
import type { CommandKind } from '../../contract/vocabulary.ts';
import type {
  LeaseLiveness,
  Liveness,
  RevisionFacts,
  ScopeLiveness,
  Settings,
  WorkerLiveness,
} from '../../projection/facts.ts';
import { commandOf } from '../../projection/workload.ts';
import { intact, isIntact, NAMELESS, pick, readable, type Stored } from '../../store/broken-row.ts';
import { gte, lt, lte, type ReadTx } from '../../store/port.ts';
import type { LeaseRow, SpanRow } from '../../store/schema.ts';
import { agentLiveness, type ReadScope, readableLiveness } from '../door/liveness.ts';
import { lostAt } from './recoveries.ts';

/**
 * The liveness at an instant. A span proves for every instant inside it that its subject was alive, and not
 * how long ago its last contact was: inside a span, the last contact counts as just then. At its end, and in
 * the silence after it, ages are exact.
 */
export async function livenessAt(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
  at: number,
): Promise<Liveness> {
  const target = targetOf(service);
  const blind = (await tx.select('blinds', { org, from: lt(at) })).filter(isIntact);
  const asleep = blind.find((b) => at < b.to);
  const newest = { order: 'at', descending: true, limit: 1 } as const;
  const [recovery] = await tx.select('recoveries', { org, at: lte(at) }, newest);
  return {
    settings,
    ...readableLiveness(
      await scopesAt(tx, settings, org, target, at),
      agentLiveness(await registrationAt(tx, org, target, at), at),
      at,
    ),
    lease: null,
    workers: [],
    blind: blind.filter((b) => b.to <= at).map(({ from, to }) => ({ from, to })),
    awakeUntil: asleep === undefined ? at : asleep.from,
    recoveredAt: readable(recovery).at ?? null,
    lost: await lostAt(tx, org, at),
  };
}

async function scopesAt(
  tx: ReadTx,
  settings: Settings,
  org: string,
  target: string,
  at: number,
): Promise<ReadScope[]> {
  const found: ReadScope[] = [];
  for (const row of await tx.select('scopes', { org, target })) {
    const { scope = NAMELESS, epoch, spanFrom } = readable(row);
    // mutant: past-span
    if (spanFrom !== undefined && spanFrom <= at) {
      const open = pick(row, 'epoch', 'asOf', 'receivedAt', 'completeAt', 'unavailable');
      found.push({ scope, liveness: open && livenessIn(scope, { ...open, until: open.asOf }, settings, at) });
      continue;
    }
    const span = await closedSpan(tx, org, `scope/${target}/${scope}`, at);
    if (span === undefined) continue;
    const over = pick(span, 'epoch', 'until', 'receivedAt', 'completeAt', 'unavailable');
    const spoke = over?.epoch ?? epoch;
    const isRead = over !== undefined && spoke !== undefined;
    found.push({
      scope,
      liveness: isRead ? livenessIn(scope, { ...over, epoch: spoke }, settings, at) : undefined,
    });
  }
  return found;
}

/** A span of a scope, open or closed: its end, and the last report in it. */
type ScopeSpan = Pick<SpanRow, 'until' | 'receivedAt' | 'completeAt' | 'unavailable'> & {
  readonly epoch: Digits;
};

function livenessIn(scope: string, span: ScopeSpan, settings: Settings, at: number): ScopeLiveness {
  return {
    scope,
    epoch: span.epoch,
    asOf: Math.min(span.until, newestAsOf(span, at, settings.freshForMs)),
    receivedAt: Math.min(span.receivedAt, at),
    completeAt: span.completeAt === null ? null : Math.min(span.completeAt, at),
    unavailable: span.unavailable,
  };
}

/**
 * The newest `asOf` that a report can have had at an instant of a span. If the reports came late, the last
 * one may be young enough for instants before it came: those were not fresh, and are not shown as fresh (S1).
 */
function newestAsOf({ until, receivedAt }: ScopeSpan, at: number, freshForMs: number): number {
  const wasFresh = until + freshForMs > receivedAt;
  return wasFresh || at >= receivedAt ? at : at - freshForMs;
}

async function closedSpan(
  tx: ReadTx,
  org: string,
  subject: string,
  at: number,
): Promise<Stored<'spans'> | undefined> {
  const newest = { order: 'from', descending: true, limit: 1 } as const;
  return (await tx.select('spans', { org, subject, from: lte(at) }, newest))[0];
}

/** The current registration of the target at that instant. */
async function registrationAt(tx: ReadTx, org: string, target: string, at: number) {
  const newest = { order: ['registeredAt', 'epoch'], descending: true, limit: 1 } as const;
  return (await tx.select('registrations', { org, target, registeredAt: lte(at) }, newest))[0];
}

/** The newest lease of the command that the attempt waited for, offered or acknowledged. */
export async function leaseAt(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
  active: RevisionFacts,
  kind: CommandKind,
  at: number,
): Promise<LeaseLiveness | null> {
  const { attempt } = active;
  const command = commandOf(attempt, kind)?.id ?? commandId(service, active.revision, attempt.attempt, kind);
  const newest = { order: ['grantedAt', 'fence'], descending: true, limit: 1 } as const;
  const [found] = await tx.select('leases', { org, command, grantedAt: lte(at) }, newest);
  const lease = intact(found);
  if (lease === undefined) return null;
  const acknowledged = lease.acknowledgedAt !== null && lease.acknowledgedAt <= at;
  return {
    command: lease.command,
    fence: lease.fence,
    holder: lease.worker,
    grantedAt: lease.grantedAt,
    acknowledged,
    until: await heldUntil(tx, settings, lease, at),
    ended: lease.endedAt !== null && lease.endedAt <= at,
  };
}

/** The end that the lease had then; for an offer, the end of the offer. */
async function heldUntil(tx: ReadTx, settings: Settings, lease: LeaseRow, at: number): Promise<number> {
  const { acknowledgedAt, grantedAt } = lease;
  if (acknowledgedAt === null || acknowledgedAt > at) return grantedAt + settings.offerMs;
  return Math.min(await leasedUntil(tx, lease, at), at + settings.leaseTtlMs);
}

/** A closed span counts until the next contact under the lease. */
async function leasedUntil(tx: ReadTx, lease: LeaseRow, at: number): Promise<number> {
  const { org, id } = lease;
  const closed = await tx.select('spans', { org, subject: `lease/${id}` }, { order: 'from' });
  const spans = closed.flatMap((span) => pick(span, 'receivedAt', 'until') ?? []);
  return spans.find((span) => at < span.receivedAt)?.until ?? lease.until;
}

/** The workers that could have acquired a command of this kind then. */
export async function workersAt(
  tx: ReadTx,
  settings: Settings,
  org: string,
  service: string,
  kind: CommandKind,
  at: number,
): Promise<WorkerLiveness[]> {
  const target = targetOf(service);
  const found: WorkerLiveness[] = [];
  const spoke = await currentAgentAt(tx, settings, org, target, at);
  for (const row of (await tx.select('workers', { org })).filter(isIntact)) {
    if (!row.kinds.includes(kind)) continue;
    if (!covers(row.target, target) || !covers(row.service, service)) continue;
    const subject = `worker/${row.worker}/${row.instance}`;
    const contact = row.spanFrom <= at ? row.seenAt : readable(await closedSpan(tx, org, subject, at)).until;
    if (contact === undefined) continue;
    const { contactAt, busyUntil } = await leasesThen(tx, settings, org, row.instance, at);
    const reportedAt = row.instance === spoke?.instance ? spoke.reportedAt : 0;
    found.push({
      worker: row.worker,
      seenAt: Math.max(Math.min(contact, at), contactAt, reportedAt),
      busyUntil,
    });
  }
  return found;
}

/**
 * The current agent of a target at an instant, and its last report: no other agent reports for the target.
 */
async function currentAgentAt(tx: ReadTx, settings: Settings, org: string, target: string, at: number) {
  const row = intact(await registrationAt(tx, org, target, at));
  if (row === undefined) return null;
  // After a recovery a target has no current agent until one registers again.
  const [since] = await tx.select(
    'recoveries',
    { org, at: gte(row.registeredAt) },
    { order: 'at', limit: 1 },
  );
  const recoveredAt = readable(since).at;
  if (recoveredAt !== undefined && recoveredAt <= at) return null;
  const scopes = await scopesAt(tx, settings, org, target, at);
  const received = scopes.map(({ liveness }) => liveness?.receivedAt ?? 0);
  const reportedAt = Math.max(row.registeredAt, ...received);
  return { instance: row.instance, reportedAt };
}

/** Caps how many leases granted before the instant are read: no worker holds more at once. */
const HELD_AT_ONCE = 32;

/** The last contact of an instance by the leases that were open then; those that had ended are in the worker's row. */
async function leasesThen(tx: ReadTx, settings: Settings, org: string, instance: string, at: number) {
  const newest = { order: 'grantedAt', descending: true, limit: HELD_AT_ONCE } as const;
  let contactAt = 0;
  let busyUntil: number | null = null;
  for (const lease of await tx.select('leases', { org, instance, grantedAt: lte(at) }, newest)) {
    if (!isIntact(lease) || (lease.endedAt !== null && lease.endedAt <= at)) continue;
    const until = await heldUntil(tx, settings, lease, at);
    const isAcknowledged = lease.acknowledgedAt !== null && lease.acknowledgedAt <= at;
    if (isAcknowledged) contactAt = Math.max(contactAt, until - settings.leaseTtlMs);
    busyUntil = Math.max(busyUntil ?? 0, until);
  }
  return { contactAt, busyUntil };
}
