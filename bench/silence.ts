import { setTimeout as wait } from 'node:timers/promises';
import { CHROMIUM_MISSING } from '../lab/chromium.ts';
import { Program } from '../lab/program.ts';
import type { Context } from './context.ts';
import { type BenchDatabase, databasesOf } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { Onlooker } from './onlooker.ts';
import { quantile } from './rounds.ts';
import { Served } from './served.ts';
import { BenchTarget, SERVICE } from './target.ts';
import { clock, is } from './viewer.ts';

const FRESH_MS = 2_000;
const REPORT_MS = 500;
const DEFAULT_FRESH_MS = 15_000;
const DEFAULT_REPORT_MS = 5_000;
/** The promised time: freshness and a second, in every interface (S2). */
const SLACK_MS = 1_000;

/** As their documentation says, not measured here: when each stops to believe a node that is silent. */
const PUBLISHED = { Kubernetes: 50_000, 'Nomad, at least': 20_000, 'Nomad, at most': 210_000, OCM: 300_000 };

interface Delays {
  readonly polled: number[];
  readonly watched: number[];
  readonly commandLine: number[];
  /** Empty: there is no browser here. */
  readonly looked: number[];
  /** The state that `evident status` prints at the end of the promised time. */
  readonly said: boolean[];
  readonly back: number[];
}

/**
 * An agent that is stopped by SIGSTOP, so that it neither speaks nor takes leave: how long until whoever asks, watches,
 * uses the command line or looks at the page is shown `unknown`; and then, how long from SIGCONT until `running`.
 */
export async function silence({ databases, quick, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(databases)) {
    say(`silence on ${database.name}`);
    const delays = await on(database, FRESH_MS, REPORT_MS, quick ? 4 : 12);
    if (delays.looked.length === 0) say(`silence is not measured in a browser: ${CHROMIUM_MISSING}`);
    const promised = ['freshness + 1 s', FRESH_MS + SLACK_MS] as const;
    figures.push(
      figure(database, 'unknown, by asking, p99', delays.polled, ...promised),
      figure(database, 'unknown, on a stream, p99', delays.watched, ...promised),
      figure(database, 'unknown, by evident watch, p99', delays.commandLine, ...promised),
      ...(delays.looked.length > 0
        ? [figure(database, 'unknown, in a browser, p99', delays.looked, ...promised)]
        : []),
      {
        ...figure(database, '', [], '', 0),
        what: 'unknown, by evident status at freshness + 1 s',
        ...{ value: (100 * delays.said.filter((said) => said).length) / delays.said.length, unit: '%' },
        ...{ beside: null, ratio: null, goal: null },
      },
      figure(database, 'running again, on a stream, p99', delays.back, 'one report', REPORT_MS),
    );
  }
  say('silence with the freshness that a server has by default');
  const delays = await on(databases.sqlite, DEFAULT_FRESH_MS, DEFAULT_REPORT_MS, quick ? 1 : 3);
  const what = 'unknown, on a stream, freshness of 15 s (default)';
  const row = (name: string, ms: number) => figure(databases.sqlite, what, delays.watched, name, ms);
  figures.push(row('freshness + 1 s', DEFAULT_FRESH_MS + SLACK_MS));
  for (const [name, ms] of Object.entries(PUBLISHED))
    figures.push({ ...row(`${name}, published`, ms), goal: null });
  return figures;
}

function on(database: BenchDatabase, freshMs: number, reportMs: number, rounds: number): Promise<Delays> {
  const args = ['--fresh-for', String(freshMs), '--report-every', String(reportMs)];
  return Served.with(database, `silence_${freshMs}`, args, (served) =>
    BenchTarget.with(served, 0, async (target) => {
      const onlooker = await Onlooker.open(served, SERVICE);
      const watch = Program.start(['watch', SERVICE, '--follow', '-o', 'json'], served.environment);
      try {
        await watch.line(/"state":"running"/);
        await onlooker?.sees('running');
        const delays: Delays = { polled: [], watched: [], commandLine: [], looked: [], said: [], back: [] };
        for (let n = 0; n < rounds; n++) await stopped(target, watch, onlooker, freshMs + SLACK_MS, delays);
        return delays;
      } finally {
        await onlooker?.close();
        watch.signal('SIGKILL');
        await watch.ended;
      }
    }),
  );
}

async function stopped(
  target: BenchTarget,
  watch: Program,
  onlooker: Onlooker | null,
  promisedMs: number,
  delays: Delays,
): Promise<void> {
  const { served, viewer, agent } = target;
  // At no fixed place between two reports.
  await wait(Math.random() * 500);
  const at = clock();
  const line = watch.line(/"state":"unknown"/).then(clock);
  agent.signal('SIGSTOP');
  const [seen, read, looked, polled, said] = await Promise.all([
    viewer.when(is('unknown'), at),
    line,
    onlooker?.sees('unknown'),
    unknownWhenAsked(served),
    wait(promisedMs).then(() => statusSays(served)),
  ]);
  delays.watched.push(seen.at - at);
  delays.commandLine.push(read - at);
  if (looked !== undefined) delays.looked.push(looked - at);
  delays.polled.push(polled - at);
  delays.said.push(said === 'unknown');
  const goesOn = clock();
  agent.signal('SIGCONT');
  delays.back.push((await viewer.when(is('running'), goesOn)).at - goesOn);
  await onlooker?.sees('running');
}

async function unknownWhenAsked(served: Served): Promise<number> {
  while ((await served.call('GET', `/v1/services/${SERVICE}/status`)).state !== 'unknown') await wait(20);
  return clock();
}

async function statusSays(served: Served): Promise<string> {
  const status = Program.start(['status', SERVICE, '-o', 'json'], served.environment);
  return /"state": ?"(\w+)"/.exec(await status.line(/"state"/))?.[1] ?? '';
}

function figure(
  database: BenchDatabase,
  what: string,
  waits: readonly number[],
  name: string,
  beside: number,
): Figure {
  const value = quantile(waits, 0.99);
  return {
    ...{ bench: 'silence', what, store: database.name, value, unit: 'ms' },
    ...{ beside: { name, value: beside }, ratio: value / beside, goal: atMost(1) },
  };
}
