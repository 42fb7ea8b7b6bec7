import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, type Readable, Transform } from 'node:stream';
import { DigestMismatch } from './storage-errors.ts';

/**
 * Streams a file and hashes it on its way out (F99). The newest chunk is held back until the next one was
 * read, so a reader never gets all bytes of a damaged file: it gets an error, and too few bytes.
 */
export function verified(file: FileHandle, digest: string): Readable {
  const hash = createHash('sha256');
  let held: Buffer | null = null;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      const ready = held;
      held = chunk;
      if (ready === null) done();
      else done(null, ready);
    },
    flush(done) {
      const actual = `sha256:${hash.digest('hex')}`;
      if (actual !== digest) done(new DigestMismatch(digest, actual));
      else if (held === null) done();
      else done(null, held);
    },
  });
  // The reader learns of an error from the stream it holds. The callback only keeps the error from being
  // thrown here too.
  pipeline(file.createReadStream(), check, () => {});
  return check;
}
