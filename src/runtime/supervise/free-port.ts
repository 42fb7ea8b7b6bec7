import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { couldNotLook } from './could-not-look.ts';

/**
 * Both ranges lie below the ports that the kernel takes for outgoing connections (from 32768 on Linux): a port of those
 * may be taken between the check and the app's `listen`, and after a restart.
 */
const INSTANCES = { from: 20_000, count: 9_000 } as const;
const ROUTES = { from: 29_000, count: 3_500 } as const;

/** A port for an instance: nobody listens on it, and it is not in `taken`. */
export function freeInstancePort(inUse: ReadonlySet<number>): Promise<number> {
  return firstFree(INSTANCES, Math.floor(Math.random() * INSTANCES.count), inUse);
}

/** A service's own port at the router. It comes from the name, so that it is mostly the same on another machine. */
export function freeRoutePort(service: string, inUse: ReadonlySet<number>): Promise<number> {
  const start = createHash('sha256').update(service).digest().readUInt32BE(0) % ROUTES.count;
  return firstFree(ROUTES, start, inUse);
}

async function firstFree(
  { from, count }: { readonly from: number; readonly count: number },
  start: number,
  inUse: ReadonlySet<number>,
): Promise<number> {
  for (let step = 0; step < count; step += 1) {
    const port = from + ((start + step) % count);
    if (!inUse.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`all ports from ${from} to ${from + count - 1} are in use`);
}

/** True if nobody listens on it, on IPv4 or IPv6: an app may choose either. Rejects if nobody could look. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((done, fail) => {
    const server = createServer();
    // Nobody could look (F122): otherwise every port would seem to be taken.
    server.once('error', (error) => (couldNotLook(error) ? fail(error) : done(false)));
    server.listen({ port, exclusive: true }, () => server.close(() => done(true)));
  });
}
