import { createServer, type Server } from 'node:net';

/** Errors that mean that this machine has no such address, so that nobody else can have it either. */
const NO_ADDRESS: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

type SecondLoopback =
  | { readonly kind: 'open'; readonly server: Server }
  | { readonly kind: 'no_such_address' }
  | { readonly kind: 'taken' };

/** True if a listener at this host is reached as `localhost`, though only at one of the two loopback addresses. */
export const hasSecondLoopback = (host: string) => host === '127.0.0.1' || host === '0.0.0.0';

/** A listener that hands each of its connections to another one, which serves it as its own. */
export function secondOf(first: Server): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (socket) => first.emit('connection', socket));
}

/**
 * Listens at the same port of ::1 for a listener of 127.0.0.1. Browsers try ::1 first for `localhost` and for
 * `NAME.localhost`: another process that listened there would get requests that are ours (F127).
 */
export async function openSecondLoopback(first: Server, port: number): Promise<SecondLoopback> {
  const server = secondOf(first);
  const code = await new Promise<string | undefined>((done) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => done(code ?? 'unknown'));
    server.listen({ host: '::1', port, ipv6Only: true }, () => done(undefined));
  });
  if (code !== undefined) return NO_ADDRESS.has(code) ? { kind: 'no_such_address' } : { kind: 'taken' };
  // A connection that could not be accepted is one connection lost.
  server.on('error', () => {});
  return { kind: 'open', server };
}
