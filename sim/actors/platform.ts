import { DeliveryFailed, publish } from '../../src/ownership/publish.ts';
import { sweep } from '../../src/repair/sweep.ts';
import { readable } from '../../src/store/broken-row.ts';
import { gt } from '../../src/store/port.ts';
import type { Process } from '../kernel.ts';
import { attempt, type Sim } from '../sim.ts';

/** A server process: answers calls, publishes, sweeps and beats. Several of them live side by side. */
export function startServerProcess(sim: Sim, name: string, orgs: readonly string[]): void {
  const process = sim.process(name);
  sim.servers.push(process);
  boot(sim, process, orgs);
  const before = sim.onServerBoot;
  sim.onServerBoot = (server) => (server === process ? boot(sim, process, orgs) : before(server));
}

function boot(sim: Sim, process: Process, orgs: readonly string[]): void {
  const { kernel, rng } = sim;
  const self = { name: process.name, instance: `${process.name}-${process.incarnation}` };
  kernel.after(rng.int(0, 400), process, `${process.name}'s sweeper starts`, async () => {
    for (;;) {
      for (const org of orgs) {
        await attempt(() => sweep(sim.host, self, org));
      }
      if (sim.servers.filter((s) => s.alive).length > 1) sim.faults['two sweepers at once']++;
      await kernel.park(sim.healing ? 2_000 : rng.int(1_000, 4_000), `${process.name} sweeps`);
    }
  });
  kernel.after(rng.int(0, 300), process, `${process.name}'s publisher starts`, async () => {
    for (;;) {
      for (const org of orgs) {
        await attempt(() =>
          publish(sim.host, self, org, async () => {
            if (sim.strikes(sim.rates.failure, 'publish failed'))
              throw new DeliveryFailed('the queue said no');
          }),
        );
      }
      sim.wakeIdle();
      await sim.idle(
        process,
        sim.healing ? 6_000 : rng.int(3_000, 9_000),
        `${process.name} publishes`,
        'publisher',
      );
    }
  });
}

/** Someone who follows an org's transitions from a position, and must miss nothing and see nothing twice (S12). */
export function startReader(sim: Sim, org: string): void {
  const { kernel, rng } = sim;
  const process = sim.process(`${org}:reader`);
  let position = '0';
  kernel.after(10, process, 'a reader connects', async () => {
    for (;;) {
      const rows = await sim.host.store.read((tx) =>
        tx.select(
          'transitions',
          { org, position: gt(position) },
          { order: 'position', limit: rng.int(5, 20) },
        ),
      );
      const positions = rows.flatMap((row) => readable(row).position ?? []);
      position = positions.at(-1) ?? position;
      if (positions.length > 0) sim.happened({ kind: 'streamed', org, reader: process.name, positions });
      await kernel.park(sim.healing ? 5_000 : rng.int(2_000, 9_000), 'a reader polls');
    }
  });
}

/** Outages of everything at once, clocks that step: what strikes no single process. */
export function startMisfortune(sim: Sim): void {
  const { kernel, rng } = sim;
  kernel.after(3_000, null, 'fate', function fate(): undefined {
    if (sim.healing) return undefined;
    if (sim.strikes(sim.rates.outage, 'all servers down')) {
      const down = rng.int(2_000, 40_000);
      for (const server of sim.servers) {
        if (!server.alive) continue;
        if (rng.chance(0.5)) server.pausedUntil = kernel.now + down;
        else sim.crash(server, () => sim.onServerBoot(server), down);
      }
    }
    if (sim.strikes(sim.rates.clock, 'store clock stepped forward')) sim.clockOffset += rng.int(1, 20_000);
    if (sim.strikes(sim.rates.clock, 'store clock stepped back')) sim.clockOffset -= rng.int(1, 5_000);
    kernel.after(rng.int(800, 1_500), null, 'fate', fate);
    return undefined;
  });
}
