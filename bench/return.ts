import { readFileSync } from 'node:fs';
import { sharingHost } from '../src/evidence/door/host.ts';
import { register } from '../src/evidence/report/register.ts';
import { report } from '../src/evidence/report/report.ts';
import { DEFAULT_SETTINGS } from '../src/projection/facts.ts';
import { beat } from '../src/repair/beat.ts';
import type { Context } from './context.ts';
import { analyze, type BenchDatabase, databasesOf } from './databases.ts';
import type { Figure } from './figures.ts';
import { fleetReport } from './fleet-agent.ts';
import { fillFleet } from './fleet-fill.ts';
import { benchCaller, unwrapAnswer } from './life.ts';
import { quantile } from './rounds.ts';

const AGENTS = 10;
const SERVICES = 100;
/** Longer than freshness, and than a platform may sleep unrecorded. */
const AWAY_MS = 60_000;
const CALM_MS = 10_000;
/** As many calm reports prove any window. */
const CALM_REPORTS = 5;

/**
 * The first reports of services whose agents and server were all away: each is found silent, observed and running again.
 * One process with an injected clock, and its main thread's processor time: that is the same however long the database
 * takes, and however busy the machine is.
 */
export async function measureReturn({ databases, effort, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(databases)) {
    say(`return: ${AGENTS} agents of ${SERVICES} services on ${database.name}`);
    const [first = Number.NaN, ...warm] = await on(database, effort.rounds);
    const line = {
      bench: 'return',
      store: database.name,
      unit: 'µs/service',
      beside: null,
      ratio: null,
      goal: null,
    };
    figures.push({ ...line, what: 'first reports, a process that has just started', value: first });
    figures.push({
      ...line,
      what: 'first reports, the median of the rounds after that',
      value: quantile(warm, 0.5),
    });
  }
  return figures;
}

/** Processor time of each round: one to start with, and then as many as are asked for. */
async function on(database: BenchDatabase, rounds: number): Promise<number[]> {
  let now = Date.UTC(2026, 0, 1);
  const where = await database.create('return');
  const store = await database.open(where, () => now);
  const host = sharingHost(store, DEFAULT_SETTINGS);
  const targets = Array.from({ length: AGENTS }, (_, i) => `t${i}`);
  const contents = targets.map((target) => fleetReport(target, SERVICES));
  const all = (act: (target: string, i: number) => Promise<void>) => Promise.all(targets.map(act));
  const callerOf = (target: string) => benchCaller('default', 'agent', target);
  const speaks = targets.map(() => ({ epoch: '0', seq: 0 }));
  const send = async (target: string, i: number) => {
    const { epoch, seq } = speaks[i] ?? { epoch: '0', seq: 0 };
    speaks[i] = { epoch, seq: seq + 1 };
    const text = `{"epoch":"${epoch}","seq":"${seq + 1}","complete":true,"watchAgeMs":0,${contents[i]}}`;
    unwrapAnswer(await report(host, callerOf(target), target, JSON.parse(text)));
  };
  const begin = (instance: string) =>
    all(async (target, i) => {
      const registration = { agent: target, instance, version: '1', identity: target };
      const { epoch } = unwrapAnswer(
        await register(host, { ...callerOf(target), instance }, target, registration),
      );
      speaks[i] = { epoch, seq: 0 };
      await send(target, i);
    });
  const stayCalm = async () => {
    for (let n = 0; n < CALM_REPORTS; n++) {
      for (let ms = 0; ms < CALM_MS; ms += 1_000) {
        now += 1_000;
        await beat(host, 'bench');
      }
      await all(send);
    }
  };
  try {
    await beat(host, 'bench');
    await fillFleet(host, targets, SERVICES);
    if (database.name === 'PostgreSQL') await analyze(where);
    await begin('first');
    await stayCalm();
    const costs: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      now += AWAY_MS;
      await beat(host, 'bench');
      const before = mainThreadUs();
      await begin(`round-${round}`);
      costs.push((mainThreadUs() - before) / (AGENTS * SERVICES));
      await stayCalm();
    }
    return costs;
  } finally {
    await store.close();
  }
}

/** Without the threads that compile and collect garbage beside it. */
const mainThreadUs = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
