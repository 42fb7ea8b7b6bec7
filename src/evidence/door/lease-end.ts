import { aboutCommand, commandOfLease } from '../../contract/command-id.ts';
import type { Digits } from '../../contract/digits.ts';
import type { Source } from '../../contract/evidence.ts';
import { type Problem, problem } from '../../contract/problem.ts';
import type { Kind } from '../../contract/vocabulary.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { isReadable } from '../../store/columns.ts';
import { Conflict } from '../../store/port.ts';
import type { CommandRow, CommandState, LeaseRow, LeaseRowEnd } from '../../store/schema.ts';
import { pauseAfter } from './back-off.ts';
import { type Caller, isHolder } from './caller.ts';
import type { Door } from './door.ts';
import { leaseLiveness } from './liveness.ts';
import type { Need } from './prefetch.ts';
import type { ServiceFile } from './service-file.ts';
import { BY_HOLDER, noteHolder } from './worker-seen.ts';

/** What a call under a lease looks at, as far as the lease's id tells; the lease itself is locked. */
export function needsOfLease(org: string, id: string): Need[] {
  const command = commandOfLease(id);
  const about = aboutCommand(command);
  return [
    { table: 'leases', keys: [{ org, id }], lock: true },
    { table: 'commands', keys: about === null ? [] : [{ org, id: command }] },
    { table: 'services', keys: about === null ? [] : [{ org, service: about.service }] },
    { table: 'revisions', keys: about === null ? [] : [{ org, ...about }] },
  ];
}

/** What each kind of evidence does to the lease it is sent under, and to the command. */
export const ENDS: { readonly [K in Kind]?: { readonly end: LeaseRowEnd; readonly state: CommandState } } = {
  // mutant: stored-ends-lease
  'artifact.stored': { end: 'completed', state: 'done' },
  'runtime.applied': { end: 'completed', state: 'done' },
  'runtime.removed': { end: 'completed', state: 'done' },
  'build.failed': { end: 'failed', state: 'failed' },
  'runtime.apply_failed': { end: 'failed', state: 'failed' },
  'cancel.acknowledged': { end: 'cancelled', state: 'cancelled' },
  'command.released': { end: 'released', state: 'published' },
};

/**
 * Ends a lease and moves its command on, the command only under this lease's fence. Zero rows means that another
 * write ended it first, and the caller must not go on (F37).
 */
export async function endLease(
  door: Door,
  lease: LeaseRow,
  end: LeaseRowEnd,
  state: CommandState,
): Promise<boolean> {
  const { org, tx } = door;
  // Its holder extends it behind no door: what it said until this very write is what it is remembered by. If the end is
  // its own word, that is the last.
  const last = BY_HOLDER.has(end) ? lease : await tx.lock('leases', { org, id: lease.id });
  const ended = await tx.update(
    'leases',
    { org, id: lease.id },
    { endedAt: null },
    {
      endedAt: door.at,
      end,
      growing: false,
    },
  );
  if (ended === 0) return false;
  const set =
    state === 'published' ? { state, availableAt: door.at + pauseAfter(door, lease, end) } : { state };
  await tx.update('commands', { org, id: lease.command }, { fence: lease.fence }, set);
  await noteHolder(door, last ?? lease, end);
  return true;
}

/** A lease that its caller holds, with what it is about. */
export interface HeldLease {
  readonly lease: LeaseRow;
  readonly command: CommandRow;
  readonly file: ServiceFile;
}

/**
 * What a caller names, if it holds it. The service is opened first: that may put on record that its time is up, and
 * so end an offer or supersede the work.
 */
export async function heldLease(
  door: Door,
  caller: Caller,
  id: string,
  fence: Digits,
): Promise<HeldLease | null> {
  const { org, tx } = door;
  const named = await tx.get('leases', { org, id });
  if (named === undefined || !isHolder(caller, named) || named.fence !== fence) return null;
  const file = await door.file(named.service);
  const lease = await tx.lock('leases', { org, id });
  const command = await tx.get('commands', { org, id: named.command });
  if (file === null || command === undefined || lease === undefined || lease.endedAt !== null) return null;
  return { lease, command, file };
}

/** A call under a lease that its caller does not hold; whoever held it once is told who holds its work now. */
export async function leaseLost(door: Door, caller: Caller, id: string, detail: string): Promise<Problem> {
  const { org, tx } = door;
  const named = await tx.get('leases', { org, id });
  if (named === undefined || !isHolder(caller, named)) return problem('lease_lost', detail);
  const [held] = await tx.select('leases', { org, command: named.command, endedAt: null }, { limit: 1 });
  if (held === undefined || held.id === id || !isReadable(held)) return problem('lease_lost', detail);
  const { worker, instance, until } = held;
  return problem('lease_lost', detail, { holder: { worker, instance }, until: rfc3339(until) });
}

/** Void through no fault of its holder: back to the queue, and no lapse. */
export async function requeue(
  door: Door,
  lease: LeaseRow,
  after: 'registration' | 'recovery',
  by: string,
): Promise<void> {
  const file = await door.file(lease.service);
  const command = await door.tx.get('commands', { org: door.org, id: lease.command });
  const superseded = command === undefined || command.state === 'superseded';
  const cancelling = command?.cancelRequested ?? false;
  const state = superseded ? 'superseded' : cancelling ? 'cancelled' : 'published';
  if (!(await endLease(door, lease, after, state))) return;
  if (superseded || lease.acknowledgedAt === null || file === null) return;
  await door.admit(file, {
    kind: 'command.requeued',
    source: { role: 'sweeper', name: by, instance: after },
    ...stampOf(lease),
    body: { after },
  });
}

/** The first fenced call is the acknowledgement: the offer was received. */
export async function acknowledge(
  door: Door,
  file: ServiceFile,
  lease: LeaseRow,
  caller: Caller,
): Promise<LeaseRow> {
  const { org, tx } = door;
  // mutant: acknowledged-until
  const taken: LeaseRow = { ...lease, acknowledgedAt: door.at, until: door.at + door.settings.leaseTtlMs };
  await tx.update(
    'leases',
    { org, id: lease.id },
    { endedAt: null, acknowledgedAt: null },
    { acknowledgedAt: taken.acknowledgedAt, until: taken.until },
  );
  const offered = { fence: lease.fence, state: 'offered' } as const;
  if ((await tx.update('commands', { org, id: lease.command }, offered, { state: 'leased' })) === 0) {
    throw new Conflict('the offer is no longer open');
  }
  file.liveness = { ...file.liveness, lease: leaseLiveness(taken) };
  await door.admit(file, {
    kind: 'command.acknowledged',
    source: holderOf(lease, caller),
    ...stampOf(lease),
    body: {},
  });
  return taken;
}

/** Who speaks under a lease: the bearer that was granted it, as the process that took it. */
export function holderOf({ kind, instance }: LeaseRow, caller: Caller): Source {
  return { role: kind === 'build' ? 'worker' : 'agent', name: caller.name, instance };
}

/** Revision and attempt are in the command's id: what is written under a lease is about nothing else. */
export function stampOf(lease: { command: string; fence: Digits }): {
  revision: number;
  attempt: number;
  command: string;
  fence: Digits;
} {
  const parts = lease.command.split('.');
  const number = (at: number) => Number(parts.at(at)?.slice(1));
  return { revision: number(-4), attempt: number(-3), command: lease.command, fence: lease.fence };
}
