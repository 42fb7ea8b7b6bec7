import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from '../evidence/host.ts';
import { gt } from '../store/port.ts';

const DAY_MS = 24 * 3_600_000;
/** Who has beaten within this is alive; it is also how often this is looked at. */
export const LOOK_MS = 5_000;

/**
 * Whether the servers of one database keep artifacts and logs in one directory. Each leaves a file with its name
 * there; one that is alive and whose name is not here keeps its bytes where this one cannot read them.
 */
export class SharedFiles {
  readonly #host: Host;
  readonly #dir: string;
  readonly #instance: string;
  #apart: readonly string[] = [];

  private constructor(host: Host, dir: string, instance: string) {
    this.#host = host;
    this.#dir = dir;
    this.#instance = instance;
  }

  static async open(host: Host, files: string, instance: string): Promise<SharedFiles> {
    const dir = join(files, 'servers');
    await mkdir(dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(dir)) {
      const path = join(dir, name);
      // Of a server that was killed; nobody asks for it any more.
      const left = await stat(path).catch(() => null);
      if (left !== null && left.mtimeMs < Date.now() - DAY_MS) await rm(path, { force: true });
    }
    await writeFile(join(dir, instance), '');
    return new SharedFiles(host, dir, instance);
  }

  /** What is wrong, for whoever asks whether this server is ready. */
  get notes(): readonly string[] {
    if (this.#apart.length === 0) return [];
    const count = this.#apart.length === 1 ? 'Another server' : `${this.#apart.length} other servers`;
    return [
      `${count} on this database cannot be seen in this one’s directory of files: artifacts and logs taken in there are missing here. Give all of them one directory with --files.`,
    ];
  }

  /** True: it found another state of things than before. */
  async look(): Promise<boolean> {
    const alive = await this.#host.store.read(async (tx) =>
      tx.select('beats', { at: gt((await tx.now()) - LOOK_MS) }, { order: 'server' }),
    );
    const here = new Set(await readdir(this.#dir));
    // This one's own may have been removed with the directory.
    if (!here.has(this.#instance)) await writeFile(join(this.#dir, this.#instance), '').catch(() => {});
    const before = this.#apart.join();
    this.#apart = alive
      .map(({ server }) => server)
      .filter((server) => server !== this.#instance && !here.has(server));
    return this.#apart.join() !== before;
  }

  close(): Promise<void> {
    return rm(join(this.#dir, this.#instance), { force: true });
  }
}
