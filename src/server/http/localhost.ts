import { createServer, type Server } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Addresses of this machine that a browser also uses for apps: cookies ignore ports, so it sends each all cookies. */
const LOOPBACK = /^(?:127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

/** Errors that mean that this machine has no such address, so that nobody else can have it either. */
const NO_ADDRESS: ReadonlySet<string | undefined> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/**
 * The host name of the page on this machine (F127). Apps are reached as `NAME.localhost` and at 127.0.0.1; no app shares
 * `localhost` with the page in a browser.
 */
export class Localhost {
  #leadsHere = false;
  #second: Server | null = null;

  /** Listens at the other loopback address too: whoever else did would get requests to `localhost` that are ours. */
  async claim(
    app: FastifyInstance,
    host: string,
    port: number,
    watch: (server: Server) => void,
  ): Promise<void> {
    if (host === 'localhost' || host === '::') this.#leadsHere = true;
    if (host !== '127.0.0.1' && host !== '0.0.0.0') return;
    const second = createServer({ requireHostHeader: false }, (req, res) => app.routing(req, res));
    for (const event of ['clientError', 'checkExpectation'] as const)
      second.on(event, (...args: unknown[]) => app.server.emit(event, ...args));
    const code = await new Promise<string | undefined>((done) => {
      second.once('error', ({ code }: NodeJS.ErrnoException) => done(code ?? 'unknown'));
      second.listen({ host: '::1', port, ipv6Only: true }, () => done(undefined));
    });
    this.#leadsHere = code === undefined || NO_ADDRESS.has(code);
    if (code !== undefined) return;
    watch(second);
    this.#second = second;
  }

  /** The address under which a browser should load the page that it requests here; null if this one is right. */
  addressOf({ headers: { host = '' }, url }: Pick<FastifyRequest, 'headers' | 'url'>): string | null {
    if (!this.#leadsHere || !LOOPBACK.test(host)) return null;
    return `http://localhost${/:\d+$/.exec(host)?.[0] ?? ''}${url.startsWith('/') ? url : '/'}`;
  }

  close(): void {
    this.#second?.close();
    this.#second?.closeAllConnections();
  }
}
