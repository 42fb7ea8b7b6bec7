import type { Caller } from '../access/caller.ts';
import { isHolder } from '../access/lease-holder.ts';
import type { HeartbeatAnswer } from '../contract/answers/fleet.ts';
import type { Digits } from '../contract/digits.ts';
import { type Answer, problem } from '../contract/problem.ts';
import { ended, tokenKeysOf } from '../evidence/door/bearer.ts';
import type { Door } from '../evidence/door/door.ts';
import {
  acknowledge,
  heldLease,
  holderOf,
  leaseLost,
  leaseStampOf,
  prefetchForLease,
} from '../evidence/door/held-lease.ts';
import type { Host } from '../evidence/door/host.ts';
import { leaseLiveness } from '../evidence/door/liveness.ts';
import { throughDoor, throughDoorEach } from '../evidence/door/through-door.ts';
import { isIntact, readable } from '../store/broken-row.ts';
import type { Update } from '../store/port.ts';
import type { LeaseRow } from '../store/schema.ts';

/**
 * Extends a lease by one conditional write that carries the fence. Rarer cases go through the door: the first
 * call (the acknowledgement), a heartbeat that comes after the lease's end but before the lapse is recorded,
 * and work that was cancelled or superseded, whose lease no longer grows.
 */
export async function heartbeat(
  host: Host,
  caller: Caller,
  id: string,
  fence: Digits,
): Promise<Answer<HeartbeatAnswer>> {
  const isFirst = host.offers?.delete(id) ?? false;
  if (!isFirst && (await extendQuickly(host, caller, [{ id, fence }])).has(id)) return renewed(host);
  return throughDoor(host, caller.org, (door) => extendThroughDoor(door, caller, id, fence), {
    prefetch: prefetchForLease(caller.org, id),
    narrow: true,
    caller,
  });
}

/** One lease in a request about several. */
interface LeaseBeat {
  readonly id: string;
  readonly fence: Digits;
}

/**
 * Extends several leases of one holder, each as `heartbeat` does: in one transaction those that only grow, and in
 * another those that need the door. Answers each, in their order.
 */
