import { etagOfText } from './etag.ts';
import type { Reply } from './route.ts';

/**
 * A reply that is the same for everybody while the server runs. It is built at the first request and cached:
 * a public route must cost no more than sending its reply, on the one thread that also renews leases (F49).
 */
export function constantReply(headers: Readonly<Record<string, string>>, textOf: () => string): () => Reply {
  let reply: Reply | null = null;
  const build = (): Reply => {
    const text = textOf();
    return { body: Buffer.from(text), headers, etag: etagOfText(text) };
  };
  return () => {
    reply ??= build();
    return reply;
  };
}
