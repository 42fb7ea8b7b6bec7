import { mkdir, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar/fs';
import { checked } from './source-archive.ts';
import { SOURCE_LIMITS, type SourceLimits } from './source-rules.ts';

/** An artifact is larger than its source, and contains links: the programs of packages are links. */
const ARTIFACT_TAR_LIMITS: SourceLimits = {
  ...SOURCE_LIMITS,
  maxEntries: 500_000,
  maxBytes: 2 * 1024 ** 3,
  maxUnpackedBytes: 8 * 1024 ** 3,
  maxFileBytes: 2 * 1024 ** 3,
};

/**
 * Unpacks an artifact into a directory that does not exist yet. Each byte passes our rules before it is
 * unpacked (F93 to F98). Links may point inside the artifact; our rules judge where they lead, and modern-tar
 * judges it again where they are created. A refused artifact leaves nothing behind.
 */
export async function unpackArtifact(
  bytes: AsyncIterable<Uint8Array>,
  dir: string,
  signal: AbortSignal,
  limits: SourceLimits = ARTIFACT_TAR_LIMITS,
): Promise<void> {
  await mkdir(dir, { mode: 0o700 });
  try {
    const { first, all } = await withFirst(checked(bytes, limits));
    const isGzip = first[0] === 0x1f && first[1] === 0x8b;
    const from = Readable.from(all, { objectMode: false });
    const files = unpackTar(dir, {
      map: (header) => ({
        ...header,
        mode: header.type === 'directory' || (header.mode ?? 0) & 0o111 ? 0o755 : 0o644,
      }),
    });
    if (isGzip) await pipeline(from, createGunzip(), files, { signal });
    else await pipeline(from, files, { signal });
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

async function withFirst(bytes: AsyncGenerator<Uint8Array>) {
  const { value, done } = await bytes.next();
  const first: Uint8Array = done ? new Uint8Array() : value;
  async function* all() {
    yield first;
    yield* bytes;
  }
  return { first, all: all() };
}
