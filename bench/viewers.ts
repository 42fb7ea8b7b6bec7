import type { Context } from './context.ts';
import type { BenchDatabase } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { quantile } from './rounds.ts';
import { IMAGE, Served } from './served.ts';

const VIEWERS = 1_000;
const SERVICES = 100;
/** Each deployment is recorded, and published: two transitions. */
const DEPLOYS_A_SECOND = 50;
const PROMISED_MS = 250;

/** Measures the time from a request to the viewers of its service, with many viewers and many requests. */
export async function viewers({ databases, quick, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of [databases.sqlite, databases.postgres]) {
    if (database === null) continue;
    say(`viewers on ${database.name}`);
    figures.push(...(await on(database, quick ? 5 : 20)));
  }
  return figures;
}

async function on(database: BenchDatabase, seconds: number): Promise<Figure[]> {
  const served = await Served.start(database, 'viewers', []);
  const stops: (() => void)[] = [];
  try {
    const name = (n: number) => `s${n % SERVICES}@lab`;
    const deploy = (n: number) =>
      served.call('POST', `/v1/services/${name(n)}/deployments`, { image: IMAGE });
    for (let n = 0; n < SERVICES; n++) await deploy(n);
    const before = served.memory();
    const requestedAt = new Map<string, number>();
    const waits: number[] = [];
    const heard = (event: string, data: string) => {
      if (event !== 'transition') return;
      const { service, revision, to } = JSON.parse(data) as { service: string; revision: number; to: string };
      const began = requestedAt.get(`${service} ${revision}`);
      if (began !== undefined && to === 'accepted') waits.push(performance.now() - began);
    };
    for (let n = 0; n < VIEWERS; n += 50) {
      const some = Array.from({ length: 50 }, (_, i) =>
        served.watch(`/v1/services/${name(n + i)}/events`, heard),
      );
      stops.push(...(await Promise.all(some)));
    }
    const held = served.memory();
    const deploying: Promise<unknown>[] = [];
    for (let n = 0; n < seconds * DEPLOYS_A_SECOND; n++) {
      requestedAt.set(`${name(n)} ${2 + Math.floor(n / SERVICES)}`, performance.now());
      deploying.push(deploy(n));
      await new Promise((later) => setTimeout(later, 1000 / DEPLOYS_A_SECOND));
    }
    await Promise.all(deploying);
    await new Promise((later) => setTimeout(later, 1_000));
    const value = quantile(waits, 0.99);
    const common = { bench: 'viewers', store: database.name };
    const promised = { name: 'promised', value: PROMISED_MS };
    return [
      {
        ...common,
        what: `told, p99, ${VIEWERS} viewers`,
        value,
        unit: 'ms',
        beside: promised,
        ratio: value / PROMISED_MS,
        goal: atMost(1),
      },
      {
        ...common,
        what: 'told, p50',
        value: quantile(waits, 0.5),
        unit: 'ms',
        beside: null,
        ratio: null,
        goal: null,
      },
      {
        ...common,
        what: 'told, of what should be',
        value: (100 * waits.length) / (deploying.length * (VIEWERS / SERVICES)),
        unit: '%',
        beside: null,
        ratio: null,
        goal: null,
      },
      {
        ...common,
        what: 'memory of a viewer',
        value: (held - before) / VIEWERS / 1024,
        unit: 'KiB',
        beside: null,
        ratio: null,
        goal: null,
      },
    ];
  } finally {
    for (const stop of stops) stop();
    await served.close();
  }
}
