import { request } from 'node:http';
import { APP_ROWS, type AppKind, YES_MS } from '../apps.ts';
import type { AppProcess } from '../truth/processes.ts';
import { always, during, type FaultContext, type SoakFault } from './fault.ts';

/** A process of a service of one of these kinds, if one runs. The service is the seed's choice, whatever runs. */
export function victimOf(
  { truth, rng, services }: FaultContext,
  kinds: readonly AppKind[],
): AppProcess | null {
  const names = services.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name);
  const running = truth.processes().filter(({ isRunnable }) => isRunnable);
  for (const start = rng.int(0, 999); names.length > 0; ) {
    const [name] = names.splice(start % names.length, 1);
    const own = running.filter(({ service }) => service === name);
    const found = own[start % Math.max(1, own.length)];
    if (found !== undefined) return found;
  }
  return null;
}

/** It may have ended since it was looked up. */
export function signalApp(victim: AppProcess | null, name: NodeJS.Signals): void {
  try {
    if (victim !== null) process.kill(victim.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function stoppedApp(context: FaultContext, kinds: readonly AppKind[]): Promise<void> {
  const victim = victimOf(context, kinds);
  await during(
    context,
    () => signalApp(victim, 'SIGSTOP'),
    () => signalApp(victim, 'SIGCONT'),
  );
}

/** As a browser asks: nothing but its own request may suffer. */
function visit(port: number, host: string, path: string): Promise<void> {
  return new Promise((done) => {
    const asked = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false, timeout: 2_000 });
    asked.on('response', (response) => response.resume().on('close', done));
    asked.on('timeout', () => asked.destroy()).on('error', () => done());
    asked.end();
  });
}

/** Signals to apps, and requests that make the nasty ones nasty. */
export const APP_FAULTS: readonly SoakFault[] = [
  {
    name: 'SIGKILL of an app',
    unavailable: always,
    run: async (context) => {
      signalApp(victimOf(context, ['good', 'idle']), 'SIGKILL');
      await context.wait(context.lastsMs);
    },
  },
  { name: 'SIGSTOP of an app', unavailable: always, run: (c) => stoppedApp(c, ['good', 'idle']) },
  { name: APP_ROWS.hung ?? '', unavailable: always, run: (c) => stoppedApp(c, ['hung']) },
  {
    name: APP_ROWS.odd ?? '',
    unavailable: always,
    run: async ({ fleet: { routerPort }, wait }) => {
      for (let n = 0; n < 10; n++) {
        await visit(routerPort, 'odd.localhost', n % 2 === 0 ? '/odd' : '/control');
        await visit(routerPort, 'garbled.localhost', '/');
        await wait(200);
      }
    },
  },
  {
    name: APP_ROWS.daemon ?? '',
    unavailable: always,
    run: async ({ services, actions, wait, lastsMs }) => {
      const daemon = services.find(({ kind }) => kind === 'daemon');
      if (daemon === undefined) return;
      await actions.request(daemon, 'teardown');
      await wait(lastsMs);
      await actions.request(daemon, 'deploy');
    },
  },
  {
    name: 'app writes as fast as it can (yes)',
    unavailable: always,
    run: async (context) => {
      signalApp(victimOf(context, ['flood']), 'SIGUSR2');
      await context.wait(YES_MS);
    },
  },
];
