import type { Host } from '../src/evidence/door/host.ts';
import { ribbonsOf } from '../src/evidence/past/ribbons.ts';
import { coarsened, timeInStates } from '../src/projection/ribbon.ts';
import { intact } from '../src/store/broken-row.ts';
import type { Store } from '../src/store/port.ts';
import { cloneService } from './clone.ts';
import type { Context } from './context.ts';
import { analyze, type BenchDatabase, createPlatform, databasesOf } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { bringUp } from './life.ts';
import { costOf, interleaved, LONG_WARM_MS } from './rounds.ts';

const SERVICES = 50;
const DAY_MS = 24 * 3_600_000;
/** Changes of each service in the last day, on both sides. */
const RECENT = 20;
/** Changes of each service in the year before, on the side that has lived long. */
const EARLIER = 2_000;
const ALLOWED_MS = 100;
/** The form of a list of services: about as many stretches as it has pixels. */
const POINTS = 288;

const STATES_IN_TURN = [
  ['running', 'degraded'],
  ['degraded', 'running'],
] as const;

/** The ribbons of 50 services that have lived a year, beside those of services that began a day ago. */
export async function measureRibbons(context: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(context.databases))
    figures.push(...(await ribbonsOn(context, database)));
  return figures;
}

async function ribbonsOn({ effort, say }: Context, database: BenchDatabase): Promise<Figure[]> {
  const where = await database.create('ribbons');
  say(`ribbons: ${SERVICES * EARLIER} changes on ${database.name}`);
  const host = await createPlatform({ ...database, create: async () => where }, 'ribbons');
  try {
    const young = await fill(host, 'young', 0);
    const old = await fill(host, 'old', EARLIER);
    if (database.name === 'PostgreSQL') await analyze(where);
    const rounds = await interleaved(
      { ...effort, warmMs: LONG_WARM_MS },
      {
        young: () => costOf(100, () => read(host, 'young', young)),
        old: () => costOf(100, () => read(host, 'old', old)),
      },
    );
    const value = rounds.median('old');
    const figure = { bench: 'ribbons', store: database.name, value, unit: 'ms' };
    const what = `a day of ${SERVICES} services, after ${EARLIER} earlier changes of each`;
    return [
      {
        ...{ ...figure, what, goal: atMost(1.3), ratio: rounds.ratio('old', 'young') },
        beside: { name: 'without earlier ones', value: rounds.median('young') },
      },
      {
        ...{ ...figure, what, goal: atMost(1), ratio: value / ALLOWED_MS },
        beside: { name: 'allowed', value: ALLOWED_MS },
      },
    ];
  } finally {
    await host.close();
  }
}

/** As the API shows them. */
async function read(host: Host, org: string, services: readonly string[]): Promise<unknown> {
  const ribbons = await ribbonsOf(host, org, services, { from: null, to: null, ms: DAY_MS });
  return ribbons.map(({ window, stretches }) => [
    coarsened(stretches, window, POINTS),
    timeInStates(stretches),
  ]);
}

/** An org of services that run, and have been changing between two states. */
async function fill(host: Host, org: string, earlier: number): Promise<readonly string[]> {
  const first = `web@${org}`;
  const copies = Array.from({ length: SERVICES - 1 }, (_, i) => `web-${i}@${org}`);
  const services = [first, ...copies];
  const watcher = await bringUp(host, org, first, org);
  await cloneService(host.store, org, first, copies);
  await addChanges(host.store, org, services, earlier);
  await watcher.full(services);
  return services;
}

/**
 * Recorded changes of each service, in turn, from a year ago until now: copies of one that the verbs wrote. What the verbs
 * wrote moves to the beginning of that year.
 */
async function addChanges(store: Store, org: string, services: readonly string[], earlier: number) {
  const began = Date.now() - 365 * DAY_MS;
  const rounds = [
    ...Array.from({ length: earlier }, (_, i) => began + (i * 363 * DAY_MS) / earlier),
    ...Array.from({ length: RECENT }, (_, i) => Date.now() - DAY_MS + ((i + 1) * DAY_MS) / (RECENT + 1)),
  ].map(Math.round);
  await store.transact(async (tx) => {
    for (const row of await tx.select('ledger', { org }))
      await tx.update('ledger', { org, position: intact(row)?.position ?? '' }, {}, { receivedAt: began });
    for (const row of await tx.select('transitions', { org }))
      await tx.update(
        'transitions',
        { org, position: intact(row)?.position ?? '' },
        {},
        { at: began, recordedAt: began },
      );
  });
  let turn = 0;
  while (rounds.length > 0) {
    const some = rounds.splice(0, 100);
    await store.transact(async (tx) => {
      const head = intact(await tx.lock('heads', { org }));
      const [original] = await tx.select('transitions', { org }, { order: 'position', limit: 1 });
      const like = intact(original);
      if (head === undefined || like === undefined) throw new Error('the first service left no transition');
      let position = Number(head.position);
      for (const at of some) {
        const [from, to] = STATES_IN_TURN[turn++ % 2] ?? STATES_IN_TURN[0];
        for (const service of services)
          await tx.append('transitions', {
            ...{ ...like, service, at, recordedAt: at, from, to },
            position: String(++position),
          });
      }
      await tx.update('heads', { org }, {}, { position: String(position) });
    });
  }
}
