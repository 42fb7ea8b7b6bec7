import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Context } from './context.ts';
import { type BenchDatabase, databasesOf } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { quantile } from './rounds.ts';
import { Served } from './served.ts';
import { BenchTarget } from './target.ts';
import { clock, is } from './viewer.ts';

const STABILITY_MS = 500;
const PROMISED_MS = 300;

interface Round {
  /** From the request to the first instant of the app's process. */
  readonly before: number;
  /** The app's own: from its first instant until it listens. */
  readonly start: number;
  /** From there until a viewer is shown `running`, less the stability window. */
  readonly after: number;
  /** Spawned by hand until it listens, right after. */
  readonly bare: number;
}

/** Measures what Evident adds to an app's own start: from the deploy of a stored artifact to `running` at a viewer. */
export async function overhead({ databases, quick, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(databases)) {
    say(`overhead on ${database.name}`);
    figures.push(...(await on(database, quick ? 8 : 30)));
  }
  return figures;
}

async function on(database: BenchDatabase, count: number): Promise<Figure[]> {
  const rounds = await Served.with(database, 'overhead', [], (served) =>
    BenchTarget.with(served, STABILITY_MS, async (target) => {
      // The first one only warms up.
      const all: Round[] = [];
      for (let n = 0; n <= count; n++) all.push(await measure(target));
      return all.slice(1);
    }),
  );
  const added = rounds.map(({ before, after }) => before + after);
  const bare = rounds.map((round) => round.bare);
  const common = { bench: 'overhead', store: database.name, unit: 'ms' };
  const p50 = quantile(added, 0.5);
  const row = (what: string, values: readonly number[]): Figure => ({
    ...{ ...common, what, value: quantile(values, 0.5), beside: null, ratio: null, goal: null },
  });
  return [
    {
      ...{ ...common, what: 'deploy to running, less start and window, p50', value: p50 },
      ...{ beside: { name: 'promised', value: PROMISED_MS }, ratio: p50 / PROMISED_MS, goal: atMost(1) },
    },
    {
      ...{ ...common, what: 'the same', value: p50, goal: null },
      beside: { name: 'starting the same app bare', value: quantile(bare, 0.5) },
      ratio: quantile(
        rounds.map((round) => (round.before + round.after) / round.bare),
        0.5,
      ),
    },
    row(
      'until the app’s process begins, p50',
      rounds.map(({ before }) => before),
    ),
    row(
      'the app’s own start, p50',
      rounds.map(({ start }) => start),
    ),
    row(
      'from listening until told, less the window, p50',
      rounds.map(({ after }) => after),
    ),
    { ...row('deploy to running, less start and window, p99', added), value: quantile(added, 0.99) },
  ];
}

async function measure(target: BenchTarget): Promise<Round> {
  const artifact = await target.artifact();
  const requestedAt = clock();
  const revision = await target.deploy(artifact);
  const running = await target.viewer.when(is('running', revision), requestedAt);
  const { beganAt, listenedAt } = await target.app();
  return {
    before: beganAt - requestedAt,
    start: listenedAt - beganAt,
    after: running.at - listenedAt - STABILITY_MS,
    bare: await startBare(target),
  };
}

/** The same app without anybody around it. */
async function startBare(target: BenchTarget): Promise<number> {
  const file = join(target.leash.dir, 'bare.js');
  writeFileSync(file, target.script());
  const port = await freePort();
  const began = clock();
  const child = spawn('node', [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', PORT: String(port) },
  });
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), ended]);
  const took = clock() - began;
  child.kill('SIGKILL');
  await ended;
  return took;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
