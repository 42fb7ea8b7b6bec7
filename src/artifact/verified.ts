import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, type Readable, Transform } from 'node:stream';
import { DigestMismatch } from './storage-errors.ts';

/**
 * A file's bytes, hashed once more on their way out (F99). The newest chunk is held back until the next one came,
 * so that a reader never gets the whole of what turns out to be something else: it sees an error, and too little.
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
  // The reader learns of an error from the stream it holds; the callback only keeps it from being thrown here too.
  pipeline(file.createReadStream(), check, () => {});
  return check;
}
