import { join, resolve } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { RouterEvents } from '../agent/process-agent.ts';
import { surviveExchanges } from '../last-resort/last-resort.ts';
import { RemoteRouter } from '../runtime/router-process/remote-router.ts';
import { runRouterProcess } from '../runtime/router-process/router-process.ts';
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

interface RouterPlace {
  readonly data: string;
  readonly target: string;
  readonly host: string;
  readonly port: number;
  readonly say: (line: string) => void;
}

/** The router of a place, which this program runs in a process of its own. */
export const routerOf = ({ data, target, host, port, say }: RouterPlace) => {
  const program = resolve(process.argv[1] ?? '');
  const args = [...process.execArgv, program, 'router', '--data', resolve(data), '--target', target];
  return (events: RouterEvents) =>
    new RemoteRouter({
      ...{ host, port, say, ...events },
      place: join(data, 'runtime', target),
      command: { program: process.execPath, args },
      version: manifest.version,
    });
};
