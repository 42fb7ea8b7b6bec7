import { once } from 'node:events';
import { pino } from 'pino';
import { surviveExchanges } from '../last-resort/last-resort.ts';
import { ConfigRefused, resolveConfig } from '../server/config.ts';
import { startServer } from '../server/server.ts';
import { LogLines } from './log-lines.ts';
import { printRefusals } from './print-refusals.ts';

export interface ServerOptions {
  readonly output: 'text' | 'json';
  readonly [setting: string]: unknown;
}

/** `evident server`: runs API, publisher and sweeper until it is stopped. */
export function runServer({ output, ...flags }: ServerOptions): Promise<void> {
  return printRefusals(async () => {
    const { config } = resolveConfig(flags);
    const level = process.env.EVIDENT_LOG || 'info';
    const log = pino({ level, base: null }, LogLines.to(process.stderr.fd));
    surviveExchanges((error) =>
      log.error({ err: error }, 'an exchange ended by an error that nobody expected'),
    );
    const server = await startServer(config, log).catch(explainServerError(config));
    const { api, ui } = server;
    console.log(
      output === 'json'
        ? JSON.stringify({ event: 'ready', api, ui })
        : `Evident is ready at ${api}; sign in once with ${ui}`,
    );
    await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
    await server.stop();
  }, output);
}

/** Turns errors that a person can mend into sentences that say how. */
export const explainServerError =
  ({ host, port, data }: { host: string; port: number; data: string }) =>
  (error: unknown) => {
    const { code, syscall, hostname } = error as NodeJS.ErrnoException & { readonly hostname?: string };
    if (code === 'EADDRINUSE')
      throw new ConfigRefused(
        `Port ${port} on ${host} is in use. Stop what uses it, or choose another with --port (0 takes any).`,
      );
    if (code === 'EACCES' && syscall === 'listen')
      throw new ConfigRefused(`Port ${port} is not allowed to this user. Choose one above 1023 with --port.`);
    if (code === 'ENOSPC')
      throw new ConfigRefused(`There is no room left at ${data}. Make some, or choose another --data.`);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOENT' || code === 'ENOTDIR')
      throw new ConfigRefused(
        `${data} cannot be made or written (${code}). Give permission, or choose another directory with --data.`,
      );
    if (code === 'EADDRNOTAVAIL' || (code === 'ENOTFOUND' && hostname === host))
      throw new ConfigRefused(`${host} is no address of this machine.`);
    throw error;
  };
