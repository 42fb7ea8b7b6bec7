import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FreeBytes, FreeSpace, freeBytes } from '../artifact/free-space.ts';
import { pathPart } from '../logs/log-path.ts';
import { LOG_LIMITS } from '../logs/log-store.ts';
import { type MovedRows, movedInto } from '../repair/moved-rows.ts';
import { syncDirectory } from '../store/sync-directory.ts';

/** The rows of one org that move out in one turn. */
export interface OrgArchive extends MovedRows {
  readonly path: string;
}

/**
 * What retention has moved out: rows in `<org>/<day>.<server>.ndjson`, the logs of their attempts in
 * `<org>/logs/<service>/<attempt>`. Nothing here is read or removed by Evident.
 *
 * Each server has files of its own: where a directory is shared by machines, what two of them append to one file may
 * be written over each other.
 */
export class ArchiveFiles {
  readonly #dir: string;
  readonly #server: string;
  readonly #space: FreeSpace;

  constructor(dir: string, server: string, look: FreeBytes = freeBytes) {
    this.#dir = dir;
    this.#server = server;
    this.#space = new FreeSpace(dirname(dir), LOG_LIMITS.minFreeBytes, look);
  }

  /** A file is there with its first page, and not before. */
  rowsOf(org: string, now: number): OrgArchive {
    const day = new Date(now).toISOString().slice(0, 10);
    const path = join(this.#dir, pathPart(org), `${day}.${this.#server}.ndjson`);
    let file: MovedRows | null = null;
    return {
      path,
      write: async (rows) => {
        await this.#space.check();
        file ??= await this.#open(path);
        await file.write(rows);
      },
      close: async () => file?.close(),
    };
  }

  async #open(path: string): Promise<MovedRows> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await syncDirectory(dirname(this.#dir));
    await syncDirectory(this.#dir);
    return movedInto(path);
  }

  /** Takes the directory of an attempt's logs in. Whether it was taken before, or by another server, is all the same. */
  async takeLogs(org: string, service: string, from: string): Promise<void> {
    const into = join(this.#dir, pathPart(org), 'logs', pathPart(service));
    await mkdir(into, { recursive: true, mode: 0o700 });
    // Lines that came late have made a directory of the same name again.
    for (let n = 1; ; n++) {
      const name = n === 1 ? basename(from) : `${basename(from)}.${n}`;
      const failed = await rename(from, join(into, name)).then(
        () => null,
        (error: NodeJS.ErrnoException) => error,
      );
      if (failed === null || failed.code === 'ENOENT') return;
      if (failed.code !== 'ENOTEMPTY' && failed.code !== 'EEXIST') throw failed;
    }
  }
}
