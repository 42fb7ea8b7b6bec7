import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallDisk } from '../../lab/small-disk.ts';

/** The disk of servers, agent and worker. */
export interface FleetDisk {
  readonly dir: string;
  /** Null: it cannot be filled here, because `why`. */
  readonly room: { fill(): void; free(): void } | null;
  readonly why: string | null;
  remove(): void;
}

const ROOM = '4g';
const PAGE = 4096;

/** A file system of its own, where this user may mount one: it is full when it is made no larger than what it holds. */
export function openDisk(): FleetDisk {
  const disk = smallDisk(ROOM);
  if ('why' in disk) {
    const dir = mkdtempSync(join(tmpdir(), 'evident-soak-'));
    const remove = () => rmSync(dir, { recursive: true, force: true });
    return { dir, room: null, why: disk.why, remove };
  }
  const { dir, grow, remove } = disk;
  const fill = () => {
    const { blocks, bfree, bsize } = statfsSync(dir);
    // Bytes that are written between the look and the remount make it fail: then a little more room is left.
    for (let spare = PAGE; ; spare *= 4)
      try {
        grow(String((blocks - bfree) * bsize + spare));
        return;
      } catch (error) {
        if (spare > 1 << 28) throw error;
      }
  };
  return { dir, room: { fill, free: () => grow(ROOM) }, why: null, remove };
}
