import { spanOf } from '../evidence/door/worker-contact.ts';
import type { Settings } from '../projection/facts.ts';
import { isIntact, readable, type Stored } from '../store/broken-row.ts';
import type { Tx, Update } from '../store/port.ts';
import type { PendingRequest } from './pending-request.ts';

/**
 * Records that a worker which requests work is online and which kinds it takes. Of several concurrent calls
 * each continues the row that the one before it wrote, even if that was the first ever, when there was no row
 * to lock yet.
 */
export async function recordContact(
  tx: Tx,
  settings: Settings,
  org: string,
  unanswered: readonly PendingRequest[],
  workers: readonly Stored<'workers'>[],
  now: number,
): Promise<Update[]> {
  // The kinds of an instance's last call count.
  const last = new Map(
    unanswered.map((one) => [JSON.stringify([one.request.worker, one.request.instance]), one]),
  );
  const updates: Update[] = [];
  for (const { caller, request } of last.values()) {
    const key = { org, worker: request.worker, instance: request.instance };
    const target = caller.role === 'agent' ? (request.target ?? caller.target) : caller.target;
    const asks = { kinds: request.kinds, target, service: caller.service, seenAt: now };
    let row = workers.find((w) => {
      const { worker, instance } = readable(w);
      return worker === key.worker && instance === key.instance;
    });
    if (row === undefined) {
      if (await tx.insert('workers', { ...key, ...asks, spanFrom: now })) continue;
      row = await tx.lock('workers', key);
    }
    if (row === undefined || (readable(row).seenAt ?? 0) > now) continue;
    if (!isIntact(row)) {
      updates.push({ table: 'workers', key, expect: {}, set: { ...asks, spanFrom: now } });
      continue;
    }
    const expect = { seenAt: row.seenAt };
    if (now < row.seenAt + settings.freshForMs) {
      updates.push({ table: 'workers', key, expect, set: asks });
      continue;
    }
    await tx.insert('spans', spanOf(row));
    updates.push({ table: 'workers', key, expect, set: { ...asks, spanFrom: now } });
  }
  return updates;
}
