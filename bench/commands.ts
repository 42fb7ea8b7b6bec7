import { EventEmitter } from 'node:events';
import pg from 'pg';
import { acquire } from '../src/ownership/acquire.ts';
import { heartbeat } from '../src/ownership/heartbeat.ts';
import { cloneService } from './clone.ts';
import type { Context } from './context.ts';
import { analyze, committed, type LivePlatform, openPlatform } from './databases.ts';
import { atLeast, type Figure } from './figures.ts';
import { type HttpLease, HttpWorker, UNHURRIED } from './http-worker.ts';
import {
  ARTIFACT,
  benchCaller,
  deploySource,
  holdArtifact,
  itemOf,
  publishAll,
  send,
  unwrapAnswer,
} from './life.ts';
import { type GraphileWorker, loadRivals, type PgBoss, type PgBossConstructor } from './rivals.ts';
import { interleaved, LONG_WARM_MS, quantile } from './rounds.ts';
import { Served } from './served.ts';

/** As many at once as each has connections. */
const CONCURRENCY = 10;
/** As many commands as an agent takes with one request, where it takes several. */
const TENS = 10;
const LIMIT_MS = 1_000;

/** The time of each command, from the request for work to the answer that it is done. */
class Latencies {
  readonly values: number[] = [];
  add(since: number): void {
    this.values.push(performance.now() - since);
  }
}

interface Contender {
  readonly latencies: Latencies;
  /** Works off `jobs` that wait, or as many as it can in a while: done per second. */
  run(jobs: number): Promise<number>;
  close(): Promise<void>;
}

/** Acquire, heartbeat once, complete under the fence, beside queues whose jobs do nothing and whose locks bind nobody. */
export async function commands({ databases, effort, quick, say }: Context): Promise<Figure[]> {
  const { postgres } = databases;
  if (postgres === null) return [];
  const rivals = loadRivals(say);
  if (!rivals.ok) say(`graphile-worker and pg-boss could not be installed: ${rivals.why}`);
  const jobs = quick ? 150 : 400;
  say(`commands: ${jobs} that wait in each round`);
  // All in one database, with as many connections each; every one has a schema of its own.
  const url = await postgres.create('commands');
  const ours = new Ours(await openPlatform(postgres, url), url);
  const graphile = rivals.ok ? await Graphile.start(rivals.graphile, url) : null;
  const boss = rivals.ok ? await Boss.start(rivals.boss, url) : null;
  const served = await Served.start(postgres, 'commands_http', UNHURRIED);
  const http = new OverHttp(await HttpWorker.of(served, 'agent'), served.database ?? url, 'one');
  const tens = new OverHttp(await HttpWorker.of(served, 'agent'), served.database ?? url, 'ten');
  const contenders = { evident: ours, http, tens, ...(graphile && { graphile }), ...(boss && { boss }) };
  try {
    const result = await interleaved<string>(
      { ...effort, warmMs: LONG_WARM_MS },
      Object.fromEntries(Object.entries(contenders).map(([name, c]) => [name, () => c.run(jobs)])),
    );
    const line = { bench: 'commands', store: 'PostgreSQL', unit: 'commands/s' };
    const figures: Figure[] = [];
    const name = { graphile: 'graphile-worker 0.17', boss: 'pg-boss 10' } as const;
    for (const rival of ['graphile', 'boss'] as const) {
      if (!(rival in contenders)) continue;
      figures.push({
        ...line,
        what: `over HTTP; ${CONCURRENCY} connections`,
        value: result.median('http'),
        beside: { name: `${name[rival]}, empty jobs`, value: result.median(rival) },
        ratio: result.ratio('http', rival),
        goal: rival === 'boss' ? atLeast(1) : null,
      });
      figures.push({
        ...line,
        what: `over HTTP, ${TENS} commands to a request; ${CONCURRENCY} connections`,
        value: result.median('tens'),
        beside: { name: `${name[rival]}, empty jobs`, value: result.median(rival) },
        ratio: result.ratio('tens', rival),
        goal: rival === 'graphile' ? atLeast(1) : null,
      });
      figures.push({
        ...line,
        what: `acquire, heartbeat, complete; ${CONCURRENCY} workers`,
        value: result.median('evident'),
        beside: { name: `${name[rival]}, empty jobs`, value: result.median(rival) },
        ratio: result.ratio('evident', rival),
        goal: atLeast(rival === 'boss' ? 1.5 : 1),
      });
    }
    if (figures.length === 0)
      figures.push(
        {
          ...line,
          what: `over HTTP; ${CONCURRENCY} connections`,
          value: result.median('http'),
          beside: null,
          ratio: null,
          goal: null,
        },
        {
          ...line,
          what: 'acquire, heartbeat, complete',
          value: result.median('evident'),
          beside: null,
          ratio: null,
          goal: null,
        },
      );
    figures.push({
      ...line,
      unit: 'transactions',
      what: 'over HTTP, of each command, with all that the server does beside',
      value: http.transactions / http.latencies.values.length,
      beside: null,
      ratio: null,
      goal: null,
    });
    for (const [q, label] of [
      [0.5, 'p50'],
      [0.99, 'p99'],
    ] as const) {
      const value = quantile(ours.latencies.values, q);
      const besides = [graphile && `graphile-worker ${ms(graphile, q)}`, boss && `pg-boss ${ms(boss, q)}`];
      say(`latency ${label}: evident ${value.toFixed(1)} ms, ${besides.filter(Boolean).join(', ')}`);
      figures.push({
        ...line,
        unit: 'ms',
        what: `latency ${label}`,
        value,
        beside: graphile && { name: name.graphile, value: quantile(graphile.latencies.values, q) },
        ratio: graphile && value / quantile(graphile.latencies.values, q),
        goal: null,
      });
    }
    return figures;
  } finally {
    await boss?.close();
    await graphile?.close();
    await http.close();
    await tens.close();
    await served.close();
    await ours.close();
  }
}

