import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar/fs';
import { checked } from './source-archive.ts';
import { SOURCE_LIMITS, type SourceLimits } from './source-rules.ts';

/**
 * Unpacks a source into a directory that does not exist yet. Each byte passes our rules before it is unpacked
 * (F93 to F98), although the server checked them when it stored the source: the bytes have passed through
 * another machine since. A refused source leaves a part behind; the caller removes the directory.
 */
export async function unpackSource(
  archive: string,
  dir: string,
  signal: AbortSignal,
  limits: SourceLimits = SOURCE_LIMITS,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  const bytes = Readable.from(checked(createReadStream(archive), limits), { objectMode: false });
  const files = unpackTar(dir, {
    map: (header) => ({
      ...header,
      mode: header.type === 'directory' || (header.mode ?? 0) & 0o111 ? 0o755 : 0o644,
    }),
  });
  if (await isGzip(archive)) await pipeline(bytes, createGunzip(), files, { signal });
  else await pipeline(bytes, files, { signal });
}

async function isGzip(archive: string): Promise<boolean> {
  const file = await open(archive);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}
