import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { RouterEvents } from '../agent/process-agent.ts';
import { surviveExchanges } from '../last-resort/last-resort.ts';
import type { TlsOptions } from '../runtime/router/router.ts';
import { RemoteRouter } from '../runtime/router-process/remote-router.ts';
import { runRouterProcess } from '../runtime/router-process/router-process.ts';
import { type Config, ConfigRefused } from '../server/config.ts';
import { lockDirectory } from '../store/sqlite/directory.ts';
import { printRefusals } from './print-refusals.ts';
import { dataDirectory } from './store-options.ts';

export interface RouterFlags {
  readonly data?: string;
  readonly target: string;
}

/** `evident router`: the router of a target, in a process of its own, until it is stopped. */
export function runRouterCommand(flags: RouterFlags): Promise<void> {
  return printRefusals(async () => {
    const say = (line: string) => console.log(`${new Date().toISOString()} ${line}`);
    surviveExchanges((error) => say(`An exchange ended by an error that nobody expected: ${error.stack}`));
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    await runRouterProcess({
      place: join(dataDirectory(flags), 'runtime', flags.target),
      version: manifest.version,
      lock: (dir) => lockDirectory(dir).release,
      say,
      stop: stop.signal,
    });
  }, 'text');
}

/** The certificates and the port for https, as the settings have them. */
export function tlsOf({ tlsCert, tlsKey, tlsPort }: Config, routerPort: number): TlsOptions | null {
  if (tlsCert === null) {
    if (tlsKey !== null)
      throw new ConfigRefused('--tls-key needs --tls-cert: the certificate that it is the key of.');
    return null;
  }
  const isFolder = statSync(tlsCert, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder === (tlsKey !== null))
    throw new ConfigRefused(
      isFolder
        ? `${tlsCert} is a folder: its keys lie beside its certificates, so leave --tls-key out.`
        : `--tls-cert ${tlsCert} needs its key: name it with --tls-key.`,
    );
  return { cert: tlsCert, key: tlsKey, port: tlsPort ?? (routerPort === 0 ? 0 : routerPort + 1) };
}

interface RouterPlace {
  readonly data: string;
  readonly target: string;
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions | null;
  readonly say: (line: string) => void;
}

/** The router of a place, which this program runs in a process of its own. */
export const routerOf = ({ data, target, host, port, tls, say }: RouterPlace) => {
  const program = resolve(process.argv[1] ?? '');
  const args = [...process.execArgv, program, 'router', '--data', resolve(data), '--target', target];
  return (events: RouterEvents) =>
    new RemoteRouter({
      ...{ host, port, tls, say, ...events },
      place: join(data, 'runtime', target),
      command: { program: process.execPath, args },
      version: manifest.version,
    });
};
