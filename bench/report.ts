import type { Context } from './context.ts';
import { type BenchDatabase, databasesOf } from './databases.ts';
import type { Figure } from './figures.ts';
import { Served } from './served.ts';

const SERVICES = 200;
const INSTANCES = 50;
/** A name and a node of this length make one instance about as large as a reported pod. */
const LONG = 280;

/**
 * One report of 10,000 instances of known services (F80): how long the server's one thread is kept from everybody
 * else meanwhile. Told by the server itself: `evident_event_loop_delay_seconds` is the longest since it was last read.
 */
export async function measureReport({ databases, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(databases)) {
    say(`report on ${database.name}`);
    // Long times, so that no agent falls silent on a busy machine.
    const args = ['--fresh-for', '600000', '--report-every', '60000'];
    figures.push(...(await Served.with(database, 'report', args, (served) => on(database, served, say))));
  }
  return figures;
}

async function on(database: BenchDatabase, served: Served, say: (line: string) => void): Promise<Figure[]> {
  const refs = Array.from({ length: SERVICES }, (_, i) => `s${i}@lab`);
  for (const ref of refs)
    await served.call('POST', `/v1/services/${ref}/deployments`, {
      observe: true,
      spec: { replicas: INSTANCES, port: null },
    });
  const token = await served.tokenFor('agent');
  const agent = { agent: 'a', instance: 'a-1', version: '1', identity: 'cluster' };
  const { epoch } = await served.call('POST', '/v1/targets/lab/registrations', agent, token);
  const figures: Figure[] = [];
  for (const [seq, what, restarts] of [
    ['1', 'all of it new', 0],
    ['2', 'nothing of it new', 0],
    ['3', 'every service changed', 1],
  ] as const) {
    const instances = refs.flatMap((service) => seen(service, restarts));
    const body = { epoch, seq, complete: true, scope: '*', watchAgeMs: 0, instances, services: [] };
    await longestDelay(served);
    const began = performance.now();
    await served.call('POST', '/v1/targets/lab/reports', body, token);
    const took = performance.now() - began;
    const value = 1000 * (await longestDelay(served));
    say(`${what}: ${(JSON.stringify(body).length / 1e6).toFixed(1)} MB, answered in ${took.toFixed(0)} ms`);
    const line = { bench: 'report', store: database.name, unit: 'ms', beside: null, ratio: null, goal: null };
    figures.push({ ...line, what: `10,000 instances, ${what}: the longest that others wait`, value });
    figures.push({ ...line, what: `10,000 instances, ${what}: answered`, value: took });
  }
  return figures;
}

function seen(service: string, restarts: number): object[] {
  return Array.from({ length: INSTANCES }, (_, i) => ({
    ...{ uid: `${service}-${i}`, name: `${service}-${i}-${'n'.repeat(LONG)}`, service },
    ...{ template: 'f00d', artifact: `registry.example/web@sha256:${'9b1f'.repeat(16)}` },
    ...{ phase: 'running', ready: true, restarts, node: `node-${'x'.repeat(LONG)}` },
    containers: ['main', 'sidecar'].map((kind) => ({ name: kind.repeat(12), kind, ready: true, restarts })),
    startedAt: '2026-11-14T14:02:00.000Z',
  }));
}

async function longestDelay(served: Served): Promise<number> {
  const text = await served.text('/metrics');
  return Number(/^evident_event_loop_delay_seconds (.+)$/m.exec(text)?.[1] ?? Number.NaN);
}
