import type { Call } from './route.ts';

/** Aborts when the client closes its connection before it has the answer. */
export function clientLeft({ reply }: Pick<Call<unknown, unknown>, 'reply'>): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  else reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