const ms = (c: Contender, q: number) => `${quantile(c.latencies.values, q).toFixed(1)} ms`;

class Ours implements Contender {
  readonly latencies = new Latencies();
  readonly #host: LivePlatform;
  readonly #url: string;
  #rounds = 0;

  constructor(host: LivePlatform, url: string) {
    this.#host = host;
    this.#url = url;
  }

  async run(jobs: number): Promise<number> {
    const org = `round-${this.#rounds++}`;
    await waitingBuilds(this.#host, org, jobs);
    await analyze(this.#url);
    return drain(jobs, (worker) => this.#one(org, worker));
  }

  /** One command from its offer to its end; none when none waits. */
  async #one(org: string, worker: number): Promise<number> {
    const began = performance.now();
    if (!(await completeOne(this.#host, org, `builder-${worker}`))) return 0;
    this.latencies.add(began);
    return 1;
  }

  close = () => this.#host.close();
}

/** The same by a client over connections, against a server process: commands that wait for the agent of a target. */
class OverHttp implements Contender {
  readonly latencies = new Latencies();
  /** Committed while commands were worked off. */
  transactions = 0;
  readonly #worker: HttpWorker;
  readonly #url: string;
  readonly #manner: 'one' | 'ten';
  #rounds = 0;

  /** Each caller works off one command after the other by three requests each, or ten by two. */
  constructor(worker: HttpWorker, url: string, manner: 'one' | 'ten') {
    this.#worker = worker;
    this.#url = url;
    this.#manner = manner;
  }

  async run(jobs: number): Promise<number> {
    const target = `${this.#manner}-${this.#rounds++}`;
    await this.#worker.waitingApplies(target, jobs);
    await analyze(this.#url);
    const before = await committed(this.#url);
    const rate =
      this.#manner === 'one' ? await this.#oneByOne(target, jobs) : await this.#inTens(target, jobs);
    this.transactions += (await committed(this.#url)) - before;
    return rate;
  }

  #oneByOne(target: string, jobs: number): Promise<number> {
    return drain(jobs, async (n) => {
      const began = performance.now();
      const lease = await this.#worker.take({ kinds: ['apply'], target }, `${target}-${n}`, 0);
      if (lease === null) return 0;
      await this.#worker.send([lease], 'runtime.applied', () => ({}));
      this.latencies.add(began);
      return 1;
    });
  }

  /** The answer to what is completed offers what comes next. */
  #inTens(target: string, jobs: number): Promise<number> {
    const what = { kinds: ['apply'], target };
    const inHand = new Map<number, readonly HttpLease[]>();
    return drain(jobs, async (n) => {
      const instance = `${target}-${n}`;
      const began = performance.now();
      const leases = inHand.get(n) ?? (await this.#worker.takeSeveral(what, instance, TENS));
      if (leases.length === 0) return 0;
      await this.#worker.heartbeatAll(leases);
      const next = { what, instance, max: TENS };
      inHand.set(n, await this.#worker.sendAndTake(leases, 'runtime.applied', next));
      this.latencies.add(began);
      return leases.length;
    });
  }

  close = async () => this.#worker.close();
}

export async function completeOne(host: LivePlatform, org: string, worker: string): Promise<boolean> {
  const builder = benchCaller(org, 'builder', worker);
  const request = { kinds: ['build'] as const, worker, instance: builder.instance };
  const {
    offers: [offer],
  } = unwrapAnswer(await acquire(host, builder, request));
  if (offer === undefined) return false;
  unwrapAnswer(await heartbeat(host, builder, offer.id, offer.fence));
  const id = `${offer.id}.stored`;
  await send(host, builder, [itemOf(offer, 'artifact.stored', id, { digest: ARTIFACT, size: 1 })]);
  return true;
}

/** An org whose builds all wait for a worker. */
export async function waitingBuilds(host: LivePlatform, org: string, count: number): Promise<void> {
  await holdArtifact(host, org);
  await deploySource(host, org, 'app@lab');
  await publishAll(host, org);
  const copies = Array.from({ length: count - 1 }, (_, i) => `app-${i}@lab`);
  await cloneService(host.store, org, 'app@lab', copies);
}

/** Done per second, by workers that stop when nothing waits or time is up; `some` says how many it has done. */
async function drain(jobs: number, some: (worker: number) => Promise<number>): Promise<number> {
  const began = performance.now();
  let done = 0;
  const work = async (worker: number) => {
    while (done < jobs && performance.now() - began < LIMIT_MS) {
      const more = await some(worker);
      if (more === 0) return;
      done += more;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, (_, worker) => work(worker)));
  return done / ((performance.now() - began) / 1000);
}

class Graphile implements Contender {
  readonly latencies = new Latencies();
  readonly #worker: GraphileWorker;
  readonly #pool: pg.Pool;

  private constructor(worker: GraphileWorker, url: string) {
    this.#worker = worker;
    this.#pool = new pg.Pool({ connectionString: url, max: CONCURRENCY + 1 });
    // It insists on both; a connection that dies shows in the figures.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  static async start(worker: GraphileWorker, url: string): Promise<Graphile> {
    const graphile = new Graphile(worker, url);
    const utils = await worker.makeWorkerUtils({ pgPool: graphile.#pool });
    await utils.migrate();
    await utils.release();
    return graphile;
  }

  /** Its own loop with its defaults; timed from the first job it asks for to the last that it has marked as done. */
  async run(jobs: number): Promise<number> {
    const utils = await this.#worker.makeWorkerUtils({ pgPool: this.#pool });
    await utils.addJobs(Array.from({ length: jobs }, () => ({ identifier: 'nothing', payload: {} })));
    await utils.release();
    const events = new EventEmitter();
    const requestedAt = new Map<string, number>();
    let began: number | null = null;
    let done = 0;
    const finished = new Promise<number>((resolve) => {
      events.on('worker:getJob:start', ({ worker }: { worker: { workerId: string } }) => {
        began ??= performance.now();
        requestedAt.set(worker.workerId, performance.now());
      });
      events.on('job:complete', ({ worker }: { worker: { workerId: string } }) => {
        this.latencies.add(requestedAt.get(worker.workerId) ?? performance.now());
        if (++done === jobs) resolve(performance.now());
      });
    });
    const runner = await this.#worker.run({
      pgPool: this.#pool,
      concurrency: CONCURRENCY,
      noHandleSignals: true,
      pollInterval: 100,
      taskList: { nothing: async () => {} },
      logger: new this.#worker.Logger(() => () => {}),
      events,
    });
    const ended = await finished;
    await runner.stop();
    return jobs / ((ended - (began ?? ended)) / 1000);
  }

  close = () => this.#pool.end();
}

class Boss implements Contender {
  readonly latencies = new Latencies();
  readonly #boss: PgBoss;

  private constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  static async start(make: PgBossConstructor, url: string): Promise<Boss> {
    const boss = new make({ connectionString: url, max: CONCURRENCY, supervise: false, schedule: false });
    boss.on('error', () => {});
    await boss.start();
    await boss.createQueue('nothing');
    return new Boss(boss);
  }

  /** By fetch and complete, one job at a time: its own loop looks only twice a second. */
  async run(jobs: number): Promise<number> {
    await this.#boss.insert(Array.from({ length: jobs }, () => ({ name: 'nothing', data: {} })));
    return drain(jobs, async () => {
      const began = performance.now();
      const [job] = await this.#boss.fetch('nothing');
      if (job === undefined) return 0;
      await this.#boss.complete('nothing', job.id);
      this.latencies.add(began);
      return 1;
    });
  }

  close = () => this.#boss.stop({ graceful: false, wait: true });
}
