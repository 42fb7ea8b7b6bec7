import { randomUUID } from 'node:crypto';
import type { Git, Spec } from '../../contract/intent.ts';

/**
 * Streams a deployment as multipart. The spec goes first, so that a mistake in it is answered before the
 * upload.
 */
export function deploymentForm(
  spec: Spec & { readonly git?: Git },
  source: AsyncIterable<Uint8Array>,
  onBytes: (sent: number) => void,
): { readonly type: string; readonly bytes: AsyncIterable<Uint8Array> } {
  const boundary = `evident-${randomUUID()}`;
  const part = (head: string) => Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield part('Content-Disposition: form-data; name="spec"\r\nContent-Type: application/json');
    yield Buffer.from(`${JSON.stringify(spec)}\r\n`);
    yield part(
      'Content-Disposition: form-data; name="source"; filename="source.tar.gz"\r\nContent-Type: application/gzip',
    );
    let sent = 0;
    for await (const chunk of source) {
      yield chunk;
      sent += chunk.length;
      onBytes(sent);
    }
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  return { type: `multipart/form-data; boundary=${boundary}`, bytes: bytes() };
}
