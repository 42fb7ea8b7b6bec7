import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { packTar } from 'modern-tar/fs';
import type { Folder } from './folder.ts';

interface SourceArchive {
  readonly digest: string;
  readonly size: number;
  bytes(): AsyncIterable<Uint8Array>;
  remove(): Promise<void>;
}

const EPOCH = new Date(0);

/**
 * Packs a folder as tar.gz. The same files give the same bytes: no dates, no owners, one order. The archive
 * stays in a file of its own until it is sent, because a request repeated under one key must send the same
 * bytes (S7), even if the folder changes meanwhile.
 */
export async function pack(
  folder: Folder,
  onBytes: (packed: number) => void,
  signal: AbortSignal,
): Promise<SourceArchive> {
  const dir = await mkdtemp(join(tmpdir(), 'evident-deploy-'));
  const path = join(dir, 'source.tar.gz');
  const remove = () => rm(dir, { recursive: true, force: true });
  const hash = createHash('sha256');
  let size = 0;
  let read = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      read += chunk.length;
      onBytes(read);
      done(null, chunk);
    },
  });
  const hashed = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    const entries = folder.files.map(({ path: target, source, executable }) => ({
      type: 'file' as const,
      source,
      target,
      mtime: EPOCH,
      uid: 0,
      gid: 0,
      uname: '',
      gname: '',
      mode: executable ? 0o755 : 0o644,
    }));
    const out = createWriteStream(path, { mode: 0o600 });
    await pipeline(packTar(entries), counted, createGzip(), hashed, out, { signal });
  } catch (error) {
    await remove();
    throw error;
  }
  return { digest: `sha256:${hash.digest('hex')}`, size, bytes: () => createReadStream(path), remove };
}
