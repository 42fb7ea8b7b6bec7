import type { Caller } from '../src/access/caller.ts';
import type { Host } from '../src/evidence/door/host.ts';
import type { Offer } from '../src/ownership/offer.ts';
import { intact, isIntact } from '../src/store/broken-row.ts';
import type { Store } from '../src/store/port.ts';
import { type Bare, barePostgres, bareSqlite, type Sample } from './bare.ts';
import type { Context } from './context.ts';
import { type BenchDatabase, createPlatform, databasesOf } from './databases.ts';
import { atLeast, type Figure } from './figures.ts';
import { type HttpLease, HttpWorker, UNHURRIED } from './http-worker.ts';
import { benchCaller, deploySource, itemOf, publishAll, send, take } from './life.ts';
import { interleaved, LONG_WARM_MS, rateOf } from './rounds.ts';
import { Served } from './served.ts';

const ORG = 'ingest';
const SERVICES = 16;
/** Each batch is about several services, as a worker's with several builds is. */
const SERVICES_OF_BATCH = 4;
const BATCH = 100;
const SINGLE_CALLERS = 64;
const BATCH_CALLERS = SERVICES / SERVICES_OF_BATCH;
/** As many connections as the store itself works with. */
const CONNECTIONS = 10;

/** Durable evidence per second, beside the driver alone. */
export async function ingest(context: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(context.databases)) figures.push(...(await ingestOn(context, database)));
  return figures;
}

async function ingestOn(
  { databases, effort, quick, say }: Context,
  database: BenchDatabase,
): Promise<Figure[]> {
  say(`ingest: ${SERVICES} leased builds on ${database.name}`);
  const host = await createPlatform(database, 'ingest');
  const forMs = quick ? 150 : 300;
  let bare: Bare | null = null;
  const served = await Served.start(database, 'ingest_http', UNHURRIED);
  const builder = await HttpWorker.of(served, 'builder');
  try {
    const leases = await builder.leasedBuilds(SERVICES);
    const overHttp = (of: readonly HttpLease[]) => builder.send(of, 'build.progress', progress);
    const source = new ProgressSource(
      host,
      benchCaller(ORG, 'builder', 'builder-a'),
      await leasedBuilds(host, ORG, SERVICES),
    );
    await source.batch(0);
    const beside = await bareBeside(database, host.store);
    bare = beside;
    const result = await interleaved(
      { ...effort, warmMs: LONG_WARM_MS },
      {
        batches: () => rateOf(forMs, BATCH_CALLERS, (c) => source.batch(c)),
        limit: () => rateOf(forMs, BATCH_CALLERS, (c) => beside.batch(BATCH, servicesOf(c))),
        httpBatches: () => rateOf(forMs, BATCH_CALLERS, (c) => overHttp(batchOf(leases, c))),
        singles: () => rateOf(forMs, SINGLE_CALLERS, (c) => source.single(c)),
        httpSingles: () =>
          rateOf(forMs, SINGLE_CALLERS, (c) => overHttp(leases.slice(c % SERVICES, (c % SERVICES) + 1))),
        naive: () => rateOf(forMs, SINGLE_CALLERS, () => beside.single()),
      },
    );
    const line = { bench: 'ingest', store: database.name, unit: 'evidence/s' };
    return [
      {
        ...line,
        what: `over HTTP, batches of ${BATCH}, ${BATCH_CALLERS} connections`,
        value: result.median('httpBatches'),
        beside: { name: `bare driver, batches of ${BATCH}`, value: result.median('limit') },
        ratio: result.ratio('httpBatches', 'limit'),
        goal: atLeast(0.5),
      },
      {
        ...line,
        what: `over HTTP, singles, ${SINGLE_CALLERS} connections`,
        value: result.median('httpSingles'),
        beside: { name: 'one row per commit', value: result.median('naive') },
        ratio: result.ratio('httpSingles', 'naive'),
        goal: database === databases.postgres ? atLeast(3) : null,
      },
      {
        ...line,
        what: `batches of ${BATCH}, ${BATCH_CALLERS} callers`,
        value: result.median('batches'),
        beside: { name: `bare driver, batches of ${BATCH}`, value: result.median('limit') },
        ratio: result.ratio('batches', 'limit'),
        goal: atLeast(0.5),
      },
      {
        ...line,
        what: `singles, ${SINGLE_CALLERS} callers`,
        value: result.median('singles'),
        beside: { name: 'one row per commit', value: result.median('naive') },
        ratio: result.ratio('singles', 'naive'),
        goal: database === databases.postgres ? atLeast(3) : null,
      },
    ];
  } finally {
    builder.close();
    await served.close();
    await bare?.close();
    await host.close();
  }
}

