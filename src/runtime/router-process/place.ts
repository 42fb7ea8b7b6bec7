import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, type ProcessId } from '../process/proc.ts';

/** Grows with every order, reply and listener: an older router answers without what this version reads from it. */
export const CONTROL_VERSION = 3;

/** A living router, as it describes itself in its directory. */
export interface RouterRecord {
  readonly process: ProcessId;
  readonly version: string;
  readonly control: number;
  /** Opens its control socket and signs proofs. The file is its owner's alone. */
  readonly secret: string;
}

export const SOCKET = 'control.sock';
export const routerDir = (place: string) => join(place, 'router');
export const recordPath = (dir: string) => join(dir, 'router.json');
export const tablePath = (dir: string) => join(dir, 'routes.json');

/** The router that lives in a directory, by its own record; null if that process has ended, whoever has its pid now. */
export function livingRouter(dir: string): RouterRecord | null {
  let record: RouterRecord;
  try {
    record = JSON.parse(readFileSync(recordPath(dir), 'utf8')) as RouterRecord;
  } catch {
    return null;
  }
  return isAlive(record.process) ? record : null;
}

/** Calls with a path of the control socket that is never too long for a socket, whatever the directory is called. */
export function throughSocket<T>(dir: string, act: (path: string) => T): T {
  const fd = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return act(`/proc/self/fd/${fd}/${SOCKET}`);
  } finally {
    closeSync(fd);
  }
}
