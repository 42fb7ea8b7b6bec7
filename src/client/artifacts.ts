import { createHash } from 'node:crypto';
import { type Client, ProblemAnswer } from './client.ts';
import { type OutageLog, persist } from './persist.ts';

export class WrongBytes extends Error {
  override readonly name = 'WrongBytes';
}

/**
 * Streams the bytes of a digest and hashes them on the way. Other bytes end in an error, never in a shorter
 * or another file (F99).
 */
export async function* getArtifact(
  client: Client,
  digest: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of await client.download(pathOf(digest), { signal, timeoutMs: 30_000 })) {
    hash.update(chunk);
    yield chunk;
  }
  const actual = `sha256:${hash.digest('hex')}`;
  if (actual !== digest) throw new WrongBytes(`the server sent ${actual} for ${digest}`);
}

/** Returns whether the server holds these bytes for this org now. */
export async function hasArtifact(client: Client, digest: string, signal: AbortSignal): Promise<boolean> {
  try {
    (await client.download(pathOf(digest), { signal, timeoutMs: 30_000 })).destroy();
    return true;
  } catch (error) {
    if (error instanceof ProblemAnswer && (error.status === 404 || error.code === 'unavailable'))
      return false;
    throw error;
  }
}

/**
 * Stores bytes under their digest, and repeats the upload until the server has them or refuses them.
 * Repeating is safe: the same bytes go under the same name. `open` starts reading from the first byte.
 */
export async function putArtifact(
  client: Client,
  digest: string,
  open: () => AsyncIterable<Uint8Array>,
  options: { readonly signal: AbortSignal; readonly outages?: OutageLog },
): Promise<void> {
  await persist(
    (signal) => client.upload('PUT', pathOf(digest), open(), { signal }),
    options.signal,
    options.outages,
  );
}

const pathOf = (digest: string) => `/v1/artifacts/${encodeURIComponent(digest)}`;
