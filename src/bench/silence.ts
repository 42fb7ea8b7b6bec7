import type { Context } from './context.ts';
import { atMost, type Figure } from './figures.ts';
import type { Place } from './places.ts';
import { quantile } from './rounds.ts';
import { IMAGE, Served } from './served.ts';

const FRESH_MS = 2_000;
/** What is promised: freshness and a second, in every interface. */
const PROMISED_MS = FRESH_MS + 1_000;

/** An agent that is no longer heard: how long until somebody who asks, and somebody who watches, is told `unknown`. */
export async function silence({ places, quick, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const place of [places.sqlite, places.postgres]) {
    if (place === null) continue;
    say(`silence on ${place.name}`);
    figures.push(...(await on(place, quick ? 4 : 12)));
  }
  return figures;
}

async function on(place: Place, rounds: number): Promise<Figure[]> {
  const served = await Served.start(place, 'silence', [
    '--fresh-for',
    String(FRESH_MS),
    '--report-every',
    '500',
  ]);
  try {
    const { report, applied } = await running(served);
    const told = { asked: [] as number[], watched: [] as number[], back: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      await applied();
      const watching = stateSeen(served, 'unknown');
      await watching.ready;
      const last = performance.now();
      await report();
      const asked = stateAsked(served, 'unknown');
      told.watched.push((await watching.seen) - last);
      told.asked.push((await asked) - last);
      const returning = stateSeen(served, 'running');
      await returning.ready;
      const again = performance.now();
      await report();
      told.back.push((await returning.seen) - again);
    }
    return [
      figure(place, 'unknown, by asking, p99', told.asked, PROMISED_MS),
      figure(place, 'unknown, on a stream, p99', told.watched, PROMISED_MS),
      figure(place, 'running again, on a stream, p99', told.back, 500),
    ];
  } finally {
    await served.close();
  }
}

function figure(place: Place, what: string, values: readonly number[], promised: number): Figure {
  const value = quantile(values, 0.99);
  return {
    bench: 'silence',
    what,
    store: place.name,
    value,
    unit: 'ms',
    beside: { name: promised === PROMISED_MS ? 'freshness + 1 s' : 'one report', value: promised },
    ratio: value / promised,
    goal: atMost(1),
  };
}

/** A service that runs, its agent's reports, and waiting until it runs (again). */
async function running(served: Served) {
  const token = await served.tokenFor('agent');
  const agent = { agent: 'a', instance: 'i', version: '1', identity: 'u' };
  const { epoch } = await served.call('POST', '/v1/targets/lab/registrations', agent, token);
  await served.call('POST', '/v1/services/web@lab/deployments', {
    image: IMAGE,
    spec: { port: 80, stabilityMs: 0 },
  });
  const ask = { kinds: ['apply'], target: 'lab', worker: 'a', instance: 'i', waitMs: 10_000 };
  const { lease } = await served.call('POST', '/v1/leases', ask, token);
  const { service, revision, attempt, command, fence } = lease;
  const item = { id: 'e', kind: 'runtime.applied', service, revision, attempt, command, fence, body: {} };
  await served.call('POST', '/v1/evidence', { items: [item] }, token);
  const stamp = { service, revision, attempt };
  const instance = { uid: 'u', ...stamp, fence, artifact: IMAGE, phase: 'running', ready: true };
  let seq = 0;
  const report = () =>
    served.call(
      'POST',
      '/v1/targets/lab/reports',
      {
        epoch,
        seq: String(++seq),
        complete: true,
        instances: [instance],
        services: [{ service, route: { answers: true, revision, attempt } }],
      },
      token,
    );
  const applied = async () => {
    do await report();
    while ((await served.call('GET', '/v1/services/web@lab/status')).state !== 'running');
  };
  return { report, applied };
}

async function stateAsked(served: Served, state: string): Promise<number> {
  while ((await served.call('GET', '/v1/services/web@lab/status')).state !== state)
    await new Promise((later) => setTimeout(later, 10));
  return performance.now();
}

function stateSeen(served: Served, state: string): { ready: Promise<void>; seen: Promise<number> } {
  let opened = () => {};
  const ready = new Promise<void>((done) => {
    opened = done;
  });
  const seen = new Promise<number>((done, fail) => {
    let stop = () => {};
    served
      .watch('/v1/services/web@lab/events', (event, data) => {
        if (event !== 'claim' && event !== 'transition') return;
        const told = JSON.parse(data) as { state?: string; to?: string };
        opened();
        if ((told.to ?? told.state) !== state) return;
        stop();
        done(performance.now());
      })
      .then((end) => {
        stop = end;
      }, fail);
  });
  return { ready, seen };
}
