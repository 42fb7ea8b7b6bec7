import { createHash } from 'node:crypto';
import type { Idempotency } from '../../intent/acted.ts';
import { canonicalJson } from '../../store/canonical.ts';
import { Refused } from './problems.ts';
import type { Call } from './route.ts';

/** The form of a key: printable ASCII, and no quotation mark. */
export const isKey = (text: string) => /^[\x20\x21\x23-\x7e]{1,255}$/.test(text);

/** Marks a response as the repetition of an earlier one. */
export const REPLAYED = { 'idempotency-replayed': 'true' } as const;

/**
 * Reads the idempotency key of a request and its fingerprint. Two requests are the same if method, path
 * (after decoding), canonical JSON and the digest of the source are equal. The multipart boundary does not
 * count: every sender chooses a new one.
 */
export function idempotencyOf(
  { request, token }: Pick<Call<unknown, unknown>, 'request' | 'token'>,
  body: unknown,
  source: string | null = null,
): Idempotency | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  const key = String(header).replace(/^"|"$/g, '');
  if (!isKey(key))
    throw new Refused(
      'invalid_request',
      'An Idempotency-Key has 1 to 255 printable characters of ASCII, and no quotation mark in it.',
      { errors: ['Idempotency-Key: empty, too long, or with a character that is not taken'] },
    );
  const [path = '', ...query] = request.url.split('?');
  const url = [decodeURIComponent(path), ...query].join('?');
  const content = canonicalJson([request.method, url, body ?? {}, source]);
  // The key belongs to this token: another token of the same name has keys of its own.
  return { key: `${token.id} ${key}`, fingerprint: createHash('sha256').update(content).digest('hex') };
}
