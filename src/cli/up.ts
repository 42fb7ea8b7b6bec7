import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import manifest from '../../package.json' with { type: 'json' };
import { ProcessAgent } from '../agent/process-agent.ts';
import { surviveExchanges } from '../last-resort/last-resort.ts';
import { type Isolation, isolationOf, NO_ISOLATION } from '../runtime/process/isolation.ts';
import { type Config, resolveConfig } from '../server/config.ts';
import { type RunningServer, startServer } from '../server/server.ts';
import { makeDirectory } from '../store/make-directory.ts';
import { lockDirectory } from '../store/sqlite/directory.ts';
import { runWorker } from '../worker/worker.ts';
import { explainAgentError as explainAgent, routerPortOf } from './agent.ts';
import { componentOf } from './component-client.ts';
import type { FoundConnection } from './find-connection.ts';
import { LogLines } from './log-lines.ts';
import { outsidePackages } from './outside-packages.ts';
import { printRefusals } from './print-refusals.ts';
import { routerOf, tlsOf } from './router.ts';
import { explainServerError } from './server.ts';
import { showExample, TARGET } from './up-example.ts';
import { UpOutput } from './up-output.ts';

export interface UpOptions {
  readonly output: 'text' | 'json';
  readonly routerPort?: string;
  readonly example?: boolean;
  readonly trustApps?: boolean;
  readonly [setting: string]: unknown;
}

const MIN_FREE_BYTES = 512 * 1024 ** 2;

/**
 * `evident up`: runs server, worker and agent with the process runtime in one process, for the target
 * `local`. They talk to each other over the same HTTP as on separate machines, so that nothing holds only
 * here.
 */
export function runUp({
  output: format,
  example = false,
  trustApps = false,
  ...flags
}: UpOptions): Promise<void> {
  return printRefusals(async () => {
    const { config } = resolveConfig(flags);
    const output = new UpOutput(format, config.data);
    const stop = abortOnSignal(output);
    let running = 0;
    const isolation = trustApps ? NO_ISOLATION : isolationOf(placeOf(config), placesOf(config));
    const openToApps = !trustApps && isolation.kind === 'none';
    const { log, server } = await begin(config, openToApps).catch(explainServerError(config));
    try {
      const token = readFileSync(join(config.data, 'admin-token'), 'utf8').trim();
      const administrator = { server: server.api, token, place: config.data };
      const { agent, release, reported, ended } = await startParts(
        administrator,
        config,
        isolation,
        log,
        stop,
      );
      try {
        await Promise.race([reported, ended]);
        const { api, ui } = server;
        const router = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${agent.router.port}`;
        const app = example ? await showExample({ server: api, token }, format, stop.signal) : [];
        if (!stop.signal.aborted) output.ready({ api, ui, router }, app, isolation.kind !== 'none');
        await ended;
      } finally {
        stop.abort();
        await ended.catch(() => {});
        release();
        running = await agent.instanceCount();
      }
    } finally {
      await server.stop();
    }
    output.stopped(running);
    process.exitCode = 0;
  }, format);
}

async function begin(config: Config, openToApps: boolean): Promise<{ log: Logger; server: RunningServer }> {
  const log = logTo(config.data);
  surviveExchanges((error) =>
    log.error({ err: error }, 'an exchange ended by an error that nobody expected'),
  );
  return { log, server: await startServer(config, log, { openToApps }) };
}

/** Every directory in which Evident keeps something. */
const placesOf = ({ data, files }: Config) => [
  data,
  outsidePackages(data),
  ...(files === null ? [] : [files]),
];

const placeOf = ({ data }: Config) => join(data, 'runtime', TARGET);

interface Parts {
  readonly agent: ProcessAgent;
  readonly release: () => void;
  /** Resolves when the agent has reported what runs here. */
  readonly reported: Promise<void>;
  /** Resolves when both have stopped; rejects with the error that stopped one of them. */
  readonly ended: Promise<unknown>;
}

async function startParts(
  administrator: FoundConnection,
  config: Config,
  isolation: Isolation,
  log: Logger,
  stop: AbortController,
): Promise<Parts> {
  const say = (line: string) => log.info(line);
  const dir = placeOf(config);
  const { release } = lockDirectory(dir);
  try {
    const builder = {
      role: 'builder',
      name: 'builder-local',
      file: join(config.data, 'builder-token'),
    } as const;
    const speaker = {
      role: 'agent',
      name: 'agent-local',
      target: TARGET,
      file: join(dir, 'agent-token'),
    } as const;
    const { client } = await componentOf(administrator, speaker);
    const router = { host: config.host, port: routerPortOf(config.routerPort, config.port) };
    const outside = isolation.kind === 'users' ? isolation.apps : outsidePackages(config.data);
    const agent = await ProcessAgent.open({
      ...{ client, dir, say, isolation, artifacts: join(outside, 'runtime', TARGET, 'artifacts') },
      router: routerOf({
        data: config.data,
        target: TARGET,
        ...router,
        tls: tlsOf(config, router.port),
        say,
      }),
      ...{ target: TARGET, name: speaker.name, version: manifest.version },
    }).catch(explainAgent(router.port, router.host, dir));
    const worker = {
      client: (await componentOf(administrator, builder)).client,
      name: builder.name,
      dir: join(outside, 'worker'),
      caches: join(outside, 'worker', 'caches', TARGET),
      ...{ concurrency: 1, minFreeBytes: MIN_FREE_BYTES, pass: [], say, isolation },
    };
    // If one ends by itself the other is ended too: half of Evident must not look like all of it.
    const end = () => stop.abort();
    let ready = () => {};
    const reported = new Promise<void>((done) => {
      ready = done;
    });
    const parts = [runWorker(worker, stop.signal), agent.run(stop.signal, () => ready())];
    const ended = Promise.all(parts.map((part) => part.finally(end)));
    ended.catch(() => {});
    return { agent, release, reported, ended };
  } catch (error) {
    release();
    throw error;
  }
}

/** One Ctrl-C can arrive twice, from the terminal and from the parent process. */
const SAME_PRESS_MS = 500;

/** The first signal stops in order, the second at once. */
function abortOnSignal(output: UpOutput): AbortController {
  const stop = new AbortController();
  let signalledAt = 0;
  const onSignal = () => {
    if (!stop.signal.aborted) {
      signalledAt = performance.now();
      output.stopping();
      stop.abort();
    } else if (performance.now() - signalledAt > SAME_PRESS_MS) process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return stop;
}

/** The terminal shows only the output of `up`; the operator's log goes to a file. */
function logTo(data: string): Logger {
  makeDirectory(data);
  const level = process.env.EVIDENT_LOG ?? 'info';
  return pino({ level, base: null }, LogLines.to(join(data, 'evident.log')));
}
