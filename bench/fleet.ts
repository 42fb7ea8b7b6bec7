import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from './context.ts';
import { analyze, type BenchDatabase, databasesOf, openPlatform } from './databases.ts';
import { atLeast, atMost, type Figure } from './figures.ts';
import { FleetAgent } from './fleet-agent.ts';
import { fillFleet } from './fleet-fill.ts';
import { UNHURRIED } from './http-worker.ts';
import { processCost } from './process-cost.ts';
import { quantile } from './rounds.ts';
import { newPlace, removePlace, Served } from './served.ts';
import { PlainSnapshots } from './snapshots.ts';
import { Wire } from './wire.ts';

const SERVICES = 100;
/** As many agents report at once as a server has connections to its database. */
const AT_ONCE = 8;
const REPORT_MS = 5_000;
const PROMISED = { services: 5_000, reportMs: 1_000, core: 0.6, listMs: 50 };
const PAGE = 50;

/**
 * A fleet whose server was away: every agent registers and sends its first full report. Then calm full reports at their
 * usual pace, and pages of the list. Beside it the same reports, posted to a program that only keeps the newest snapshot
 * of each service in a row.
 */
export async function fleet({ databases, quick, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  const agents = quick ? 40 : 500;
  for (const database of databasesOf(databases)) {
    say(`fleet: ${agents} agents of ${SERVICES} services on ${database.name}`);
    figures.push(...(await on(database, agents, quick ? 10_000 : 30_000, say)));
  }
  return figures;
}

async function on(
  database: BenchDatabase,
  count: number,
  calmMs: number,
  say: (line: string) => void,
): Promise<Figure[]> {
  const place = await newPlace(database, 'fleet');
  const targets = Array.from({ length: count }, (_, i) => `t${i}`);
  const platform = await openPlatform(database, place.url ?? place.data);
  await fillFleet(platform, targets, SERVICES);
  await platform.close();
  if (place.url !== null) await analyze(place.url);
  try {
    // The services are found running by a first server, and again by a second one after all of them fell silent.
    await withAgents(database, place, targets, async ({ first }) =>
      say(`at first: ${Math.round(first)} a second`),
    );
    await wait(1_000);
    const plain = await PlainSnapshots.start(database);
    const beside = await plain.firstReports(targets, SERVICES, AT_ONCE);
    await plain.close();
    return await withAgents(database, place, targets, async ({ served, agents, first }) => {
      // The first round is compared with what is stored: it is a fleet that was calm for a while that is measured.
      await calm(served, agents, REPORT_MS);
      const { late, core } = await calm(served, agents, calmMs);
      // Meanwhile the agents go on: a server whose agents fall silent has other work.
      const [page] = await Promise.all([listed(served), calm(served, agents, 2 * REPORT_MS)]);
      const figure = { bench: 'fleet', store: database.name };
      const services = count * SERVICES;
      return [
        {
          ...{ ...figure, what: `first reports of ${services} services`, value: first, unit: 'services/s' },
          ...{ beside: { name: 'promised', value: PROMISED.services } },
          ...{ ratio: first / PROMISED.services, goal: atLeast(1) },
        },
        {
          ...{ ...figure, what: `first reports of ${services} services`, value: first, unit: 'services/s' },
          ...{ beside: { name: 'plain snapshots', value: beside }, ratio: first / beside, goal: null },
        },
        {
          ...{
            ...figure,
            what: `calm full reports every ${REPORT_MS / 1000} s, p99`,
            value: late,
            unit: 'ms',
          },
          ...{ beside: { name: 'promised', value: PROMISED.reportMs } },
          ...{ ratio: late / PROMISED.reportMs, goal: atMost(1) },
        },
        {
          ...{ ...figure, what: 'server during calm full reports', value: core * 100, unit: '% of a core' },
          ...{ beside: { name: 'promised', value: PROMISED.core * 100 } },
          ...{ ratio: core / PROMISED.core, goal: atMost(1) },
        },
        {
          ...{ ...figure, what: `a page of ${PAGE} of the list, p50`, value: page, unit: 'ms' },
          ...{ beside: { name: 'promised', value: PROMISED.listMs } },
          ...{ ratio: page / PROMISED.listMs, goal: atMost(1) },
        },
      ];
    });
  } finally {
    removePlace(place.data);
  }
}

interface Reported {
  readonly served: Served;
  readonly agents: readonly FleetAgent[];
  /** Services a second, from the first registration to the answer to the last first report. */
  readonly first: number;
}

/** Starts a server, and lets all agents register and report. */
async function withAgents<T>(
  database: BenchDatabase,
  place: Awaited<ReturnType<typeof newPlace>>,
  targets: readonly string[],
  act: (reported: Reported) => Promise<T>,
): Promise<T> {
  const served = await Served.start(database, 'fleet', UNHURRIED, place);
  const wire = new Wire(served.address, await served.tokenFor('agent'));
  try {
    const began = performance.now();
    const agents = targets.map((target) => new FleetAgent(wire, target, SERVICES, String(began)));
    await each(agents, async (agent) => {
      await agent.register();
      await agent.report();
    });
    const first = (targets.length * SERVICES) / ((performance.now() - began) / 1000);
    return await act({ served, agents, first });
  } finally {
    wire.close();
    await served.close();
  }
}

async function each<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const some = async () => {
    for (let n = next++; n < all.length; n = next++) await act(all[n] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
}

/** The 99th percentile of the answers to calm reports in milliseconds, and the share of a core that the server used. */
async function calm(served: Served, agents: readonly FleetAgent[], forMs: number) {
  const waits: number[] = [];
  const until = performance.now() + forMs;
  const [began, before] = [performance.now(), processCost(served.pid).cpuMs];
  const speak = async (agent: FleetAgent, i: number) => {
    await wait((i / agents.length) * REPORT_MS);
    for (let next = performance.now(); next < until; ) {
      const asked = performance.now();
      await agent.report();
      waits.push(performance.now() - asked);
      next += REPORT_MS;
      await wait(Math.max(0, next - performance.now()));
    }
  };
  await Promise.all(agents.map(speak));
  const passedMs = performance.now() - began;
  return { late: quantile(waits, 0.99), core: (processCost(served.pid).cpuMs - before) / passedMs };
}

async function listed(served: Served): Promise<number> {
  const waits: number[] = [];
  let path: string | null = `/v1/services?limit=${PAGE}`;
  for (let n = 0; n < 20 && path !== null; n++) {
    const asked = performance.now();
    const page = await served.call('GET', path);
    waits.push(performance.now() - asked);
    path =
      page.cursor === null ? null : `/v1/services?limit=${PAGE}&cursor=${encodeURIComponent(page.cursor)}`;
  }
  return quantile(waits, 0.5);
}
