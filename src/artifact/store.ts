import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { DIGEST } from '../contract/names.ts';
import { type FreeBytes, FreeSpace, freeBytes } from './free-space.ts';
import { asStorageError, DigestMismatch, TooLarge } from './storage-errors.ts';
import { verified } from './verified.ts';

export interface ArtifactLimits {
  readonly maxBytes: number;
  /** Uploads are refused while less free space is left. */
  readonly minFreeBytes: number;
  /** Other processes store bytes in the same directory, so files in `tmp/` may be theirs. */
  readonly shared?: boolean;
  /** Test seam: measures the free space. */
  readonly freeBytes?: FreeBytes;
}

const ARTIFACT_LIMITS: ArtifactLimits = { maxBytes: 2 * 1024 ** 3, minFreeBytes: 512 * 1024 ** 2 };

interface FoundArtifact {
  readonly size: number;
  /** The stream fails at its end if the bytes do not match the digest. */
  readonly bytes: Readable;
}

interface StoredArtifact {
  readonly digest: string;
  readonly size: number;
  readonly storedAt: number;
}

/**
 * Keeps bytes under their digest: `sha256/ab/<the other 62 digits>`.
 *
 * A name exists only with its whole content: bytes are hashed on their way into `tmp/`, made durable, then
 * renamed. A crash leaves either nothing or a file in `tmp/`, which the next open removes. Where several
 * processes share the directory, a file in `tmp/` is removed after nobody has written to it for longer than
 * any upload pauses.
 *
 * Storing bytes again replaces them by the same bytes. That heals damage and renews the file's date, which
 * keeps the collector away until the new reference is written.
 */
export class ArtifactStore {
  readonly #dir: string;
  readonly #limits: ArtifactLimits;
  /** The last operation under way for each digest: a replacement or a removal. */
  readonly #busy = new Map<string, Promise<unknown>>();

  /** Folders already made durable. Creating all 256 at open would cost most of a second on a slow disk. */
  readonly #shelves = new Set<string>();

  private constructor(dir: string, limits: ArtifactLimits) {
    this.#dir = dir;
    this.#limits = limits;
  }

  static async open(dir: string, changed: Partial<ArtifactLimits> = {}): Promise<ArtifactStore> {
    const limits = { ...ARTIFACT_LIMITS, ...changed };
    if (!limits.shared) await rm(join(dir, 'tmp'), { recursive: true, force: true });
    await mkdir(join(dir, 'tmp'), { recursive: true, mode: 0o700 });
    if (limits.shared) await removeAbandoned(join(dir, 'tmp'));
    await mkdir(join(dir, 'sha256'), { recursive: true, mode: 0o700 });
    await syncDirectory(dir);
    return new ArtifactStore(dir, limits);
  }

