import type { Server } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasSecondLoopback, openSecondLoopback } from '../../connections/second-loopback.ts';

/** Addresses of this machine that a browser also uses for apps: cookies ignore ports, so it sends each all cookies. */
const LOOPBACK = /^(?:127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

/**
 * The host name of the page on this machine (F127). Apps are reached as `NAME.localhost` and at 127.0.0.1; no app shares
 * `localhost` with the page in a browser.
 */
export class Localhost {
  #leadsHere = false;
  #second: Server | null = null;

  /** Listens at the other loopback address too: whoever else did would get requests to `localhost` that are ours. */
  async claim(app: FastifyInstance, host: string, port: number): Promise<void> {
    if (host === 'localhost' || host === '::') this.#leadsHere = true;
    if (!hasSecondLoopback(host)) return;
    const second = await openSecondLoopback(app.server, port);
    this.#leadsHere = second.kind !== 'taken';
    if (second.kind === 'open') this.#second = second.server;
  }

  /** The address under which a browser should load the page that it requests here; null if this one is right. */
  addressOf({ headers: { host = '' }, url }: Pick<FastifyRequest, 'headers' | 'url'>): string | null {
    if (!this.#leadsHere || !LOOPBACK.test(host)) return null;
    return `http://localhost${/:\d+$/.exec(host)?.[0] ?? ''}${url.startsWith('/') ? url : '/'}`;
  }

  close(): void {
    this.#second?.close();
  }
}
