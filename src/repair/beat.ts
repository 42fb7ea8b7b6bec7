import { type Door, throughDoor } from '../evidence/door.ts';
import type { Host } from '../evidence/host.ts';
import type { ServiceFile } from '../evidence/service-file.ts';
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
      const blind = { from, to: door.at };
      const files = await inProgress(door);
      await door.tx.insert('blinds', { org, ...blind });
      const source = { role: 'sweeper', name: server, instance: server } as const;
      const { id } = await door.append({ kind: 'platform.blind', source, body: blind });
      for (const file of files) {
        file.vitals = { ...file.vitals, blind: [...file.vitals.blind, blind] };
        await door.rejudge(file, 'sweeper', id);
      }
    });
  }
  await host.store.transact(async (tx) => {
    const now = await tx.now();
    const inserted = await tx.insert('beats', { server, at: now });
    if (!inserted) await tx.update('beats', { server }, {}, { at: now });
  });
}

/** What deadlines and leases run for: opened, and so settled, before the blindness counts. */
async function inProgress(door: Door): Promise<readonly ServiceFile[]> {
  const files: ServiceFile[] = [];
  for (const { service } of await door.tx.select('services', { org: door.org, outcome: 'in_progress' })) {
    const file = await door.file(service);
    if (file !== null) files.push(file);
  }
  return files;
}

/** Every org, if nobody has beaten for too long; the door looks again before it records anything. */
function blindOrgs(host: Host): Promise<readonly HeadRow[]> {
  return host.store.read(async (tx) => {
    const beats = await lastBeat(tx);
    const awake = beats === 0 || (await tx.now()) - beats <= host.settings.blindAfterMs;
    return awake ? [] : tx.select('heads', {});
  });
}
