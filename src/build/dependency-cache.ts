import { createHash, randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Number of lock files of a service whose dependencies are kept, the newest ones. */
const KEPT = 3;
const PART_MS = 24 * 3_600_000;

/**
 * Keeps installed dependencies under a key of the files they were installed from. Each service has its own
 * folder: dependencies installed by one service's build are never used by another's. An entry appears by one
 * rename, complete, and is never changed: two builds may copy from it at a time, and of two builds that
 * create it one wins and the other deletes its copy.
 */
export class DependencyCache {
  readonly #dir: string;

  /** `dir` belongs to one service. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Returns false if there is no entry, or if it was deleted while it was copied. */
  async restore(key: string, into: string, signal: AbortSignal): Promise<boolean> {
    const entry = join(this.#dir, key);
    try {
      await copy(entry, into, signal);
      await utimes(entry, new Date(), new Date());
      return true;
    } catch (error) {
      await rm(into, { recursive: true, force: true });
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }

  async keep(key: string, from: string, signal: AbortSignal): Promise<void> {
    const entry = join(this.#dir, key);
    const whole = join(this.#dir, `new-${randomUUID()}`);
    try {
      await mkdir(this.#dir, { recursive: true });
      await copy(from, whole, signal);
      await rename(whole, entry);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    } finally {
      await rm(whole, { recursive: true, force: true });
    }
    await this.#forgetOld();
  }

  async #forgetOld(): Promise<void> {
    const dated = await Promise.all(
      (await readdir(this.#dir)).map(async (name) => {
        const found = await stat(join(this.#dir, name)).catch(() => null);
        return { name, usedAt: found?.mtimeMs ?? 0 };
      }),
    );
    const isEntry = ({ name }: { name: string }) => /^[0-9a-f]{64}$/.test(name);
    const entries = dated.filter(isEntry).sort((a, b) => b.usedAt - a.usedAt);
    // Incomplete entries of killed workers. Those of a living worker are younger.
    const parts = dated.filter((one) => !isEntry(one) && one.usedAt < Date.now() - PART_MS);
    for (const { name } of [...entries.slice(KEPT), ...parts]) {
      // Renamed before it is deleted: a build that copies from it finds it complete or not at all.
      const aside = join(this.#dir, `old-${randomUUID()}`);
      await rename(join(this.#dir, name), aside).catch(() => {});
      await rm(aside, { recursive: true, force: true });
    }
  }
}

/** The inputs of an install: the files it reads, the program that reads them, the machine it is for. */
export function dependencyKey(
  dir: string,
  install: { readonly folder: string; readonly keys: readonly string[] },
  argv: readonly (readonly string[])[],
): string {
  const files = install.keys.map((file) => {
    try {
      return createHash('sha256')
        .update(readFileSync(join(dir, file)))
        .digest('hex');
    } catch {
      return null;
    }
  });
  const machine = [process.platform, process.arch, process.version];
  return createHash('sha256')
    .update(JSON.stringify([install, files, argv, machine]))
    .digest('hex');
}

/** Checks the signal before each file, so that a cancel does not wait for a large folder. */
const copy = (from: string, to: string, signal: AbortSignal) =>
  cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: () => {
      signal.throwIfAborted();
      return true;
    },
  });
