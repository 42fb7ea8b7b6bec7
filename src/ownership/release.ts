import type { Caller } from '../access/caller.ts';
import type { Digits } from '../contract/digits.ts';
import type { Answer } from '../contract/problem.ts';
import {
  acknowledge,
  heldLease,
  holderOf,
  leaseLost,
  leaseStampOf,
  prefetchForLease,
} from '../evidence/door/held-lease.ts';
import type { Host } from '../evidence/door/host.ts';
import { endLease } from '../evidence/door/lease-end.ts';
import { throughDoor } from '../evidence/door/through-door.ts';

const NOTHING_HELD = 'You hold no such lease under this fence, or it has ended; there is nothing to release.';

/** Releases a lease for another worker: no lapse, because nobody failed. */
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
      const named = await heldLease(door, caller, id, fence);
      if (named === null) return leaseLost(door, caller, id, NOTHING_HELD);
      const { lease, command, file } = named;
      if (command.state === 'superseded') {
        await endLease(door, lease, 'superseded', 'superseded');
        return { ok: true };
      }
      const held = lease.acknowledgedAt === null ? await acknowledge(door, file, lease, caller) : lease;
      // mutant: release-requeues
      await endLease(door, held, 'released', command.cancelRequested ? 'cancelled' : 'published');
      await door.admit(file, {
        kind: 'command.released',
        source: holderOf(lease, caller),
        ...leaseStampOf(lease),
        body: { reason },
      });
      return { ok: true };
    },
    { prefetch: prefetchForLease(caller.org, id), narrow: true, caller },
  );
}
