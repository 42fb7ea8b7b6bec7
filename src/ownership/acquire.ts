import { leaseId } from '../contract/command-id.ts';
import { addDigits } from '../contract/digits.ts';
import { type Answer, problem } from '../contract/problem.ts';
import type { CommandKind } from '../contract/vocabulary.ts';
import { type Caller, covers } from '../evidence/caller.ts';
import type { Host } from '../evidence/host.ts';
import { lte, oneOf, type Tx } from '../store/port.ts';
import type { CommandRow, LeaseRow } from '../store/schema.ts';

export interface LeaseRequest {
  readonly kinds: readonly CommandKind[];
  readonly target?: string;
  readonly worker: string;
  readonly instance: string;
}

const PAGE = 50;

/** The grant is an offer: its answer can be lost. Only the first fenced call makes it a lease. */
export interface Offer {
  readonly id: string;
  readonly command: string;
  readonly kind: CommandKind;
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly fence: string;
  readonly ttlMs: number;
}

/**
 * One try to acquire a lease; waiting is the server's business. The command is taken by a conditional write on
 * its state and fence, so that of two who saw it free only one gets it (F31, F38).
 */
export function acquire(
  host: Host,
  caller: Caller,
  request: LeaseRequest,
): Promise<Answer<{ offer: Offer | null }>> {
  return host.store.transact(async (tx): Promise<Answer<{ offer: Offer | null }>> => {
    const now = await tx.now();
    const { org } = caller;
    const epoch = await epochOf(tx, caller, request);
    if (epoch === 'fenced') return problem('stale_epoch', 'A newer registration has replaced this instance.');
    await seen(tx, host, caller, request, now);
    const again = await openOffer(tx, host, caller, request, now);
    if (again !== null) return { ok: true, offer: again };
    for await (const command of candidates(tx, caller, request, now)) {
      const fence = addDigits(command.fence, 1);
      const taken = await tx.update(
        'commands',
        { org, id: command.id },
        { state: 'published', fence: command.fence },
        { state: 'offered', fence },
      );
      if (taken === 0) continue;
      const lease: LeaseRow = {
        org,
        id: leaseId(command.id, fence),
        command: command.id,
        kind: command.kind,
        service: command.service,
        target: command.target,
        fence,
        caller: caller.name,
        worker: request.worker,
        instance: request.instance,
        epoch,
        grantedAt: now,
        acknowledgedAt: null,
        until: now + host.settings.offerMs,
        silenced: false,
        growing: true,
        endedAt: null,
        end: null,
        lastSeq: null,
      };
      await tx.insert('leases', lease);
      return { ok: true, offer: offerOf(lease, command, host.settings.leaseTtlMs) };
    }
    return { ok: true, offer: null };
  });
}

/** The epoch under which an agent takes work, or that it may take none. */
async function epochOf(tx: Tx, caller: Caller, request: LeaseRequest): Promise<string | null | 'fenced'> {
  if (caller.role !== 'agent' || request.target === undefined) return null;
  const key = { org: caller.org, target: request.target };
  const agent = await tx.lock('agents', key);
  if (agent?.instance === request.instance) return agent.epoch;
  const known = await tx.get('registrations', { ...key, instance: request.instance });
  return known === undefined && agent === undefined ? null : 'fenced';
}

/**
 * A worker that asks is online, and says what it could take. Of several calls under way at once each continues what
 * the one before it wrote, also where that was the first ever: then there was no row to lock yet.
 */
async function seen(tx: Tx, host: Host, caller: Caller, request: LeaseRequest, now: number): Promise<void> {
  const key = { org: caller.org, worker: request.worker, instance: request.instance };
  const row = await tx.lock('workers', key);
  const target = caller.role === 'agent' ? (request.target ?? caller.target) : caller.target;
  const asks = { kinds: request.kinds, target, service: caller.service, seenAt: now };
  if (row === undefined) {
    const isFirst = await tx.insert('workers', { ...key, ...asks, spanFrom: now });
    return isFirst ? undefined : seen(tx, host, caller, request, now);
  }
  if (now < row.seenAt + host.settings.freshForMs) {
    await tx.update('workers', key, { seenAt: lte(now) }, asks);
    return;
  }
  await tx.insert('spans', {
    org: caller.org,
    subject: `worker/${request.worker}/${request.instance}`,
    from: row.spanFrom,
    until: row.seenAt,
    firstSeq: null,
    lastSeq: null,
    epoch: null,
    receivedAt: row.seenAt,
    completeAt: null,
    unavailable: null,
  });
  await tx.update('workers', key, { seenAt: lte(now) }, { ...asks, spanFrom: now });
}

/** Asking again from the same instance returns the same offer while it is open. */
async function openOffer(
  tx: Tx,
  host: Host,
  caller: Caller,
  request: LeaseRequest,
  now: number,
): Promise<Offer | null> {
  const open = await tx.select('leases', {
    org: caller.org,
    instance: request.instance,
    acknowledgedAt: null,
    endedAt: null,
  });
  const lease = open.find((l) => now < l.until && l.caller === caller.name && request.kinds.includes(l.kind));
  if (lease === undefined) return null;
  const command = await tx.get('commands', { org: caller.org, id: lease.command });
  return command === undefined ? null : offerOf(lease, command, host.settings.leaseTtlMs);
}

/** Those that this caller may take, the longest waiting first. Its binding rarely excludes a whole page of them. */
async function* candidates(
  tx: Tx,
  caller: Caller,
  request: LeaseRequest,
  now: number,
): AsyncGenerator<CommandRow> {
  const kinds = request.kinds.filter((kind) => (kind === 'build') === (caller.role === 'builder'));
  if (kinds.length === 0) return;
  const waiting = {
    org: caller.org,
    state: 'published',
    ...(request.target === undefined ? {} : { target: request.target }),
    kind: oneOf(...kinds),
    availableAt: lte(now),
  } as const;
  for (const limit of [PAGE, undefined]) {
    const found = await tx.select('commands', waiting, {
      order: 'availableAt',
      ...(limit === undefined ? {} : { limit }),
    });
    for (const c of limit === undefined ? found.slice(PAGE) : found)
      if (covers(caller.target, c.target) && covers(caller.service, c.service)) yield c;
    if (found.length < PAGE) return;
  }
}

function offerOf(lease: LeaseRow, command: CommandRow, ttlMs: number): Offer {
  return {
    id: lease.id,
    command: command.id,
    kind: command.kind,
    service: command.service,
    revision: command.revision,
    attempt: command.attempt,
    fence: lease.fence,
    ttlMs,
  };
}
