import { hostname } from 'node:os';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { ProcessAgent } from '../agent/process-agent.ts';
import { surviveExchanges } from '../last-resort/last-resort.ts';
import { isolationOf, NO_ISOLATION } from '../runtime/process/isolation.ts';
import { ConfigRefused, resolveConfig } from '../server/config.ts';
import { lockDirectory } from '../store/sqlite/directory.ts';
import type { AgentFlags } from './agent-flags.ts';
import { componentClient } from './component-client.ts';
import { outsidePackages } from './outside-packages.ts';
import { UsageError } from './print-problem.ts';
import { printRefusals } from './print-refusals.ts';
import { routerOf, tlsOf } from './router.ts';
import { dataDirectory } from './store-options.ts';
import { NOT_ISOLATED } from './up-output.ts';

/** `evident agent`: applies and observes until it is stopped. The apps it started keep running then. */
export function runAgentCommand(flags: AgentFlags): Promise<void> {
  return printRefusals(async () => {
    const { target, routerHost } = flags;
    if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(target))
      throw new UsageError(`--target ${target}: a target’s name has up to 40 characters: a-z, 0-9 and -.`);
    if (flags.runtime === 'kubernetes')
      return (await import('./kubernetes-agent.ts')).runKubernetesAgent(flags);
    if (flags.runtime !== 'process')
      throw new UsageError(
        `--runtime ${flags.runtime}: there are process, which runs services here, and kubernetes, which observes a cluster.`,
      );
    const data = dataDirectory(flags);
    const name = flags.name ?? `agent-${hostname()}`.slice(0, 200);
    const dir = join(data, 'runtime', target);
    surviveExchanges((error) =>
      console.error(`An exchange ended by an error that nobody expected: ${error.stack}`),
    );
    const taken = lockDirectory(dir);
    try {
      const { client } = await componentClient(flags, {
        role: 'agent',
        name,
        target,
        file: join(dir, 'agent-token'),
      });
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
      const { routerPort, tlsCert, tlsKey, tlsPort } = flags;
      const { config } = resolveConfig({ data, routerPort, tlsCert, tlsKey, tlsPort });
      const port = routerPortOf(config.routerPort, Number(new URL(client.server).port || 7717));
      const tls = tlsOf(config, port);
      const say = (line: string) => console.error(line);
      const isolation = flags.trustApps ? NO_ISOLATION : isolationOf(dir, [data, outsidePackages(data)]);
      if (isolation.kind === 'none') say(NOT_ISOLATED);
      const agent = await ProcessAgent.open({
        ...{ client, target, name, dir, say, isolation },
        version: manifest.version,
        artifacts: join(outsidePackages(data), 'runtime', target, 'artifacts'),
        router: routerOf({ data, target, host: routerHost, port, tls, say }),
      }).catch(explainAgentError(port, routerHost, dir));
      const router = `http://${routerHost.includes(':') ? `[${routerHost}]` : routerHost}:${agent.router.port}`;
      await agent.run(stop.signal, () =>
        console.log(
          flags.output === 'json'
            ? JSON.stringify({ event: 'ready', target, server: client.server, router })
            : `${name} speaks for ${target} at ${client.server}; services answer at ${router}`,
        ),
      );
      const left = await agent.instanceCount();
      if (left > 0)
        say(
          `${left} instance(s) go on running behind the router; the next start of this agent takes them up again.`,
        );
    } finally {
      taken.release();
    }
  }, flags.output);
}

/**
 * The router's port: the one requested, else the API's port + 1, else any where the API itself is on any
 * port.
 */
export function routerPortOf(requested: number | null, apiPort: number): number {
  return requested ?? (apiPort === 0 ? 0 : apiPort + 1);
}

/** Turns errors that a person can mend into sentences that say how. */
export const explainAgentError = (port: number, host: string, dir: string) => (error: unknown) => {
  const { code, syscall, message, port: failed = port } = error as NodeJS.ErrnoException & { port?: number };
  const flag = failed === port ? '--router-port' : '--tls-port';
  if (code === 'certificate_refused') throw new ConfigRefused(message);
  if (code === 'EADDRINUSE')
    throw new ConfigRefused(
      `Port ${failed} on ${host} is in use, and the router needs it. Stop what uses it, or choose another with ${flag} (0 takes any).`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    throw new ConfigRefused(`${host} is no address of this machine.`);
  if (code === 'EACCES' && syscall === 'listen')
    throw new ConfigRefused(
      `Port ${failed} is not allowed to this user. Choose one above 1023 with ${flag}.`,
    );
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOSPC')
    throw new ConfigRefused(
      `${dir} cannot be written (${code}). Make room, give permission, or choose another --data.`,
    );
  throw error;
};
