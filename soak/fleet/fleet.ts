import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../lab/free-port.ts';
import { newDatabase, type OwnCluster, startPostgres } from '../../lab/postgres.ts';
import { Client } from '../../src/client/client.ts';
import { People } from '../../src/client/people.ts';
import { SOAK_TARGET } from '../apps.ts';
import { SteppedClock } from './clock.ts';
import { type FleetDisk, openDisk } from './disk.ts';
import { FleetPart, type OwnEnd } from './part.ts';
import { LinkProxy } from './proxy.ts';

export type SoakStore = 'sqlite' | 'postgres';

interface FleetOptions {
  readonly store: SoakStore;
  readonly freshForMs: number;
  readonly onOwnEnd: (end: OwnEnd) => void;
}

export interface FleetServer {
  readonly part: FleetPart;
  readonly clock: SteppedClock;
  /** Speaks to this server directly, as an administrator. */
  readonly client: Client;
}

/** Real programs on one machine: servers, an agent and a worker behind proxies, a database, a disk. */
export interface SoakFleet {
  readonly servers: readonly FleetServer[];
  readonly agent: FleetPart;
  readonly worker: FleetPart;
  readonly clocks: Readonly<Record<'agent' | 'worker', SteppedClock>>;
  readonly links: Readonly<Record<'agent' | 'worker', LinkProxy>>;
  /** Null: SQLite, which has no process of its own. */
  readonly database: OwnCluster | null;
  readonly disk: FleetDisk;
  readonly routerPort: number;
  readonly builderToken: string;
  readonly agentToken: string;
  /** An operator can say that a place is no more. */
  readonly canRetire: boolean;
  /** Ends all of it; apps are not its own. */
  close(): Promise<void>;
}

const REPORTS_PER_FRESHNESS = 5;
const LEASE_TTL_MS = 10_000;
/** A build of these apps needs next to nothing, and a full disk is tried by filling it. */
const WORKER_MIN_FREE_MB = 16;

/** Whatever becomes of the start, what was started ends. */
export async function startFleet(options: FleetOptions): Promise<SoakFleet> {
  const ends: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  try {
    return await start(options, (end) => ends.push(end), close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(
  { store, freshForMs, onOwnEnd }: FleetOptions,
  atEnd: (end: () => Promise<void> | void) => void,
  close: () => Promise<void>,
): Promise<SoakFleet> {
  const disk = openDisk();
  process.once('exit', disk.remove);
  atEnd(() => {
    process.off('exit', disk.remove);
    disk.remove();
  });
  const startPart = async (name: string, args: readonly string[], env: Readonly<Record<string, string>>) => {
    const part = await FleetPart.start(name, args, env, onOwnEnd);
    atEnd(() => part.close());
    const killNow = () => part.killNow();
    process.once('exit', killNow);
    atEnd(() => void process.off('exit', killNow));
    return part;
  };

  const cluster = store === 'postgres' ? await ownPostgres() : null;
  if (cluster !== null) atEnd(cluster.stop);
  const files = join(disk.dir, 'files');
  const shared =
    cluster === null ? [] : ['--database', await newDatabase(cluster.url, 'soak'), '--files', files];
  mkdirSync(files);

  const servers: FleetServer[] = [];
  const ports: number[] = [];
  for (const name of cluster === null ? ['server'] : ['server-a', 'server-b']) {
    const port = await freePort();
    const data = join(disk.dir, name);
    const clock = new SteppedClock(disk.dir, name);
    const timing = [
      ...['--fresh-for', String(freshForMs), '--lease-ttl', String(LEASE_TTL_MS)],
      ...['--report-every', String(Math.round(freshForMs / REPORTS_PER_FRESHNESS))],
    ];
    const args = ['server', '--data', data, '--port', String(port), ...timing, ...shared];
    const part = await startPart(name, args, clock.env);
    const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
    servers.push({ part, clock, client: new Client(`http://127.0.0.1:${port}`, token) });
    ports.push(port);
  }

  const [first] = servers;
  if (first === undefined) throw new Error('a fleet has a server');
  const people = new People(first.client);
  const builderToken = (await people.createToken({ role: 'builder' })).token;
  const agentToken = (await people.createToken({ role: 'agent', target: SOAK_TARGET })).token;
  const link = async () => {
    const proxy = await LinkProxy.start(ports);
    atEnd(() => proxy.close());
    return proxy;
  };
  const links = { agent: await link(), worker: await link() };
  const clocks = {
    agent: new SteppedClock(disk.dir, 'agent'),
    worker: new SteppedClock(disk.dir, 'worker'),
  };
  const routerPort = await freePort();
  const agent = await startPart(
    'agent',
    [
      ...['agent', '--trust-apps', '--target', SOAK_TARGET, '--data', join(disk.dir, 'agent')],
      ...['--router-port', String(routerPort)],
    ],
    { ...clocks.agent.env, EVIDENT_SERVER: links.agent.address, EVIDENT_TOKEN: agentToken },
  );
  const worker = await startPart(
    'worker',
    [
      'worker',
      '--trust-apps',
      '--data',
      join(disk.dir, 'worker'),
      '--min-free-mb',
      String(WORKER_MIN_FREE_MB),
    ],
    { ...clocks.worker.env, EVIDENT_SERVER: links.worker.address, EVIDENT_TOKEN: builderToken },
  );
  const database = cluster?.own ?? null;
  const api = await first.client.call<{ paths: object }>('GET', '/openapi.json');
  const canRetire = Object.keys(api.paths).some((path) => path.endsWith('/retirements'));
  return {
    ...{ servers, agent, worker, links, clocks, database, disk, routerPort },
    ...{ builderToken, agentToken, canRetire, close },
  };
}

async function ownPostgres() {
  const started = await startPostgres();
  if (!started.ok) throw new Error(started.why);
  if (started.cluster.own === null)
    throw new Error('the soak kills its database: unset EVIDENT_TEST_DATABASE_URL');
  return started.cluster;
}
