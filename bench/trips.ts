import type { Host } from '../src/evidence/door/host.ts';
import { claimAt, claimNow, history } from '../src/evidence/read.ts';
import { acquire } from '../src/ownership/acquire.ts';
import { heartbeat } from '../src/ownership/heartbeat.ts';
import { cloneService } from './clone.ts';
import type { Context } from './context.ts';
import { Counting } from './counting.ts';
import { platformOn } from './databases.ts';
import type { Figure } from './figures.ts';
import {
  ARTIFACT,
  applyAll,
  benchCaller,
  bringUp,
  deploySource,
  holdArtifact,
  itemOf,
  publishAll,
  send,
  unwrapAnswer,
} from './life.ts';

const ORG = 'trips';

/**
 * Round trips per verb, the one of COMMIT among them. No time is measured, so the figures are
 * the same on every machine; what they are made of goes to the other stream, line by line.
 */
export async function trips({ databases, say }: Context): Promise<Figure[]> {
  const store = await databases.sqlite.open(await databases.sqlite.create('trips'));
  const counting = new Counting(store);
  const host = platformOn(counting);
  const figures: Figure[] = [];
  const count = async <T>(what: string, units: number, verb: () => Promise<T>): Promise<T> => {
    counting.reset();
    const result = await verb();
    const value = counting.total / units;
    figures.push({
      bench: 'trips',
      what,
      store: '',
      value,
      unit: 'trips',
      beside: null,
      ratio: null,
      goal: null,
    });
    say(`${what}: ${counting.total} = ${counting.lines().join(', ')}`);
    return result;
  };
  try {
    await ofCommand(host, count);
    await ofReports(host, count);
  } finally {
    await store.close();
  }
  return figures;
}

type Count = <T>(what: string, units: number, verb: () => Promise<T>) => Promise<T>;

async function ofCommand(host: Host, count: Count): Promise<void> {
  const service = 'app@lab';
  const builder = benchCaller(ORG, 'builder', 'builder-a');
  const request = { kinds: ['build'] as const, worker: builder.name, instance: builder.instance };
  await holdArtifact(host, ORG);
  await count('deploy, new', 1, () => deploySource(host, ORG, service));
  await count('deploy, superseding', 1, () => deploySource(host, ORG, service));
  await count('publish one', 1, () => publishAll(host, ORG));
  const {
    offers: [offer],
  } = unwrapAnswer(await count('acquire', 1, () => acquire(host, builder, request)));
  if (offer === undefined) throw new Error('the build was not offered');
  const beat = () => heartbeat(host, builder, offer.id, offer.fence);
  await count('heartbeat, the first', 1, beat);
  await count('heartbeat', 1, beat);
  const item = (n: number) => itemOf(offer, 'build.progress', `p-${n}`, { step: n, message: '' });
  await count('submit one progress', 1, () => send(host, builder, [item(0)]));
  const batch = Array.from({ length: 100 }, (_, i) => item(i + 1));
  await count('submit 100 progress, each', 100, () => send(host, builder, batch));
  await count('complete', 1, () =>
    send(host, builder, [itemOf(offer, 'artifact.stored', 'stored', { digest: ARTIFACT, size: 1 })]),
  );
  await count('claim now', 1, () => claimNow(host, ORG, service));
  await count('claim at', 1, () => claimAt(host, ORG, service, Date.now()));
  await count('history page of 20', 1, () => history(host, ORG, service, 20));
}

async function ofReports(host: Host, count: Count): Promise<void> {
  const started = Array.from({ length: 100 }, (_, i) => `web-${i}@new`);
  const starter = await applyAll(host, ORG, started, 'new');
  await count('report, first, ends 100 attempts', 1, () => starter.full(started));
  const watcher = await bringUp(host, ORG, 'web@fleet', 'fleet');
  const copies = Array.from({ length: 99 }, (_, i) => `web-${i}@fleet`);
  await cloneService(host.store, ORG, 'web@fleet', copies);
  const all = ['web@fleet', ...copies];
  await watcher.full(all);
  await count('report, heartbeat', 1, () => watcher.heartbeat());
  await count('report, calm, 100 services', 1, () => watcher.full(all));
  await count('report, one change of 100', 1, () => watcher.change(['web@fleet'], 1));
  await count('report, change that names 99', 1, () => watcher.change(copies, 0));
  await count('report, full, one change of 100', 1, () => watcher.full(all, 2));
}
