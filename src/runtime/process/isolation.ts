import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type AppUser, AppUsers, mayUseAppUsers } from './app-users.ts';

/**
 * The border that keeps apps and builds from the files and processes of Evident and of each other (F127). `users`: each service has
 * a user of its own, and its files lie in `apps`, outside of the data directory, which only Evident may enter. `none`:
 * they run as Evident's own user and can read whatever it can.
 */
export type Isolation =
  | { readonly kind: 'users'; readonly users: AppUsers; readonly apps: string }
  | { readonly kind: 'none' };

export const NO_ISOLATION: Isolation = { kind: 'none' };

/** Other users may pass through it to what is theirs, and list nothing. */
const PASSAGE = 0o711;
const ROOT = '/var/lib/evident-apps';

/** The directory in which the apps of one place lie, if each has a user of its own. */
export function appsDirectory(dir: string): string {
  return join(ROOT, createHash('sha256').update(dir).digest('hex').slice(0, 16));
}

/** @param dir the place whose services these are: it keeps which user each has */
export function isolationOf(dir: string): Isolation {
  if (process.getuid?.() !== 0) return NO_ISOLATION;
  const apps = appsDirectory(dir);
  try {
    passage(apps);
  } catch {
    return NO_ISOLATION;
  }
  return mayUseAppUsers(apps) ? { kind: 'users', users: AppUsers.open(dir), apps } : NO_ISOLATION;
}

/** Creates a directory of ours that others may pass through, with those of its parents that are missing. */
export function passage(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: PASSAGE });
  // Whatever the umask took away.
  chmodSync(dir, PASSAGE);
  if (dir.startsWith(`${ROOT}/`)) chmodSync(dirname(dir), PASSAGE);
}

/** Gives a directory and everything in it to a user. Links themselves are given, never what they lead to. */
export async function give(path: string, { uid, gid }: AppUser): Promise<void> {
  await promisify(execFile)('chown', ['-Rh', `${uid}:${gid}`, path]);
}
