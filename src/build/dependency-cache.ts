import { createHash, randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Of the newest lock files of a service. */
const KEPT = 3;
const PART_MS = 24 * 3_600_000;

/**
 * Installed dependencies, kept under what they were made from. Each service has a folder of its own: what one service's
 * build installs is never handed to another's. An entry appears by one rename, whole, and is never written again: two
 * builds at a time copy from it, or one of them loses the race to make it and throws its own away.
 */
export class DependencyCache {
  readonly #dir: string;

  /** `dir` is of one service. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** False if there is none, or if it went away while it was copied. */
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
    // Parts that a killed worker left; those of a living one are younger.
    const parts = dated.filter((one) => !isEntry(one) && one.usedAt < Date.now() - PART_MS);
    for (const { name } of [...entries.slice(KEPT), ...parts]) {
      // Aside first: whoever copies from it finds it whole or not at all.
      const aside = join(this.#dir, `old-${randomUUID()}`);
      await rename(join(this.#dir, name), aside).catch(() => {});
      await rm(aside, { recursive: true, force: true });
    }
  }
}

/** What an install depends on: the files it reads, the program that reads them, the machine that it is for. */
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

/** Asks before each file: a cancel does not wait for a large folder. */
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
