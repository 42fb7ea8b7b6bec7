import { formerOrder } from '../../projection/places.ts';
import { commandOf } from '../../projection/workload.ts';
import { pick, readable, type Stored } from '../../store/broken-row.ts';
import { oneOf } from '../../store/port.ts';
import type { CommandState } from '../../store/schema.ts';
import type { Door } from './door.ts';
import { leaseStampOf } from './held-lease.ts';
import { endLease, withdrawOffers } from './lease-end.ts';
import type { ServiceFile } from './service-file.ts';

/** Ends the lease of an apply that a former place took, and holds its command: no other place may carry it out as well. */
export async function hold(door: Door, lease: Stored<'leases'>, by: string): Promise<void> {
  const about = pick(lease, 'service', 'command', 'fence');
  const file = about === undefined ? null : await door.file(about.service);
  const command = about && (await door.tx.get('commands', { org: door.org, id: about.command }));
  const isOver = command === undefined || readable(command).state === 'superseded';
  const isCancelled = readable(command).cancelRequested ?? false;
  const state = isOver ? 'superseded' : isCancelled ? 'cancelled' : 'held';
  if (!(await endLease(door, lease, 'registration', state))) return;
  if (isOver || about === undefined || file === null) return;
  await door.admit(file, {
    kind: 'command.held',
    source: { role: 'sweeper', name: by, instance: 'registration' },
    ...leaseStampOf(about),
    body: { identity: formerIn(file) ?? '' },
  });
}

const UNOWNED = oneOf<CommandState>('recorded', 'published', 'offered');

/**
 * Holds an apply that a former place took and that was requeued since, and lets one go on whose place is back or retired.
 * Called for each service of a target when its place changes or is retired.
 */
export async function settleHeld(
  door: Door,
  file: ServiceFile,
  by: string,
  after: 'registration' | 'retirement' = 'registration',
): Promise<void> {
  const { active } = file;
  const command = active === undefined ? null : commandOf(active.attempt, 'apply');
  if (active === undefined || command === null || active.attempt.applied !== null) return;
  const { org, tx } = door;
  const { id } = command;
  const about = { revision: active.revision, attempt: active.attempt.attempt, command: id };
  const source = { role: 'sweeper', name: by, instance: after } as const;
  const identity = formerIn(file);
  if (identity !== null) {
    if ((await tx.update('commands', { org, id }, { state: UNOWNED }, { state: 'held' })) === 0) return;
    await withdrawOffers(door, id);
    await door.admit(file, { kind: 'command.held', source, ...about, body: { identity } });
    return;
  }
  const isOver = active.attempt.settled !== null;
  const next = isOver ? { state: 'withdrawn' } : { state: 'published', availableAt: door.at };
  if ((await tx.update('commands', { org, id }, { state: 'held' }, next as { state: CommandState })) === 0)
    return;
  if (!isOver) await door.admit(file, { kind: 'command.requeued', source, ...about, body: { after } });
}

/** The former place that took the apply of the active attempt, if one did. */
function formerIn({ active, facts }: ServiceFile): string | null {
  return active === undefined ? null : (formerOrder(active.attempt, false, facts)?.identity ?? null);
}
