import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unpackArtifact } from '../../artifact/unpack-artifact.ts';
import { DIGEST } from '../../contract/names.ts';
import type { FetchArtifact } from '../port.ts';
import { type FileOwner, give, type Isolation, passage } from './isolation.ts';

/**
 * Artifacts as directories, one per digest. Each is unpacked once under a temporary name, then renamed: under its own
 * name it is always whole. All instances of a digest share its directory; where services are kept from each other,
 * those of one service do.
 */
export class Unpacked {
  readonly #dir: string;
  readonly #fetch: FetchArtifact;
  readonly #busy = new Map<string, Promise<void>>();
  #collecting: Promise<void> = Promise.resolve();

  constructor(dir: string, fetch: FetchArtifact) {
    this.#dir = dir;
    this.#fetch = fetch;
  }

  async open(isolation: Isolation['kind']): Promise<void> {
    if (isolation === 'users') passage(this.#dir);
    else await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#dir))
      if (name.startsWith('tmp-')) await rm(join(this.#dir, name), { recursive: true, force: true });
  }

  path(digest: string, owner: FileOwner | null = null): string {
    // Only a digest becomes a path (F100).
    if (!DIGEST.test(digest)) throw new TypeError('not a digest');
    return join(this.#dir, ...folderOf(owner), digest.slice('sha256:'.length));
  }

  /** Waits for another call that unpacks the same digest, and unpacks it itself if that call was aborted. */
  async ensure(digest: string, signal: AbortSignal, owner: FileOwner | null = null): Promise<void> {
    const path = this.path(digest, owner);
    for (;;) {
      const other = this.#busy.get(path);
      if (other === undefined) break;
      await other.catch(() => {});
      signal.throwIfAborted();
    }
    const mine = this.#unpack(digest, signal, owner);
    this.#busy.set(path, mine);
    try {
      await mine;
    } finally {
      this.#busy.delete(path);
    }
  }

  /** Removes artifacts that are not needed at the moment at which each is checked. One collection runs at a time. */
  collect(needed: () => ReadonlySet<string>): Promise<void> {
    const mine = this.#collecting.then(() => this.#collect(needed));
    this.#collecting = mine.catch(() => {});
    return mine;
  }

  async #collect(needed: () => ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#dir);
    for (const name of names.filter((one) => OWN_FOLDER.test(one)))
      for (const inside of await readdir(join(this.#dir, name))) names.push(join(name, inside));
    for (const name of names) {
      const digest = `sha256:${basename(name)}`;
      const path = join(this.#dir, name);
      if (!DIGEST.test(digest) || needed().has(digest) || this.#busy.has(path)) continue;
      // Renamed first: a directory that is half removed must never be taken for a whole one.
      const leaving = join(this.#dir, `tmp-${randomUUID()}`);
      await rename(path, leaving);
      await rm(leaving, { recursive: true, force: true });
    }
  }

  async #unpack(digest: string, signal: AbortSignal, owner: FileOwner | null): Promise<void> {
    const path = this.path(digest, owner);
    if ((await stat(path).catch(() => null)) !== null) return;
    const temporary = join(this.#dir, `tmp-${randomUUID()}`);
    await unpackArtifact(await this.#fetch(digest, signal), temporary, signal);
    signal.throwIfAborted();
    if (owner?.user) {
      await chmod(temporary, 0o700);
      await give(temporary, owner.user);
      passage(dirname(path));
    } else await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rename(temporary, path);
  }
}

const OWN_FOLDER = /^(?:user|service)-/;
const folderOf = (owner: FileOwner | null) => (owner === null ? [] : [owner.folder]);