  /**
   * Reads all of `bytes` even if they are stored already: knowing a digest does not prove having the bytes.
   * An error thrown by `bytes` is thrown on, and nothing is kept.
   */
  async put(
    bytes: AsyncIterable<Uint8Array>,
    expected: string | null,
    maxBytes = this.#limits.maxBytes,
  ): Promise<{ digest: string; size: number; existed: boolean }> {
    if (expected !== null && !DIGEST.test(expected)) throw new TypeError('not a digest');
    const space = new FreeSpace(this.#dir, this.#limits.minFreeBytes, this.#limits.freeBytes ?? freeBytes);
    await space.check();
    const temporary = join(this.#dir, 'tmp', randomUUID());
    try {
      const { digest, size } = await this.#write(temporary, bytes, maxBytes, space);
      if (expected !== null && digest !== expected) throw new DigestMismatch(expected, digest);
      const existed = await this.#alone(digest, () => this.#moveIntoPlace(temporary, digest));
      return { digest, size, existed };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  get(digest: string): Promise<FoundArtifact | null> {
    return readArtifact(this.#dir, digest);
  }

  async has(digest: string): Promise<boolean> {
    const path = this.#path(digest);
    return path !== null && (await stat(path).catch(absent)) !== null;
  }

  /**
   * Without `before`, removes bytes of any age. With it, removes only bytes last stored before that instant:
   * between the collector's check of the references and this call the same bytes may have been stored again.
   */
  async remove(digest: string, before = Number.POSITIVE_INFINITY): Promise<boolean> {
    const path = this.#path(digest);
    if (path === null) return false;
    return this.#alone(digest, async () => {
      const found = await stat(path).catch(absent);
      if (found === null || found.mtimeMs >= before) return false;
      // Judges the file that was moved aside: another server of this directory may meanwhile have stored the
      // same bytes under the name.
      const aside = join(this.#dir, 'tmp', randomUUID());
      if ((await rename(path, aside).catch(absent)) === null) return false;
      const isYoung = (await stat(aside)).mtimeMs >= before;
      if (isYoung) await link(aside, path).catch(present);
      await rm(aside, { force: true });
      return !isYoung;
    });
  }

  /**
   * Lists bytes last stored before that instant, for the collector. Younger bytes may still wait for their
   * reference.
   */
  async *digests(before = Number.POSITIVE_INFINITY): AsyncGenerator<StoredArtifact> {
    const root = join(this.#dir, 'sha256');
    for (const shelf of (await readdir(root)).sort()) {
      for (const name of (await readdir(join(root, shelf))).sort()) {
        const digest = `sha256:${shelf}${name}`;
        if (!DIGEST.test(digest)) continue;
        const found = await stat(join(root, shelf, name)).catch(absent);
        if (found !== null && found.mtimeMs < before) {
          yield { digest, size: found.size, storedAt: found.mtimeMs };
        }
      }
    }
  }

  async #write(temporary: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number, space: FreeSpace) {
    const hash = createHash('sha256');
    let size = 0;
    const file = await writing(() => open(temporary, 'wx', 0o600));
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > maxBytes) throw new TooLarge(maxBytes);
        await space.beforeWriting(chunk.length);
        hash.update(chunk);
        await writing(() => writeWhole(file, chunk));
      }
      await writing(() => file.sync());
    } finally {
      await file.close();
    }
    return { digest: `sha256:${hash.digest('hex')}`, size };
  }

  async #moveIntoPlace(temporary: string, digest: string): Promise<boolean> {
    const path = this.#path(digest);
    if (path === null) throw new TypeError('not a digest');
    const existed = (await stat(path).catch(absent)) !== null;
    await writing(async () => {
      await this.#shelf(dirname(path));
      await rename(temporary, path);
      await syncDirectory(dirname(path));
    });
    return existed;
  }

  async #shelf(path: string): Promise<void> {
    if (this.#shelves.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    await syncDirectory(dirname(path));
    this.#shelves.add(path);
  }

  #path(digest: string): string | null {
    return pathIn(this.#dir, digest);
  }

  async #alone<T>(digest: string, act: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(digest);
    const mine = (before ?? Promise.resolve()).then(act, act);
    this.#busy.set(digest, mine);
    try {
      return await mine;
    } finally {
      if (this.#busy.get(digest) === mine) this.#busy.delete(digest);
    }
  }
}

/** Reads from a store's directory, also while another process writes there. */
async function readArtifact(dir: string, digest: string): Promise<FoundArtifact | null> {
  const path = pathIn(dir, digest);
  if (path === null) return null;
  const file = await open(path, 'r').catch(absent);
  if (file === null) return null;
  const { size } = await file.stat();
  return { size, bytes: verified(file, digest) };
}

/** Only a well-formed digest becomes a path (F100). */
function pathIn(dir: string, digest: string): string | null {
  if (!DIGEST.test(digest)) return null;
  const hex = digest.slice('sha256:'.length);
  return join(dir, 'sha256', hex.slice(0, 2), hex.slice(2));
}

/** `FileHandle.write` may write less than it was passed, on a disk that fills up. */
async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

async function writing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw asStorageError(error);
  }
}

/** A rename is durable only when its directory is. */
async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

function present(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** An upload writes more often than this, or its connection has been given up. */
const ABANDONED_MS = 3_600_000;

async function removeAbandoned(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const left = await stat(path).catch(absent);
    if (left !== null && left.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}
