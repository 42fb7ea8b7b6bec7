import type { Rng } from '../../lab/rng.ts';
import type { SteppedClock } from '../fleet/clock.ts';
import type { SoakFleet } from '../fleet/fleet.ts';
import type { FleetPart } from '../fleet/part.ts';
import type { LinkMode } from '../fleet/proxy.ts';
import { always, during, type FaultContext, type SoakFault } from './fault.ts';

const READY_MS = 30_000;
const POLL_MS = 100;

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

const signals = (name: string, of: (context: FaultContext) => FleetPart): SoakFault[] => [
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

const STEPS_MS = [2_000, 20_000, 120_000];

const clockFault = (
  name: string,
  direction: 1 | -1,
  clockOf: (fleet: SoakFleet, rng: Rng) => SteppedClock,
): SoakFault => ({
  name,
  unavailable: always,
  run: async ({ fleet, rng, wait }) => {
    clockOf(fleet, rng).step(direction * rng.pick(STEPS_MS));
    await wait(rng.int(2_000, 8_000));
  },
});

const clockOfServer = ({ servers }: SoakFleet, rng: Rng) => rng.pick(servers).clock;
const clockOfOther = ({ clocks }: SoakFleet, rng: Rng) => rng.pick([clocks.agent, clocks.worker]);

/** Signals, links and clocks. */
export const PART_FAULTS: readonly SoakFault[] = [
  ...signals('a server', ({ fleet, rng }) => rng.pick(fleet.servers).part),
  ...signals('the agent', ({ fleet }) => fleet.agent),
  ...signals('the worker', ({ fleet }) => fleet.worker),
  {
    name: 'SIGKILL of servers, agent and worker at once',
    unavailable: always,
    run: (context) => {
      const { servers, agent, worker } = context.fleet;
      return killed(context, ...servers.map(({ part }) => part), agent, worker);
    },
  },
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
  clockFault('clock of a server steps forward', 1, clockOfServer),
  clockFault('clock of a server steps back', -1, clockOfServer),
  clockFault('clock of agent or worker steps forward', 1, clockOfOther),
  clockFault('clock of agent or worker steps back', -1, clockOfOther),
];
