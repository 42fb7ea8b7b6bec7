import { Refused } from './problems.ts';
import type { Call } from './route.ts';

/** The refusal that nobody reads any more: whoever asked has closed the connection. */
export class ClientLeft extends Refused {}

/** Aborts when the client closes its connection before it has the answer. */
export function clientLeft({ reply }: Pick<Call<unknown, unknown>, 'reply'>): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  else reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
