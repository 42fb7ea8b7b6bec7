import type { Digits } from '../contract/digits.ts';
import { type Answer, problem } from '../contract/problem.ts';
import type { Caller } from '../evidence/caller.ts';
import { throughDoor } from '../evidence/door.ts';
import type { Host } from '../evidence/host.ts';
import { acknowledge, endLease, holderOf, needsOfLease, stampOf } from '../evidence/lease-end.ts';

/** Gives a lease back for another worker: no lapse, for nobody failed. */
export function release(
  host: Host,
  caller: Caller,
  id: string,
  fence: Digits,
  reason: string,
): Promise<Answer<object>> {
  return throughDoor(
    host,
    caller.org,
    async (door) => {
      const { org, tx } = door;
      const lease = await tx.lock('leases', { org, id });
      if (
        lease === undefined ||
        lease.caller !== caller.name ||
        lease.fence !== fence ||
        lease.endedAt !== null
      ) {
        return problem('lease_lost', 'This lease has ended already; there is nothing to release.');
      }
      const command = await tx.get('commands', { org, id: lease.command });
      const file = await door.file(lease.service);
      const superseded = command === undefined || file === null || command.state === 'superseded';
      if (superseded) {
        await endLease(door, lease, 'superseded', 'superseded');
        return { ok: true };
      }
      const held = lease.acknowledgedAt === null ? await acknowledge(door, file, lease, caller) : lease;
      await endLease(door, held, 'released', command.cancelRequested ? 'cancelled' : 'published');
      await door.admit(file, {
        kind: 'command.released',
        source: holderOf(lease, caller),
        ...stampOf(lease),
        body: { reason },
      });
      return { ok: true };
    },
    { needs: needsOfLease(caller.org, id), narrow: true },
  );
}
