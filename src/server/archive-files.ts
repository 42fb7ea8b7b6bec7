import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type FreeBytes, FreeSpace, freeBytes } from '../artifact/free-space.ts';
import { pathPart } from '../logs/log-path.ts';
import { LOG_LIMITS } from '../logs/log-store.ts';
import { type MovedRows, movedInto } from '../repair/moved-rows.ts';
import { syncDirectory } from '../store/sync-directory.ts';

/** The rows of one org that move out in one turn. */
interface OrgArchive extends MovedRows {
  readonly path: string;
}

/**
 * Files of the rows that retention moved out, in `<org>/<day>.<server>.ndjson`, and of the logs of their
 * attempts, in `<org>/logs/<service>/<attempt>`. Evident neither reads nor removes them.
 *
 * Each server writes its own files: two machines that share a directory could overwrite what the other
 * appends to the same file.
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

  /** Creates the file with its first page, so that no empty file is left behind. */
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

  /**
   * Moves the directory of an attempt's logs into the archive. Does nothing where this or another server has
   * moved it before.
   */
  async takeLogs(org: string, service: string, from: string): Promise<void> {
    const into = join(this.#dir, pathPart(org), 'logs', pathPart(service));
    await mkdir(into, { recursive: true, mode: 0o700 });
    // Lines that arrived late have created a directory of the same name again.
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