/** Builds that are under way, each under its lease. */
export async function leasedBuilds(host: Host, org: string, count: number): Promise<Offer[]> {
  const offers: Offer[] = [];
  for (let i = 0; i < count; i++) {
    await deploySource(host, org, `app-${i}@lab`);
    await publishAll(host, org);
    const offer = await take(host, benchCaller(org, 'builder', 'builder-a'));
    if (offer === null) throw new Error('a build was not offered');
    offers.push(offer);
  }
  return offers;
}

const servicesOf = (caller: number) =>
  Array.from({ length: SERVICES_OF_BATCH }, (_, i) => caller * SERVICES_OF_BATCH + i);

const progress = (step: number) => ({ step, message: 'compiling src/main.ts' });

function batchOf(leases: readonly HttpLease[], caller: number): HttpLease[] {
  const own = servicesOf(caller).flatMap((service) => leases[service] ?? []);
  return Array.from({ length: BATCH }, (_, i) => own[i % own.length]).filter((lease) => lease !== undefined);
}

/** Progress of builds, every item new. */
class ProgressSource {
  readonly #host: Host;
  readonly #caller: Caller;
  readonly #offers: readonly Offer[];
  #made = 0;

  constructor(host: Host, caller: Caller, offers: readonly Offer[]) {
    this.#host = host;
    this.#caller = caller;
    this.#offers = offers;
  }

  batch(caller: number): Promise<number> {
    const services = servicesOf(caller);
    const items = Array.from({ length: BATCH }, (_, i) => this.#item(services[i % services.length] ?? 0));
    return send(this.#host, this.#caller, items);
  }

  single(caller: number): Promise<number> {
    return send(this.#host, this.#caller, [this.#item(caller % this.#offers.length)]);
  }

  #item(service: number) {
    const offer = this.#offers[service];
    if (offer === undefined) throw new Error(`there is no service ${service}`);
    const step = ++this.#made;
    return itemOf(offer, 'build.progress', `p-${step}`, progress(step));
  }
}

/** A second database with the same tables, for the driver alone. */
async function bareBeside(database: BenchDatabase, store: Store): Promise<Bare> {
  const sample = await sampleOf(store);
  const where = await database.create('bare');
  const beside = await database.open(where);
  await beside.transact(async (tx) => {
    await tx.insert('heads', sample.head);
    for (const row of sample.services) await tx.insert('services', row);
  });
  await beside.close();
  return database.name === 'SQLite' ? bareSqlite(where, sample) : barePostgres(where, sample, CONNECTIONS);
}

/** The rows that the newest item left in the store. */
async function sampleOf(store: Store): Promise<Sample> {
  return store.read(async (tx) => {
    const services = (await tx.select('services', { org: ORG })).filter(isIntact);
    const [newest] = await tx.select(
      'ledger',
      { org: ORG, kind: 'build.progress' },
      { order: 'position', descending: true, limit: 1 },
    );
    const ledger = intact(newest);
    const id =
      ledger && intact(await tx.get('evidenceIds', { org: ORG, source: 'worker/builder-a', id: ledger.id }));
    const head = intact(await tx.get('heads', { org: ORG }));
    if (ledger === undefined || id === undefined || head === undefined)
      throw new Error('nothing was ingested');
    return { head, ledger, id, services };
  });
}
