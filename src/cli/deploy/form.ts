import { randomUUID } from 'node:crypto';
import type { Git } from '../../contract/intent.ts';
import type { ConfigurationChange } from '../../contract/spec-fields.ts';

/**
 * Streams a deployment as multipart. The spec goes first, so that a mistake in it is answered before the
 * upload.
 */
export function deploymentForm(
  { spec = {}, declared }: ConfigurationChange,
  git: Git | null,
  source: AsyncIterable<Uint8Array>,
  onBytes: (sent: number) => void,
): { readonly type: string; readonly bytes: AsyncIterable<Uint8Array> } {
  const boundary = `evident-${randomUUID()}`;
  const part = (head: string) => Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`);
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield part('Content-Disposition: form-data; name="spec"\r\nContent-Type: application/json');
    yield Buffer.from(`${JSON.stringify({ ...spec, ...(git && { git }) })}\r\n`);
    if (declared !== undefined) {
      yield part('Content-Disposition: form-data; name="declared"\r\nContent-Type: application/json');
      yield Buffer.from(`${JSON.stringify(declared)}\r\n`);
    }
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
