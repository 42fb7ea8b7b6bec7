import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that the kernel takes for outgoing connections (from 32768 on Linux) and below those that agents
 * give to their apps: whoever ends and listens again must find its port free.
 *
 * Rejected: port 0. It gives a port that any connection may have while a killed program is away.
 */
const PORTS = { from: 10_000, to: 20_000 } as const;
const TRIES = 100;

/** A port of loopback on which nobody listens now. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isUnused(port)) return port;
  }
  throw new Error(`no port from ${PORTS.from} to ${PORTS.to} is free`);
}

function isUnused(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
