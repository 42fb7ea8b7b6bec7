import { request } from 'node:http';
import type { Rng } from '../lab/rng.ts';
import type { Actions } from './actions.ts';
import { APP_ROWS, type SoakService } from './apps.ts';
import type { SoakFleet } from './fleet/fleet.ts';
import type { FleetPart } from './fleet/part.ts';
import type { LinkMode } from './fleet/proxy.ts';
import type { GroundTruth } from './truth/ground-truth.ts';

export interface FaultContext {
  readonly fleet: SoakFleet;
  readonly truth: GroundTruth;
  readonly rng: Rng;
  readonly services: readonly SoakService[];
  readonly actions: Actions;
  /** Shorter when the run is interrupted. */
  wait(ms: number): Promise<void>;
  /** For how long a fault lasts: at times a moment, at times longer than any claim may lag. */
  lastsMs(): number;
}

export interface SoakFault {
  readonly name: string;
  /** Null: it can be done here; else why not. */
  unavailable(fleet: SoakFleet): string | null;
  run(context: FaultContext): Promise<void>;
}

const always = () => null;
const READY_MS = 30_000;
const POLL_MS = 100;

/** Whatever interrupts it, what was done is undone. */
async function during({ wait, lastsMs }: FaultContext, act: () => void, undo: () => void): Promise<void> {
  act();
  try {
    await wait(lastsMs());
  } finally {
    undo();
  }
}

async function killed({ wait, rng }: FaultContext, ...parts: readonly FleetPart[]): Promise<void> {
  for (const part of parts) part.kill(rng.int(200, 3_000));
  await wait(POLL_MS);
  for (let ms = 0; ms < READY_MS && !parts.every(({ isReady }) => isReady); ms += POLL_MS)
    await wait(POLL_MS);
}

const frozen = (context: FaultContext, part: FleetPart) =>
  during(
    context,
    () => part.freeze(),
    () => part.thaw(),
  );

const partFaults = (name: string, of: (context: FaultContext) => FleetPart): SoakFault[] => [
  { name: `SIGKILL of ${name}`, unavailable: always, run: (context) => killed(context, of(context)) },
  { name: `SIGSTOP of ${name}`, unavailable: always, run: (context) => frozen(context, of(context)) },
];

const linkFault = (name: string, mode: (rng: Rng) => LinkMode): SoakFault => ({
  name,
  unavailable: always,
  run: (context) => {
    const { fleet, rng } = context;
    const link = rng.chance(0.75) ? fleet.links.agent : fleet.links.worker;
    const chosen = mode(rng);
    return during(
      context,
      () => link.set(chosen),
      () => link.set({ kind: 'pass' }),
    );
  },
});

/** A process of one of these kinds, if one runs. */
function victimOf({ truth, rng, services }: FaultContext, kinds: readonly string[]): number | null {
  const names = new Set(services.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name));
  const found = truth.processes().filter(({ service, isRunnable }) => names.has(service) && isRunnable);
  return found.length === 0 ? null : rng.pick(found).pid;
}

/** It may have ended since it was looked up. */
function signal(pid: number | null, name: NodeJS.Signals): void {
  try {
    if (pid !== null) process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function stoppedApp(context: FaultContext, kinds: readonly string[]): Promise<void> {
  const pid = victimOf(context, kinds);
  await during(
    context,
    () => signal(pid, 'SIGSTOP'),
    () => signal(pid, 'SIGCONT'),
  );
}

const noDatabase = ({ database }: SoakFleet) =>
  database === null ? 'SQLite is no process of its own; --store postgres has one' : null;

async function killDatabase({ fleet: { database }, wait, rng }: FaultContext): Promise<void> {
  await database?.kill();
  await wait(rng.int(200, 8_000));
  await database?.go();
}

const clockFault = (name: string, direction: 1 | -1): SoakFault => ({
  name,
  unavailable: always,
  run: async ({ fleet, rng, wait }) => {
    const { clock } = rng.pick(fleet.servers);
    clock.step(direction * rng.pick([2_000, 20_000, 120_000]));
    await wait(rng.int(2_000, 10_000));
  },
});

/** As a browser asks: nothing but its own request may suffer. */
function visit(port: number, host: string, path: string): Promise<void> {
  return new Promise((done) => {
    const asked = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false, timeout: 2_000 });
    asked.on('response', (response) => response.resume().on('close', done));
    asked.on('timeout', () => asked.destroy()).on('error', () => done());
    asked.end();
  });
}

export const SOAK_FAULTS: readonly SoakFault[] = [
  ...partFaults('a server', ({ fleet, rng }) => rng.pick(fleet.servers).part),
  ...partFaults('the agent', ({ fleet }) => fleet.agent),
  ...partFaults('the worker', ({ fleet }) => fleet.worker),
  {
    name: 'SIGKILL of servers, agent and worker at once',
    unavailable: always,
    run: (context) => {
      const { servers, agent, worker } = context.fleet;
      return killed(context, ...servers.map(({ part }) => part), agent, worker);
    },
  },
  {
    name: 'SIGKILL of an app',
    unavailable: always,
    run: async (context) => {
      signal(victimOf(context, ['good', 'idle']), 'SIGKILL');
      await context.wait(context.lastsMs());
    },
  },
  { name: 'SIGSTOP of an app', unavailable: always, run: (c) => stoppedApp(c, ['good', 'idle']) },
  { name: APP_ROWS.hung ?? '', unavailable: always, run: (c) => stoppedApp(c, ['hung']) },
  linkFault('link drops every connection', () => ({ kind: 'drop' })),
  linkFault('link delays every byte', (rng) => ({ kind: 'delay', ms: rng.int(50, 1_500) })),
  linkFault('link is a black hole', () => ({ kind: 'black_hole' })),
  {
    name: 'link resets every connection',
    unavailable: always,
    run: async ({ fleet, rng, wait }) => {
      for (let n = rng.int(1, 5); n > 0; n--) {
        fleet.links.agent.reset();
        fleet.links.worker.reset();
        await wait(rng.int(100, 2_000));
      }
    },
  },
  { name: 'database killed', unavailable: noDatabase, run: killDatabase },
  {
    name: 'database frozen',
    unavailable: noDatabase,
    run: (context) =>
      during(
        context,
        () => context.fleet.database?.freeze(),
        () => context.fleet.database?.thaw(),
      ),
  },
  {
    name: 'disk full',
    unavailable: ({ disk }) => disk.why,
    run: (context) =>
      during(
        context,
        () => context.fleet.disk.room?.fill(),
        () => context.fleet.disk.room?.free(),
      ),
  },
  clockFault('clock of a server steps forward', 1),
  clockFault('clock of a server steps back', -1),
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
    run: async (context) => {
      const { services, actions, wait } = context;
      const daemon = services.find(({ kind }) => kind === 'daemon');
      if (daemon === undefined) return;
      await actions.request(daemon, 'teardown');
      await wait(context.lastsMs());
      await actions.request(daemon, 'deploy');
    },
  },
];
