import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackArtifact } from '../../artifact/unpack-artifact.ts';
import { DIGEST } from '../../contract/names.ts';
import type { FetchArtifact } from '../port.ts';

/**
 * Artifacts as directories, one per digest. Each is unpacked once under a temporary name, then renamed: under its own
 * name it is always whole. All instances of a digest share its directory.
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

  async open(): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#dir))
      if (name.startsWith('tmp-')) await rm(join(this.#dir, name), { recursive: true, force: true });
  }

  path(digest: string): string {
    // Only a digest becomes a path (F100).
    if (!DIGEST.test(digest)) throw new TypeError('not a digest');
    return join(this.#dir, digest.slice('sha256:'.length));
  }

  /** Waits for another call that unpacks the same digest, and unpacks it itself if that call was aborted. */
  async ensure(digest: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const other = this.#busy.get(digest);
      if (other === undefined) break;
      await other.catch(() => {});
      signal.throwIfAborted();
    }
    const mine = this.#unpack(digest, signal);
    this.#busy.set(digest, mine);
    try {
      await mine;
    } finally {
      this.#busy.delete(digest);
    }
  }

  /** Removes artifacts that are not needed at the moment at which each is checked. One collection runs at a time. */
  collect(needed: () => ReadonlySet<string>): Promise<void> {
    const mine = this.#collecting.then(() => this.#collect(needed));
    this.#collecting = mine.catch(() => {});
    return mine;
  }

  async #collect(needed: () => ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(this.#dir)) {
      const digest = `sha256:${name}`;
      if (!DIGEST.test(digest) || needed().has(digest) || this.#busy.has(digest)) continue;
      // Renamed first: a directory that is half removed must never be taken for a whole one.
      const leaving = join(this.#dir, `tmp-${randomUUID()}`);
      await rename(join(this.#dir, name), leaving);
      await rm(leaving, { recursive: true, force: true });
    }
  }

  async #unpack(digest: string, signal: AbortSignal): Promise<void> {
    const path = this.path(digest);
    if ((await stat(path).catch(() => null)) !== null) return;
    const temporary = join(this.#dir, `tmp-${randomUUID()}`);
    await unpackArtifact(await this.#fetch(digest, signal), temporary, signal);
    signal.throwIfAborted();
    await rename(temporary, path);
  }
}
