import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small file system of its own, which is soon full. */
export interface SmallDisk {
  readonly dir: string;
  grow(size: string): void;
  remove(): void;
}

/** Mounts a small disk, or returns why this user cannot. */
export function smallDisk(size: string): SmallDisk | { readonly why: string } {
  const dir = mkdtempSync(join(tmpdir(), 'evident-disk-'));
  const mount = (options: string, ...more: string[]) =>
    execFileSync('mount', ['-o', options, ...more, dir], { stdio: 'pipe' });
  try {
    mount(`size=${size}`, '-t', 'tmpfs', 'tmpfs');
  } catch (error) {
    rmdirSync(dir);
    return {
      why: `no file system can be mounted here: ${String((error as Error).message)
        .split('\n')
        .at(-2)}`,
    };
  }
  return {
    dir,
    grow: (to) => mount(`remount,size=${to}`),
    remove: () => {
      execFileSync('umount', ['-l', dir]);
      rmdirSync(dir);
    },
  };
}
