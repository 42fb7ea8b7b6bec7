import { chmodSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { Refusal } from '../../contract/refusal.ts';
import { makeDirectory } from '../make-directory.ts';

/** The data directory cannot be used; the message says what to do. */
export class DirectoryRefused extends Refusal {
  override readonly name = 'DirectoryRefused';
}

export interface Directory {
  readonly file: string;
  release(): void;
}

/**
 * Locks a data directory for this process alone (F52): an exclusive transaction on a file of its own stays
 * open as long as the process lives. The kernel releases it when the process dies in any way. Rejected: a
 * file with a pid in it, which stays behind.
 */
export function lockDirectory(dir: string): Directory {
  try {
    makeDirectory(dir);
  } catch (error) {
    throw new DirectoryRefused(
      `The data directory ${dir} cannot be made (${(error as Error).message}). Give another with --data, or its permission to this user.`,
    );
  }
  const owner = join(dir, 'owner');
  const lock = new Database(join(dir, 'owner.lock'));
  try {
    lock.pragma('busy_timeout = 0');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!String((error as Error).message).includes('locked')) throw error;
    throw new DirectoryRefused(
      `The data directory ${dir} belongs to a running Evident (process ${ownerOf(owner)}). Stop that one first, or give another directory with --data.`,
    );
  }
  writeFileSync(owner, `${process.pid}\n`);
  return {
    file: join(dir, 'evident.db'),
    release: () => {
      lock.exec('ROLLBACK');
      lock.close();
    },
  };
}

/**
 * Makes a file private, because it holds secrets of apps. SQLite gives its companion files the same
 * permissions.
 */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

function ownerOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
