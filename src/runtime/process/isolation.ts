import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type AppUser, AppUsers, mayUseAppUsers } from './app-users.ts';
import type { Sandbox } from './sandbox.ts';
import { workingSandbox } from './sandbox-trial.ts';

/**
 * The border that keeps apps and builds from the files and processes of Evident and of each other (F127). `users`: each service has
 * a user of its own, and its files lie in `apps`, outside of the data directory, which only Evident may enter.
 * `namespaces`: they run as Evident's own user, see none of `hidden`, and no process but their own. `none`: they can
 * read whatever that user can.
 */
export type Isolation =
  | { readonly kind: 'users'; readonly users: AppUsers; readonly apps: string }
  | { readonly kind: 'namespaces'; readonly sandbox: Sandbox; readonly hidden: readonly string[] }
  | { readonly kind: 'none' };

/** Keeps the files of a service apart from those of others. */
export interface FileOwner {
  /** A folder that holds what this service has, and nobody else. */
  readonly folder: string;
  /** The user that they belong to, if not our own. */
  readonly user: AppUser | null;
}

export const NO_ISOLATION: Isolation = { kind: 'none' };

/** Other users may pass through it to what is theirs, and list nothing. */
const PASSAGE = 0o711;
const ROOT = '/var/lib/evident-apps';

/** The directory in which the apps of one place lie, if each has a user of its own. */
export function appsDirectory(dir: string): string {
  return join(ROOT, createHash('sha256').update(dir).digest('hex').slice(0, 16));
}

/**
 * Finds out by trying how apps can be isolated here.
 *
 * @param dir the place whose services these are: it keeps which user each has
 * @param evident every directory in which Evident keeps something
 */
export function isolationOf(dir: string, evident: readonly string[]): Isolation {
  if (process.getuid?.() !== 0) {
    const sandbox = workingSandbox(evident);
    return sandbox === null ? NO_ISOLATION : { kind: 'namespaces', sandbox, hidden: evident };
  }
  const apps = appsDirectory(dir);
  try {
    passage(apps);
  } catch {
    return NO_ISOLATION;
  }
  return mayUseAppUsers(apps) ? { kind: 'users', users: AppUsers.open(dir), apps } : NO_ISOLATION;
}

/** Null where services are not kept from each other: then they share what they have in common. */
export function ownerOf(isolation: Isolation, service: string): FileOwner | null {
  switch (isolation.kind) {
    case 'users': {
      const user = isolation.users.of(service);
      return { folder: `user-${user.uid}`, user };
    }
    case 'namespaces':
      return { folder: `service-${service}`, user: null };
    case 'none':
      return null;
  }
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
