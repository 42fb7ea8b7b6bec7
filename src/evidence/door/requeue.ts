import type { LeaseRow } from '../../store/schema.ts';
import type { Door } from './door.ts';
import { stampOf } from './held-lease.ts';
import { endLease } from './lease-end.ts';

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
