import { etagOfText } from './etag.ts';
import type { Reply } from './route.ts';

/**
 * An answer that is the same for everybody for as long as the server runs. It is worked out for the first who asks and
 * never again: what anybody may ask for without a token must cost no more than sending it, on the one thread that also
 * renews leases (F49).
 */
export function constantReply(headers: Readonly<Record<string, string>>, make: () => string): () => Reply {
  let kept: Reply | null = null;
  const made = (): Reply => {
    const text = make();
    return { body: Buffer.from(text), headers, etag: etagOfText(text) };
  };
  return () => {
    kept ??= made();
    return kept;
  };
}
