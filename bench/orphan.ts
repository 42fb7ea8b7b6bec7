import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Leash, tarOf } from '../lab/bytes.ts';
import { Program } from '../lab/program.ts';
import type { Context } from './context.ts';
import { type BenchDatabase, databasesOf } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { quantile } from './rounds.ts';
import { Served } from './served.ts';
import { BenchViewer, clock, is } from './viewer.ts';

const SERVICE = 'web@lab';
const LEASE_MS = 3_000;
const DEFAULT_LEASE_MS = 30_000;
const SLACK_MS = 1_000;
/** A heartbeat falls somewhere into this (src/client/lease.ts). */
const BEAT_MS = 500;

/** As their documentation says, not measured here: when each gives the work of a dead worker to another. */
const PUBLISHED = { Waypoint: 2 * 60_000, Miren: 30 * 60_000, 'graphile-worker': 4 * 3_600_000 } as const;

/** A worker is killed in a build: how long until another holds the command. */
export async function orphan({ databases, quick, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(databases)) {
    say(`orphan on ${database.name}`);
    const waits = await on(database, LEASE_MS, quick ? 4 : 12);
    figures.push(figure(database.name, 'lease of 3 s, p99', waits, 'lease + 1 s', LEASE_MS + SLACK_MS, true));
  }
  say('orphan with the lease that a server has by default');
  const waits = await on(databases.sqlite, DEFAULT_LEASE_MS, quick ? 1 : 3);
  const beside = (name: string, ms: number, isPromised = false) =>
    figure(databases.sqlite.name, 'lease of 30 s (default), p99', waits, name, ms, isPromised);
  figures.push(beside('lease + 1 s', DEFAULT_LEASE_MS + SLACK_MS, true));
  for (const [name, ms] of Object.entries(PUBLISHED)) figures.push(beside(`${name}, published`, ms));
  return figures;
}

function on(database: BenchDatabase, leaseMs: number, rounds: number): Promise<number[]> {
  return Served.with(database, `orphan_${leaseMs}`, ['--lease-ttl', String(leaseMs)], async (served) => {
    const leash = new Leash();
    const token = await served.tokenFor('builder');
    const workers = new Map<string, Program>();
    const begin = async (name: string) => {
      const worker = Program.start(
        [
          'worker',
          '--trust-apps',
          '--name',
          name,
          '--data',
          join(leash.dir, name),
          '--min-free-mb',
          '1',
          '-o',
          'json',
        ],
        { EVIDENT_SERVER: served.address, EVIDENT_TOKEN: token },
      );
      workers.set(name, worker);
      await worker.line(/"event":"ready"/);
    };
    try {
      await Promise.all(['builder-a', 'builder-b'].map(begin));
      const waits: number[] = [];
      for (let n = 0; n < rounds; n++) {
        const { killed, waited } = await kill(served, leash, workers);
        waits.push(waited);
        await begin(killed);
      }
      return waits;
    } finally {
      await Promise.all([...workers.values()].map((worker) => worker.end()));
      leash.cut();
    }
  });
}

async function kill(served: Served, leash: Leash, workers: ReadonlyMap<string, Program>) {
  const requestedAt = clock();
  await deployBuild(served, leash);
  const viewer = await BenchViewer.open(served, SERVICE);
  try {
    const held = await viewer.when(is('building'), requestedAt);
    const killed = held.claim.operator?.holder ?? '';
    await wait(Math.random() * BEAT_MS);
    const worker = workers.get(killed);
    if (worker === undefined) throw new Error(`the build is held by ${killed}, which is none of ours`);
    const at = clock();
    worker.signal('SIGKILL');
    const again = await viewer.when(
      (claim) => claim.state === 'building' && ![killed, null].includes(claim.operator?.holder ?? null),
      at,
    );
    await worker.ended;
    return { killed, waited: again.at - at };
  } finally {
    viewer.close();
  }
}

/** A build that does not end; a newer one takes its place. */
async function deployBuild(served: Served, leash: Leash): Promise<void> {
  const form = new FormData();
  const spec = { build: ['node', 'build.js'], command: ['node', 'build.js'], port: null };
  form.set('spec', JSON.stringify(spec));
  form.set('source', new Blob([await tarOf({ 'build.js': leash.script })]), 'source.tar');
  await served.upload(`/v1/services/${SERVICE}/deployments`, form);
}

function figure(
  store: string,
  what: string,
  waits: readonly number[],
  name: string,
  beside: number,
  isPromised: boolean,
): Figure {
  const value = quantile(waits, 0.99);
  return {
    ...{ bench: 'orphan', what: `held by another, ${what}`, store, value, unit: 'ms' },
    ...{ beside: { name, value: beside }, ratio: value / beside, goal: isPromised ? atMost(1) : null },
  };
}
