import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startKubernetes } from '../lab/kubernetes.ts';
import { Program } from '../lab/program.ts';
import type { Context } from './context.ts';
import { type BenchDatabase, databasesOf } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { processCost } from './process-cost.ts';
import { quantile } from './rounds.ts';
import { Served } from './served.ts';
import { WrittenCluster } from './written-cluster.ts';

const PODS = 3_000;
const CHANGES_A_SECOND = 50;
/** The promised time from the status of a pod to a viewer. */
const PROMISED_MS = 1_000;
const MANY_PODS = 10_000;
/** The promised memory of an agent that follows them. */
const PROMISED_MB = 250;
/** A service is `running` again when its contract has held for the stability window, and a watch was proven since. */
const RUNNING_AGAIN_MS = 12_000;
const BROKEN_MS = 3_000;
const CALM_MS = 20_000;
const PATIENCE_MS = 180_000;

/**
 * A real API server whose content is written by us, a real agent that follows it, a real server, and a viewer of the
 * org: from the status of a pod to the viewer, and the cost of the agent.
 */
export async function measureCluster({ databases, quick, say }: Context): Promise<Figure[]> {
  const started = await startKubernetes();
  if (!started.ok) {
    say(`cluster: skipped. ${started.why}`);
    return [];
  }
  const { cluster } = started;
  // It would write what the bench writes in its place, and remove pods of nodes that it does not hear.
  await cluster.stop('manager').catch(() => {});
  const written = new WrittenCluster(cluster.kubeconfig);
  const figures: Figure[] = [];
  try {
    say(`cluster: writing ${PODS} pods`);
    await written.fill(PODS);
    for (const database of databasesOf(databases)) {
      say(`cluster: ${CHANGES_A_SECOND} changes a second on ${database.name}`);
      const load = (observed: ObservedCluster) => changing(observed, written, database, quick ? 12 : 36);
      figures.push(...(await observing(database, cluster.kubeconfig, written, load)));
    }
    if (quick) return figures;
    say(`cluster: writing ${MANY_PODS} pods`);
    await written.fill(MANY_PODS);
    say('cluster: following them');
    figures.push(...(await observing(databases.sqlite, cluster.kubeconfig, written, holding)));
    return figures;
  } finally {
    written.close();
    await cluster.down();
  }
}

/** A change of claim as the viewer of the org receives it. */
interface ToldTransition {
  readonly service: string;
  readonly to: string;
}

interface ObservedCluster {
  readonly agent: Program;
  readonly server: Served;
  /** From the start of the agent until every service was told as running. */
  readonly shownMs: number;
  /** Calls `told` with whatever the viewer receives from now on. */
  onTold(told: (transition: ToldTransition) => void): void;
}

