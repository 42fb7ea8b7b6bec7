import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export const newWebhookSecret = () => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * The headers of Standard Webhooks 1.0. With a former secret there are two signatures, and the receiver takes either.
 * Rejected: the package `standardwebhooks`, which hashes in JavaScript what Node hashes in one call; the tests check by it.
 */
export function signed(id: string, at: number, body: string, secrets: readonly string[]) {
  const timestamp = String(Math.floor(at / 1_000));
  const signature = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature.join(' ') };
}
