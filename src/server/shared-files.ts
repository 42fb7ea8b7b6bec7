import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FoundArtifact, readArtifact } from '../artifact/store.ts';
import type { Host } from '../evidence/door/host.ts';
import { isReadable } from '../store/columns.ts';
import { gt } from '../store/port.ts';
import type { BeatRow } from '../store/schema.ts';

const DAY_MS = 24 * 3_600_000;
/** How often this is looked at; who is alive beats more than once between two looks. */
export const LOOK_MS = 5_000;
/** Who has not beaten for so many looks is gone: longer than a beat that failed waits for its next turn. */
const GONE_AFTER = 3;

/** Of those who ever ran, so many that beat last. */
const LOOKED_AT = 50;
/** How long where the others are is not looked up again. */
const REACHED_MS = 1_000;

/** A server whose name is not here. */
interface Elsewhere {
  /** Its newest beat. */
  readonly at: number;
  /** For how many looks it has not beaten. */
  readonly silent: number;
  /** It has beaten while its name was missing here: it lives, and has its files elsewhere. */
  readonly isApart: boolean;
}

/**
 * Where the servers of one database keep artifacts and logs: in one directory, or each in its own that the others can
 * read, as on one machine. Each leaves a file with its name there, and says in its beat where that is; one that is alive
 * and whose name is found neither here nor there keeps its bytes where this one cannot read them.
 */
export class SharedFiles {
  readonly #host: Host;
  readonly #files: string;
  readonly #dir: string;
  readonly #instance: string;
  readonly #elsewhere = new Map<string, Elsewhere>();
  /** Once reached, it stays: whoever stops takes its name along, and leaves its lines. */
  readonly #reached = new Set<string>();
  #reaching: { readonly at: number; readonly dirs: Promise<readonly string[]> } | null = null;
  readonly #since: number;

  private constructor(host: Host, files: string, instance: string, since: number) {
    this.#host = host;
    this.#since = since;
    this.#files = files;
    this.#dir = join(files, 'servers');
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
    const since = await host.store.read((tx) => tx.now());
    const shared = new SharedFiles(host, files, instance, since);
    await shared.#sayWhere(null);
    return shared;
  }

  /** What is wrong, for whoever asks whether this server is ready. */
  get notes(): readonly string[] {
    const { length } = this.#apart;
    if (length === 0) return [];
    const count = length === 1 ? 'Another server' : `${length} other servers`;
    return [
      `${count} on this database cannot be seen in this one’s directory of files, nor can theirs be read from here: logs and artifacts taken in there are missing here. Give all of them one directory with --files.`,
    ];
  }

  /**
   * True: it found another state of things than before. A name that is missing here says nothing of itself: whoever has
   * just stopped took it along, and its last beat is still young. Nor does a beat that is late: after an outage of the
   * database everybody's is.
   */
  async look(): Promise<boolean> {
    const young = await this.#host.store.read(async (tx) =>
      tx.select('beats', { at: gt((await tx.now()) - LOOK_MS) }, { order: 'server' }),
    );
    const here = new Set(await readdir(this.#dir));
    await this.#sayWhere(young.find(({ server }) => server === this.#instance)?.files);
    // This one's own may have been removed with the directory.
    if (!here.has(this.#instance)) await writeFile(join(this.#dir, this.#instance), '').catch(() => {});
    const before = this.#apart.join();
    for (const row of young) if (await this.#reaches(row)) here.add(row.server);
    const others = new Map(young.map(({ server, at }) => [server, at]));
    others.delete(this.#instance);
    for (const server of here) others.delete(server);
    for (const [server, known] of this.#elsewhere) {
      const at = others.get(server) ?? known.at;
      const silent = at > known.at ? 0 : known.silent + 1;
      if (here.has(server) || silent >= GONE_AFTER) this.#elsewhere.delete(server);
      else this.#elsewhere.set(server, { at, silent, isApart: known.isApart || at > known.at });
      others.delete(server);
    }
    for (const [server, at] of others) this.#elsewhere.set(server, { at, silent: 0, isApart: false });
    return this.#apart.join() !== before;
  }

  /**
   * Bytes that another server took in, out of its own directory if that can be read from here. They are only read: who
   * keeps what, and so who collects it, stays as it is. Rejected: to keep one's own there as well. A server that is later
   * given another database would collect what the first one refers to.
   */
  async findElsewhere(digest: string): Promise<FoundArtifact | null> {
    const beats = await this.#host.store.read((tx) =>
      tx.select('beats', {}, { order: 'at', descending: true, limit: LOOKED_AT }),
    );
    const told = beats.flatMap((row) => (isReadable(row) && row.files !== null ? [row.files] : []));
    for (const files of new Set(told)) {
      if (files === this.#files) continue;
      const found = await readArtifact(join(files, 'artifacts'), digest).catch(() => null);
      if (found !== null) return found;
    }
    return null;
  }

  /**
   * The directories of other servers that can be read from here, of those that have beaten in this database since this
   * one began. Of others it cannot know: their directory may be another database's by now, or this database a copy of
   * theirs, and then their lines are not this one's (S13).
   */
  reached(): Promise<readonly string[]> {
    if (this.#reaching === null || performance.now() - this.#reaching.at > REACHED_MS) {
      const dirs = this.#reach();
      this.#reaching = { at: performance.now(), dirs };
      dirs.catch(() => {
        this.#reaching = null;
      });
    }
    return this.#reaching.dirs;
  }

  async #reach(): Promise<readonly string[]> {
    const beats = await this.#host.store.read((tx) =>
      tx.select('beats', { at: gt(this.#since) }, { order: 'server' }),
    );
    for (const row of beats)
      if (row.files !== null && row.files !== this.#files && (await this.#reaches(row)))
        this.#reached.add(row.files);
    return [...this.#reached];
  }

  /** Its name is where it says that it keeps its files, and that is to be seen from here. */
  async #reaches(row: BeatRow): Promise<boolean> {
    if (!isReadable(row) || row.files === null) return false;
    return (await stat(join(row.files, 'servers', row.server)).catch(() => null)) !== null;
  }

  async #sayWhere(said: string | null | undefined): Promise<void> {
    if (said === this.#files) return;
    const key = { server: this.#instance };
    await this.#host.store.transact((tx) => tx.update('beats', key, {}, { files: this.#files }));
  }

  get #apart(): readonly string[] {
    return [...this.#elsewhere].filter(([, { isApart }]) => isApart).map(([server]) => server);
  }

  close(): Promise<void> {
    return rm(join(this.#dir, this.#instance), { force: true });
  }
}
