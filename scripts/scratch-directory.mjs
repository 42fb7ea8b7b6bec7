import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * The directory for temporary files of tests: in memory where there is room, else the system's own. Tests create and
 * delete thousands of databases and archives; on a disk that flushes and discards, this is a third of their time.
 * Nothing is proven less by it: tests kill processes and fill small disks of their own, and none pulls the plug.
 */
export function scratchDirectory() {
  if (process.env.TMPDIR !== undefined || !hasRoomInMemory()) return tmpdir();
  const directory = join(MEMORY, `evident-${process.getuid?.() ?? 0}`);
  try {
    mkdirSync(directory, { recursive: true });
    // PostgreSQL runs as a user of its own in there.
    chmodSync(directory, 0o1777);
    return runsPrograms(directory) ? directory : tmpdir();
  } catch {
    return tmpdir();
  }
}

function hasRoomInMemory() {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return Math.min(bavail * bsize, freemem()) > ROOM_BYTES;
  } catch {
    return false;
  }
}

/** Some machines mount it without leave to execute, and tests start programs from their folders. @param {string} directory */
function runsPrograms(directory) {
  const program = join(directory, `try-${process.pid}`);
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program, { force: true });
  return status === 0;
}
