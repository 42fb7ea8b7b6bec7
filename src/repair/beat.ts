import type { Door } from '../evidence/door/door.ts';
import type { Host } from '../evidence/door/host.ts';
import { lastBeat } from '../evidence/door/liveness.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import { throughDoor } from '../evidence/door/through-door.ts';
import { readable } from '../store/broken-row.ts';
import { lte, type ReadTx } from '../store/port.ts';

/**
 * Writes a server's beat, every second. If no server has beaten for too long, the platform was blind: that is
 * recorded in every org's ledger before the first new beat, so that no deadline ever counts the time (F39,
 * F40).
 */
export async function beat(host: Host, server: string, files: string | null = null): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    for (const org of await blindOrgs(host)) await recordBlindness(host, server, org);
    if (await beatNow(host, server, files)) return;
  }
}

const TRIES = 3;

/**
 * False: this server has slept since it checked for blindness, and must check again before it writes a beat.
 * The clock is read before the other beats: a beat proves nothing about instants after that reading.
 */
function beatNow(host: Host, server: string, files: string | null): Promise<boolean> {
  return host.store.transact(async (tx) => {
    const now = await tx.now();
    const beats = await lastBeat(tx);
    if (beats > 0 && now - (await accountedUntil(tx, beats)) > host.settings.blindAfterMs) return false;
    const inserted = await tx.insert('beats', { server, at: now, files });
    // A clock that stepped back does not lower a beat: that would turn time awake into blindness (F35).
    if (!inserted) await tx.update('beats', { server }, { at: lte(now) }, { at: now });
    return true;
  }, 'liveness');
}

/** The instant up to which every org has a beat or a recorded blindness. */
async function accountedUntil(tx: ReadTx, beats: number): Promise<number> {
  let until = Number.POSITIVE_INFINITY;
  for (const head of await tx.select('heads', {})) {
    const { org } = readable(head);
    if (org === undefined) continue;
    const [last] = await tx.select('blinds', { org }, { order: 'to', descending: true, limit: 1 });
    until = Math.min(until, Math.max(beats, readable(last).to ?? 0));
  }
  return until;
}

function recordBlindness(host: Host, server: string, org: string): Promise<void> {
  return throughDoor(host, org, async (door) => {
    const [last] = await door.tx.select('blinds', { org }, { order: 'to', descending: true, limit: 1 });
    const from = Math.max(await lastBeat(door.tx), readable(last).to ?? 0);
    if (door.at - from <= host.settings.blindAfterMs) return;
    const blind = { from, to: door.at };
    const files = await inProgress(door);
    await door.tx.insert('blinds', { org, ...blind });
    const source = { role: 'sweeper', name: server, instance: server } as const;
    const { id } = await door.append({ kind: 'platform.blind', source, body: blind });
    for (const file of files) {
      file.liveness = { ...file.liveness, blind: [...file.liveness.blind, blind] };
      await door.rejudge(file, 'sweeper', id);
    }
  });
}

/** Opens the services whose deadlines and leases run, which settles them before the blindness counts. */
async function inProgress(door: Door): Promise<readonly ServiceFile[]> {
  const files: ServiceFile[] = [];
  const rows = await door.tx.select('services', { org: door.org, outcome: 'in_progress' });
  const services = rows.flatMap((row) => readable(row).service ?? []);
  await door.prefetch(services);
  for (const service of services) {
    const file = await door.file(service);
    if (file !== null) files.push(file);
  }
  return files;
}

/** Every org, if no server has beaten for too long; the door checks again before it records anything. */
function blindOrgs(host: Host): Promise<readonly string[]> {
  return host.store.read(async (tx) => {
    const beats = await lastBeat(tx);
    const awake = beats === 0 || (await tx.now()) - beats <= host.settings.blindAfterMs;
    const heads = awake ? [] : await tx.select('heads', {});
    return heads.flatMap((head) => readable(head).org ?? []);
  }, 'liveness');
}
