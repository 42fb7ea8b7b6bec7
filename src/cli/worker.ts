import { createHash } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { surviveExchanges } from '../last-resort/last-resort.ts';
import { isolationOf, NO_ISOLATION } from '../runtime/process/isolation.ts';
import { ConfigRefused } from '../server/config.ts';
import { runWorker } from '../worker/worker.ts';
import { componentClient } from './component-client.ts';
import type { ConnectionOptions } from './find-connection.ts';
import { outsidePackages } from './outside-packages.ts';
import { printRefusals } from './print-refusals.ts';
import { NOT_ISOLATED } from './up-output.ts';

export interface WorkerFlags extends ConnectionOptions {
  readonly kinds: string;
  readonly name?: string;
  readonly data?: string;
  readonly concurrency: number;
  readonly buildEnv?: readonly string[];
  readonly minFreeMb: number;
  readonly trustApps?: boolean;
  readonly output: 'text' | 'json';
}

/** `evident worker`: builds until it is stopped, then releases its leases. */
export function runWorkerCommand(flags: WorkerFlags): Promise<void> {
  return printRefusals(async () => {
    if (flags.kinds !== 'build')
      throw new ConfigRefused(
        `--kinds ${flags.kinds}: a worker builds (build); apply and remove are for an agent.`,
      );
    if (flags.concurrency < 1) throw new ConfigRefused('--concurrency: at least one build at a time.');
    const data = resolve(flags.data ?? process.env.EVIDENT_DATA ?? join(homedir(), '.evident'));
    const name = flags.name ?? hostname();
    const { client, token } = await componentClient(flags, {
      role: 'builder',
      name,
      file: join(data, 'builder-token'),
    });
    surviveExchanges((error) =>
      console.error(`An exchange ended by an error that nobody expected: ${error.stack}`),
    );
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    console.log(
      flags.output === 'json'
        ? JSON.stringify({ event: 'ready', worker: name, server: client.server })
        : `${name} builds for ${client.server}`,
    );
    // Another token may belong to another org, which must not find this org's caches.
    const whose = createHash('sha256').update(`${client.server}\n${token}`).digest('hex').slice(0, 12);
    const isolation = flags.trustApps
      ? NO_ISOLATION
      : isolationOf(join(data, 'worker'), [data, outsidePackages(data)]);
    if (isolation.kind === 'none') console.error(NOT_ISOLATED);
    const outside = isolation.kind === 'users' ? isolation.apps : outsidePackages(data);
    await runWorker(
      {
        client,
        name,
        dir: join(outside, 'worker'),
        caches: join(outside, 'worker', 'caches', whose),
        concurrency: flags.concurrency,
        minFreeBytes: flags.minFreeMb * 1024 ** 2,
        pass: flags.buildEnv ?? [],
        isolation,
        say: (line) => console.error(line),
      },
      stop.signal,
    );
  }, flags.output);
}
