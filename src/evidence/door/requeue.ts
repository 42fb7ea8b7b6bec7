import { pick, readable, type Stored } from '../../store/broken-row.ts';
import type { Door } from './door.ts';
import { leaseStampOf } from './held-lease.ts';
import { endLease } from './lease-end.ts';

/** Puts the command of a void lease back into the queue, without a lapse: its holder is not at fault. */
export async function requeue(
  door: Door,
  lease: Stored<'leases'>,
  after: 'registration' | 'recovery',
  by: string,
): Promise<void> {
  const about = pick(lease, 'service', 'command', 'fence');
  const file = about === undefined ? null : await door.file(about.service);
  const command = about && (await door.tx.get('commands', { org: door.org, id: about.command }));
  const superseded = command === undefined || readable(command).state === 'superseded';
  const cancelling = readable(command).cancelRequested ?? false;
  const state = superseded ? 'superseded' : cancelling ? 'cancelled' : 'published';
  if (!(await endLease(door, lease, after, state))) return;
  if (superseded || about === undefined || file === null) return;
  if (readable(lease).acknowledgedAt === null) return;
  await door.admit(file, {
    kind: 'command.requeued',
    source: { role: 'sweeper', name: by, instance: after },
    ...leaseStampOf(about),
    body: { after },
  });
}
