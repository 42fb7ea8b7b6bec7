import { Gunzipped } from './gunzipped.ts';
import { SOURCE_LIMITS, type SourceLimits, SourceRules } from './source-rules.ts';
import type { ArtifactStore } from './store.ts';
import { TarReader } from './tar-reader.ts';

/**
 * Stores a source as it arrives, and checks on the way that it is a tar or tar.gz fit to build from. Every
 * defect is thrown inside the stream, so the store keeps nothing of it (F93 to F98).
 */
export async function storeSource(
  store: ArtifactStore,
  bytes: AsyncIterable<Uint8Array>,
  limits: SourceLimits = SOURCE_LIMITS,
): Promise<{ digest: string; size: number }> {
  const { digest, size } = await store.put(checked(bytes, limits), null, limits.maxBytes);
  return { digest, size };
}

/** Passes the bytes on, and ends in a `SourceRejected` if nothing may be built from them. */
export async function* checked(
  bytes: AsyncIterable<Uint8Array>,
  limits: SourceLimits = SOURCE_LIMITS,
): AsyncGenerator<Uint8Array> {
  const rules = new SourceRules(limits);
  const reader = new TarReader((entry) => rules.take(entry));
  let packed = 0;
  let unpacked = 0;
  const read = (piece: Uint8Array) => {
    unpacked += piece.length;
    rules.weigh(packed, unpacked);
    reader.push(piece);
  };
  let gunzipped: Gunzipped | null = null;
  try {
    for await (const chunk of withWholeStart(bytes)) {
      if (packed === 0 && chunk[0] === 0x1f && chunk[1] === 0x8b) gunzipped = new Gunzipped(read);
      packed += chunk.length;
      if (gunzipped === null) read(chunk);
      else await gunzipped.write(chunk);
      yield chunk;
    }
    await gunzipped?.end();
    reader.end();
    rules.finish();
  } finally {
    gunzipped?.destroy();
  }
}

/** Passes the bytes on in chunks that are not empty, the first one long enough to recognise the format. */
async function* withWholeStart(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | null = new Uint8Array();
  for await (const chunk of bytes) {
    if (start === null) {
      if (chunk.length > 0) yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < 2) continue;
    yield start;
    start = null;
  }
  if (start !== null && start.length > 0) yield start;
}
