import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { APP_ROWS } from '../apps.ts';
import { IdleConnections } from '../fleet/idle-connections.ts';
import { signalApp, victimOf } from './apps.ts';
import { always, during, type FaultContext, type SoakFault } from './fault.ts';
import { listInNumbers } from './viewer.ts';

/** An app that lets go of its port needs a moment for it. */
const BIND_MS = 5_000;
const BIND_AGAIN_MS = 20;
/** Longer than a claim may lag behind what only a probe can tell, and we behind the claim. */
const SEEN_MS = 24_000;
/** More than the router and a server may have open together, where 20,000 descriptors are allowed. */
const IDLE_CONNECTIONS = 8_000;

/** Listens in place of another, as soon as that lets go; null: it did not. */
async function bound(
  port: number,
  host: string,
  wait: (ms: number) => Promise<void>,
): Promise<Server | null> {
  for (let ms = 0; ms < BIND_MS; ms += BIND_AGAIN_MS) {
    const server = createServer((_, response) => response.end('somebody else'));
    const isBound = await new Promise<boolean>((done) => {
      server.once('error', () => done(false));
      server.listen({ port, host, ipv6Only: host === '::1' }, () => done(true));
    });
    if (isBound) return server.on('error', () => {});
    await wait(BIND_AGAIN_MS);
  }
  return null;
}

/** The app lets go of its port and lives on, and somebody else takes it; or somebody listens beside it on IPv6 (F118). */
async function foreignListener(context: FaultContext): Promise<void> {
  const isBeside = context.rng.chance(0.25);
  const victim = victimOf(context, ['good']);
  if (victim === null || victim.port === null) return;
  if (!isBeside) signalApp(victim, 'SIGUSR2');
  const server = await bound(victim.port, isBeside ? '::1' : '127.0.0.1', context.wait);
  await during(
    { ...context, lastsMs: Math.max(SEEN_MS, context.lastsMs) },
    () => {},
    async () => {
      if (server === null) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  );
}

async function idleConnections(context: FaultContext): Promise<void> {
  const { fleet, rng } = context;
  const isRouter = rng.chance(0.5);
  const port = isRouter ? fleet.routerPort : Number(new URL(rng.pick(fleet.servers).client.server).port);
  const idle = IdleConnections.start(port, IDLE_CONNECTIONS);
  await during(
    context,
    () => {},
    () => idle.end(),
  );
}

/** A service requests the host name of another for a while (F119). */
async function stolenHost({ services, actions, wait, lastsMs }: FaultContext): Promise<void> {
  const thief = services.find(({ kind }) => kind === 'thief');
  if (thief === undefined) return;
  await actions.request(thief, 'deploy');
  try {
    await wait(Math.max(SEEN_MS, lastsMs));
  } finally {
    await actions.request(thief, 'teardown');
  }
}

/** Others on the same machine, and others with a token. */
export const STRANGER_FAULTS: readonly SoakFault[] = [
  { name: 'foreign listener on the port of an app', unavailable: always, run: foreignListener },
  { name: 'thousands of idle connections', unavailable: always, run: idleConnections },
  { name: APP_ROWS.thief ?? '', unavailable: always, run: stolenHost },
  { name: 'viewer of another org lists in numbers', unavailable: always, run: listInNumbers },
];