/** Runs a server, a viewer and an agent, and acts once every service is told as running. */
async function observing(
  database: BenchDatabase,
  kubeconfig: string,
  written: WrittenCluster,
  act: (observed: ObservedCluster) => Promise<Figure[]>,
): Promise<Figure[]> {
  const data = mkdtempSync(join(tmpdir(), 'evident-agent-'));
  const server = await Served.start(database, 'cluster', []);
  let told: (transition: ToldTransition) => void = () => {};
  const stop = await server.watch('/v1/events', (event, text) => {
    if (event === 'transition') told(JSON.parse(text) as ToldTransition);
  });
  await server.call('PUT', '/v1/targets/lab/observation', { namespaces: ['*'] });
  const began = performance.now();
  const agent = Program.start(
    [...'agent --runtime kubernetes --target lab'.split(' '), '--kubeconfig', kubeconfig, '--data', data],
    { EVIDENT_SERVER: server.address, EVIDENT_TOKEN: await server.tokenFor('agent') },
  );
  try {
    const awaited = new Set(written.services());
    told = ({ service, to }) => to === 'running' && awaited.delete(service);
    while (awaited.size > 0) {
      if (performance.now() - began > PATIENCE_MS)
        throw new Error(`${awaited.size} services are not running`);
      await wait(20);
    }
    const shownMs = performance.now() - began;
    const onTold = (next: typeof told) => {
      told = next;
    };
    return await act({ agent, server, shownMs, onTold });
  } finally {
    stop();
    await agent.end();
    await server.close();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Half of the changes make a pod unready, and its service degraded; the others make it ready again. */
async function changing(
  { agent, server, onTold }: ObservedCluster,
  written: WrittenCluster,
  { name: store }: BenchDatabase,
  seconds: number,
): Promise<Figure[]> {
  const services = written.services();
  const waiting = new Map<string, number>();
  const waits = { degraded: [] as number[], running: [] as number[] };
  onTold(({ service, to }) => {
    const since = waiting.get(`${service} ${to}`);
    if (since === undefined || (to !== 'degraded' && to !== 'running')) return;
    waiting.delete(`${service} ${to}`);
    waits[to].push(performance.now() - since);
  });
  const write = async (nth: number, ready: boolean) => {
    const deployment = nth % services.length;
    waiting.set(`${services[deployment]} ${ready ? 'running' : 'degraded'}`, performance.now());
    await written.setReady(deployment, ready);
  };
  const before = { agent: processCost(agent.pid), server: processCost(server.pid) };
  const began = performance.now();
  const pairs = seconds * (CHANGES_A_SECOND / 2);
  const apart = (BROKEN_MS / 1000) * (CHANGES_A_SECOND / 2);
  const writing: Promise<void>[] = [];
  for (let n = 0; n < pairs + apart; n++) {
    if (n < pairs) writing.push(write(n, false));
    if (n >= apart) writing.push(write(n - apart, true));
    // By the clock and not by pauses, which add up to fewer changes than promised.
    await wait(Math.max(0, began + ((n + 1) * 2_000) / CHANGES_A_SECOND - performance.now()));
  }
  await Promise.all(writing);
  const took = performance.now() - began;
  const after = { agent: processCost(agent.pid), server: processCost(server.pid) };
  await wait(RUNNING_AGAIN_MS);
  const row = { bench: 'cluster', store, beside: null, ratio: null, goal: null };
  const value = quantile(waits.degraded, 0.99);
  const load = `${PODS.toLocaleString('en')} pods, ${CHANGES_A_SECOND} changes a second`;
  const share = (of: 'agent' | 'server') => (100 * (after[of].cpuMs - before[of].cpuMs)) / took;
  return [
    {
      ...{ ...row, what: `${load}: told, p99`, value, unit: 'ms' },
      ...{ beside: { name: 'promised', value: PROMISED_MS }, ratio: value / PROMISED_MS, goal: atMost(1) },
    },
    { ...row, what: 'told, p50', value: quantile(waits.degraded, 0.5), unit: 'ms' },
    {
      ...{ ...row, what: 'told as running again, with its window and the proof of a watch, p50' },
      ...{ value: quantile(waits.running, 0.5), unit: 'ms' },
    },
    {
      ...{ ...row, what: 'told, of what should be', unit: '%' },
      value: (100 * (waits.degraded.length + waits.running.length)) / (2 * pairs),
    },
    { ...row, what: 'the agent, of one core', value: share('agent'), unit: '%' },
    { ...row, what: 'the agent, memory at its peak', value: after.agent.peakBytes / 1e6, unit: 'MB' },
    { ...row, what: 'the server, of one core', value: share('server'), unit: '%' },
  ];
}

/** Nothing changes: the memory that it took to come there, and the work that staying there takes. */
async function holding({ agent, shownMs }: ObservedCluster): Promise<Figure[]> {
  const before = processCost(agent.pid);
  await wait(CALM_MS);
  const { cpuMs, peakBytes } = processCost(agent.pid);
  const value = peakBytes / 1e6;
  const row = { bench: 'cluster', store: '', beside: null, ratio: null, goal: null };
  const pods = `${MANY_PODS.toLocaleString('en')} pods`;
  return [
    {
      ...{ ...row, what: `${pods}, memory of the agent at its peak`, value, unit: 'MB' },
      ...{ beside: { name: 'promised', value: PROMISED_MB }, ratio: value / PROMISED_MB, goal: atMost(1) },
    },
    {
      ...row,
      what: `${pods}, from the start of the agent to the last shown running`,
      value: shownMs,
      unit: 'ms',
    },
    {
      ...{ ...row, what: `${pods}, the agent, of one core while nothing changes`, unit: '%' },
      value: (100 * (cpuMs - before.cpuMs)) / CALM_MS,
    },
  ];
}