export async function heartbeats(
  host: Host,
  caller: Caller,
  beats: readonly LeaseBeat[],
): Promise<readonly Answer<HeartbeatAnswer>[]> {
  const held = new Map<string, LeaseBeat>();
  for (const beat of beats)
    if (host.offers?.delete(beat.id) !== true && !held.has(beat.id)) held.set(beat.id, beat);
  const quick = await extendQuickly(host, caller, [...held.values()]);
  const isQuick = (beat: LeaseBeat) => quick.has(beat.id) && held.get(beat.id)?.fence === beat.fence;
  const rest = beats.filter((beat) => !isQuick(beat));
  const outcomes = await throughDoorEach(
    host,
    caller.org,
    rest.map(({ id, fence }) => ({
      work: (door: Door) => extendThroughDoor(door, caller, id, fence),
      prefetch: prefetchForLease(caller.org, id),
      caller,
    })),
  );
  const answers = new Map(rest.map((beat, i) => [beat, outcomes[i]]));
  return beats.map((beat) => {
    const outcome = answers.get(beat);
    if (outcome === undefined) return renewed(host);
    // The holder sends all of them again: repeating an extension does no harm.
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

const renewed = ({ settings: { leaseTtlMs: ttlMs } }: Host): Answer<HeartbeatAnswer> => ({
  ok: true,
  ttlMs,
  cancelRequested: false,
  superseded: false,
});

/**
 * Extends leases that are held and grow, and returns their ids. Never shared among holders: a transaction that waits for
 * the lease of one must not let that of another lapse (F49).
 */
async function extendQuickly(
  host: Host,
  caller: Caller,
  beats: readonly LeaseBeat[],
): Promise<ReadonlySet<string>> {
  if (beats.length === 0) return new Set();
  const { org } = caller;
  return host.store.transact(async (tx) => {
    const [now, rows, tokens] = await tx.readAll([
      'now',
      { table: 'leases', keys: beats.map(({ id }) => ({ org, id })) },
      { table: 'tokens', keys: tokenKeysOf(caller) },
    ]);
    if (ended(caller, tokens, now) !== null) return new Set<string>();
    const held = new Map(rows.filter(isIntact).map((row) => [row.id, row]));
    const updates = beats.flatMap(({ id, fence }): LeaseUpdate[] => {
      const lease = held.get(id);
      if (lease === undefined || lease.acknowledgedAt === null || !isHolder(caller, lease)) return [];
      // mutant: heartbeat-overdue
      if (lease.until <= now) return [];
      // `until` must be as it was read: a process that was stopped here must not undo a later extension.
      // mutant: heartbeat-guards
      const expect = { fence, endedAt: null, growing: true, silenced: false, until: lease.until };
      const until = Math.max(lease.until, now + host.settings.leaseTtlMs);
      return [{ table: 'leases', key: { org, id }, expect, set: { until } }];
    });
    // In the same order for all, so that two batches do not deadlock.
    updates.sort((a, b) => (a.key.id < b.key.id ? -1 : 1));
    const [only] = updates;
    const matched =
      only !== undefined && updates.length === 1
        ? [await tx.update('leases', only.key, only.expect, only.set)]
        : await tx.updateAll(updates);
    return new Set(updates.filter((_, i) => matched[i] === 1).map(({ key }) => key.id));
  }, 'liveness');
}

type LeaseUpdate = Extract<Update, { readonly table: 'leases' }>;

async function extendThroughDoor(
  door: Door,
  caller: Caller,
  id: string,
  fence: Digits,
): Promise<Answer<HeartbeatAnswer>> {
  const held = await heldLease(door, caller, id, fence);
  if (held === null) return leaseLost(door, caller, id, LOST);
  const { lease, command, file } = held;
  if (lease.acknowledgedAt === null) {
    await acknowledge(door, file, lease, caller);
    return { ok: true, ttlMs: door.settings.leaseTtlMs, cancelRequested: false, superseded: false };
  }
  if (!lease.growing) {
    const superseded = command.state === 'superseded';
    if (superseded && door.at >= lease.until) return problem('lease_lost', LOST);
    return {
      ok: true,
      ttlMs: Math.max(0, lease.until - door.at),
      cancelRequested: command.cancelRequested,
      superseded,
    };
  }
  const silentSince = lease.until;
  const extended = await extend(door, lease);
  if (door.at >= silentSince) await closeSpan(door, lease, silentSince);
  if (file.recorded?.state !== 'unknown') {
    // The platform's blindness moved the end, or another heartbeat was faster: the lease is still held.
    return { ok: true, ttlMs: door.settings.leaseTtlMs, cancelRequested: false, superseded: false };
  }
  file.liveness = { ...file.liveness, lease: leaseLiveness(extended) };
  await door.admit(file, {
    kind: 'command.heartbeat',
    source: holderOf(lease, caller),
    ...leaseStampOf(lease),
    body: { silentSince },
  });
  return { ok: true, ttlMs: door.settings.leaseTtlMs, cancelRequested: false, superseded: false };
}

/**
 * Closes the span of a lease that had reached its end and goes on: the past keeps both spans, and the silence
 * between them.
 */
async function closeSpan(door: Door, lease: LeaseRow, until: number): Promise<void> {
  const { org, tx } = door;
  const subject = `lease/${lease.id}`;
  const [last] = await tx.select('spans', { org, subject }, { order: 'from', descending: true, limit: 1 });
  await tx.insert('spans', {
    org,
    subject,
    from: readable(last).receivedAt ?? lease.acknowledgedAt ?? lease.grantedAt,
    until,
    firstSeq: null,
    lastSeq: null,
    epoch: null,
    receivedAt: door.at,
    completeAt: null,
    unavailable: null,
  });
}

async function extend(door: Door, lease: LeaseRow): Promise<LeaseRow> {
  const until = Math.max(lease.until, door.at + door.settings.leaseTtlMs);
  await door.tx.update(
    'leases',
    { org: door.org, id: lease.id },
    { endedAt: null, fence: lease.fence },
    { until, silenced: false },
  );
  return { ...lease, until };
}

const LOST = 'You hold no such lease under this fence, or it has ended; stop the work and ask for another.';
