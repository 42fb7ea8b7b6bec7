import { throughDoor } from '../evidence/door.ts';
import type { Host } from '../evidence/host.ts';
import { lastBeat } from '../evidence/vitals.ts';
import type { HeadRow } from '../store/schema.ts';

/**
 * A server's beat in the store, every second. If nobody has beaten for too long, the platform was blind: that is
 * recorded in every org's ledger before the first new beat, so that no deadline ever counts the time (F39, F40).
 */
export async function beat(host: Host, server: string): Promise<void> {
  for (const { org } of await blindOrgs(host)) {
    await throughDoor(host, org, async (door) => {
      const beats = await lastBeat(door.tx);
      const blinds = await door.tx.select('blinds', { org }, { order: 'to', descending: true, limit: 1 });
      const from = Math.max(beats, blinds[0]?.to ?? 0);
      if (beats === 0 || door.at - from <= host.settings.blindAfterMs) return;
      await door.tx.insert('blinds', { org, from, to: door.at });
      await door.append({
        kind: 'platform.blind',
        source: { role: 'sweeper', name: server, instance: server },
        body: { from, to: door.at },
      });
    });
  }
  await host.store.transact(async (tx) => {
    const now = await tx.now();
    const inserted = await tx.insert('beats', { server, at: now });
    if (!inserted) await tx.update('beats', { server }, {}, { at: now });
  });
}

/** Every org, if nobody has beaten for too long; the door looks again before it records anything. */
function blindOrgs(host: Host): Promise<readonly HeadRow[]> {
  return host.store.read(async (tx) => {
    const beats = await lastBeat(tx);
    const awake = beats === 0 || (await tx.now()) - beats <= host.settings.blindAfterMs;
    return awake ? [] : tx.select('heads', {});
  });
}
