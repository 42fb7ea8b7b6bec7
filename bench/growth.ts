import type { Offer } from '../src/ownership/offer.ts';
import { cloneService } from './clone.ts';
import { completeOne, waitingBuilds } from './commands.ts';
import type { Context } from './context.ts';
import { type BenchDatabase, createPlatform, databasesOf, type LivePlatform } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { leasedBuilds } from './ingest.ts';
import { benchCaller, bringUp, itemOf, send, type Watcher } from './life.ts';
import { costOf, interleaved } from './rounds.ts';

const SIZES = ['1x', '10x', '100x'] as const;
type Size = (typeof SIZES)[number];
const TIMES: Readonly<Record<Size, number>> = { '1x': 1, '10x': 10, '100x': 100 };
type Costs = Readonly<Record<Size, () => Promise<number>>>;

/** One thing that is done more and more of, and what a unit of it costs at each size. */
interface GrowthSeries {
  readonly what: string;
  readonly unit: string;
  readonly costs: Costs;
}

/** Measures the cost of a unit of work when there is ten and a hundred times as much of it. */
export async function growth(context: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(context.databases)) {
    context.say(`growth: on ${database.name}`);
    for (const [name, prepare] of Object.entries(PREPARED)) {
      const host = await createPlatform(database, `growth_${name}`);
      for (const subject of await prepare(host)) figures.push(await growthOf(context, database, subject));
      await host.close();
    }
  }
  return figures;
}

async function growthOf(
  { effort }: Context,
  database: BenchDatabase,
  { what, unit, costs }: GrowthSeries,
): Promise<Figure> {
  const result = await interleaved(effort, costs);
  return {
    bench: 'growth',
    what,
    store: database.name,
    value: result.median('100x'),
    unit,
    beside: { name: 'at 1x', value: result.median('1x') },
    ratio: result.ratio('100x', '1x'),
    goal: atMost(1.3),
  };
}

const perSize = (cost: (size: Size, times: number) => () => Promise<number>): Costs => ({
  '1x': cost('1x', TIMES['1x']),
  '10x': cost('10x', TIMES['10x']),
  '100x': cost('100x', TIMES['100x']),
});

const BATCH = 100;

/** Orgs whose ledgers hold more and more evidence about the same builds: what another batch costs. */
async function ingest(host: LivePlatform): Promise<GrowthSeries[]> {
  const builder = (org: string) => benchCaller(org, 'builder', 'builder-a');
  let made = 0;
  const batch = (org: string, offers: readonly Offer[]) =>
    send(
      host,
      builder(org),
      Array.from({ length: BATCH }, () => {
        const step = ++made;
        const offer = offers[step % offers.length];
        if (offer === undefined) throw new Error('no build is leased');
        return itemOf(offer, 'build.progress', `p-${step}`, { step, message: 'compiling' });
      }),
    );
  const builds = {} as Record<Size, readonly Offer[]>;
  for (const size of SIZES) {
    builds[size] = await leasedBuilds(host, size, 4);
    for (let i = 0; i < TIMES[size]; i++) await batch(size, builds[size]);
  }
  const costs = perSize((size) => async () => (await costOf(60, () => batch(size, builds[size]))) / BATCH);
  return [{ what: 'ingest behind 100, 1,000, 10,000 items', unit: 'ms/item', costs }];
}

/** Few enough that the smallest queue lasts through the rounds. */
const TAKEN = 2;

/** More and more commands that wait: a few of them are taken and completed. */
async function commands(host: LivePlatform): Promise<GrowthSeries[]> {
  for (const size of SIZES) await waitingBuilds(host, size, 20 * TIMES[size]);
  const costs = perSize((size) => async () => {
    const began = performance.now();
    for (let i = 0; i < TAKEN; i++) {
      if (!(await completeOne(host, size, 'builder-a'))) throw new Error('nothing waits any more');
    }
    return (performance.now() - began) / TAKEN;
  });
  return [{ what: 'commands: one of 20, 200, 2,000 that wait', unit: 'ms/command', costs }];
}

const SERVICES = 10;

interface ServiceFleet {
  readonly watcher: Watcher;
  readonly services: readonly string[];
}

/** Targets with more and more services, all of them running. */
async function reports(host: LivePlatform): Promise<GrowthSeries[]> {
  const fleets = {} as Record<Size, ServiceFleet>;
  for (const size of SIZES) {
    const first = `web@fleet-${size}`;
    const watcher = await bringUp(host, size, first, `fleet-${size}`);
    const copies = Array.from({ length: SERVICES * TIMES[size] - 1 }, (_, i) => `web-${i}@fleet-${size}`);
    await cloneService(host.store, size, first, copies);
    fleets[size] = { watcher, services: [first, ...copies] };
    await watcher.full(fleets[size].services);
  }
  let n = 0;
  const costs = (unit: 'service' | 'report', report: (fleet: ServiceFleet) => Promise<unknown>) =>
    perSize((size) => async () => {
      const cost = await costOf(40, () => report(fleets[size]));
      return unit === 'service' ? cost / fleets[size].services.length : cost;
    });
  const among = 'of 10, 100, 1,000 services';
  return [
    {
      what: `calm full report ${among}`,
      unit: 'ms/service',
      costs: costs('service', ({ watcher, services }) => watcher.full(services)),
    },
    {
      what: `heartbeat report ${among}`,
      unit: 'ms/report',
      costs: costs('report', ({ watcher }) => watcher.heartbeat()),
    },
    {
      what: `report of one change ${among}`,
      unit: 'ms/report',
      costs: costs('report', ({ watcher, services }) => watcher.change(services.slice(0, 1), ++n)),
    },
    {
      what: `full report with one change ${among}`,
      unit: 'ms/service',
      costs: costs('service', ({ watcher, services }) => watcher.full(services, ++n)),
    },
  ];
}

const PREPARED: Readonly<Record<string, (host: LivePlatform) => Promise<readonly GrowthSeries[]>>> = {
  ingest,
  commands,
  reports,
};
