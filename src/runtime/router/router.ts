import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import { ConnectionCap } from '../../connections/connection-cap.ts';
import { connectionLimit } from '../../connections/descriptor-limit.ts';
import { hasSecondLoopback, openSecondLoopback, secondOf } from '../../connections/second-loopback.ts';
import type {
  HttpsDoor,
  RouteQuestion,
  RouteReply,
  RouterPort,
  ServiceRoute,
} from '../supervise/router-port.ts';
import { type CertificateSource, Certificates } from './certificates.ts';
import { Forwarder } from './forward.ts';
import { InHand } from './in-hand.ts';
import { answerElsewhere, answerOptions, answerPage, isAnswering, responseOn } from './pages.ts';
import {
  PROOF_ANSWER,
  PROOF_ASKED,
  proofAnswer,
  proofAsked,
  proveRoute,
  ROUTE_ONLY,
  reachedAt,
} from './proof.ts';
import { awayFromPage, isWebSocket, withoutUpgrade } from './request-head.ts';
import { Routes } from './routes.ts';
import { tlsListener } from './tls-listener.ts';

interface RouterOptions {
  readonly host: string;
  /** 0 takes any. */
  readonly port: number;
  /** An instance refused a connection or broke one off: it should be observed at once. */
  readonly onRefused?: (uid: string) => void;
  /** The time in which an answer that has begun must have its whole head. Tests shorten it. */
  readonly answerHeadMs?: number;
  /** The connections that may be open; by default a share of what this process may open. */
  readonly maxConnections?: number;
  /** Signs proofs of routes: known to whoever asks for them. By default nobody else knows it. */
  readonly secret?: string;
}

/** The port for https, and where its certificates lie. */
export interface TlsOptions extends CertificateSource {
  /** 0 takes any. */
  readonly port: number;
}

/** A listener of a router, by what it is for. */
export type ListenerName =
  | { readonly kind: 'main' }
  | { readonly kind: 'tls' }
  /** The same port at the other loopback address. */
  | { readonly kind: 'second'; readonly of: 'main' | 'tls' }
  | { readonly kind: 'service'; readonly service: string };

interface TlsDoor {
  readonly server: TlsServer;
  second: NetServer | null;
  readonly certificates: Certificates;
  readonly source: CertificateSource;
}

/** One port for all services by host name, another for https, and a port of its own for each. */
export class Router implements RouterPort {
  readonly #options: RouterOptions;
  readonly #routes = new Routes();
  readonly #inHand = new InHand();
  readonly #forward: Forwarder;
  #main: Server;
  /** Its port at ::1; null where that is not needed, or not to be had. */
  #second: NetServer | null = null;
  #host: string;
  #tls: TlsDoor | null = null;
  readonly #own = new Map<string, Server>();
  readonly #cap: ConnectionCap;
  /** Marks the router's own requests: answers to others say nothing about revisions. */
  readonly #secret: string;

  constructor(options: RouterOptions) {
    this.#secret = options.secret ?? randomBytes(16).toString('hex');
    this.#options = options;
    this.#cap = new ConnectionCap(options.maxConnections ?? connectionLimit('router'));
    this.#forward = new Forwarder(
      this.#routes,
      this.#inHand,
      options.onRefused ?? (() => {}),
      options.answerHeadMs,
    );
    this.#host = options.host;
    this.#main = this.#mainServer();
  }

  /** Called when every route is set: a client that then connects finds it. */
  listen(): Promise<void> {
    return this.listenOn(this.#options.host, this.#options.port);
  }

  /**
   * Listens there, and no longer elsewhere. At a port where it listens already nothing changes, and 0 is satisfied by any.
   * On another host the ports of services are closed: they have to be opened again.
   */
  async listenOn(host: string, port: number): Promise<void> {
    const isSameHost = host === this.#host;
    if (this.#main.listening && isSameHost && (port === 0 || port === this.port)) return this.#openSeconds();
    const [main, second] = await listeningAtBoth(() => this.#mainServer(), port, host);
    stopListening(this.#main);
    this.#second?.close();
    this.#main = main;
    this.#second = second;
    this.#host = host;
    if (!isSameHost) this.#closeTls();
    if (!isSameHost) for (const service of [...this.#own.keys()]) this.#close(service);
  }

  /** Speaks TLS there, with those certificates; nowhere if there are none. Throws `CertificateRefused`. */
  async listenTls(tls: TlsOptions | null, say: (line: string) => void): Promise<void> {
    if (tls === null) return this.#closeTls();
    if (this.#tls?.server.listening && this.#isTls(tls)) return this.#openSeconds();
    let door = this.#newTls(tls, say);
    const renewed = () => {
      door.server.emit('close');
      door = this.#newTls(tls, say);
      return door.server;
    };
    const [, second] = await listeningAtBoth(renewed, tls.port, this.#host).catch((error) => {
      door.server.emit('close');
      throw error;
    });
    this.#closeTls();
    this.#tls = { ...door, second };
  }

  /** An older router hands over no listener at ::1. */
  async #openSeconds(): Promise<void> {
    if (!hasSecondLoopback(this.#host)) return;
    this.#second ??= await secondAt(this.#main);
    if (this.#tls !== null) this.#tls.second ??= await secondAt(this.#tls.server);
  }

  /** The port for https and the names that its certificates cover; null while it speaks no TLS. */
  get https(): HttpsDoor | null {
    const port = portOf(this.#tls?.server);
    return port === undefined ? null : { port, names: this.#tls?.certificates.names ?? [] };
  }

  /** Takes a listener over that another process has opened. */
  adopt(name: ListenerName, handle: object, tls: TlsOptions | null, say: (line: string) => void): void {
    if (name.kind === 'main') this.#main.listen(handle);
    else if (name.kind === 'second' && name.of === 'main') this.#second = secondOf(this.#main).listen(handle);
    else if (name.kind === 'second') {
      if (this.#tls !== null) this.#tls.second = secondOf(this.#tls.server).listen(handle);
    } else if (name.kind === 'service') {
      const server = this.#server(() => this.#routes.get(name.service));
      this.#own.set(name.service, server.listen(handle));
    } else if (tls !== null) {
      this.#tls = this.#newTls(tls, say);
      this.#tls.server.listen(handle);
    }
  }

  /** Every listener, to hand it over to another process. */
  *listeners(): Generator<readonly [ListenerName, NetServer]> {
    if (this.#main.listening) yield [{ kind: 'main' }, this.#main];
    if (this.#second?.listening) yield [{ kind: 'second', of: 'main' }, this.#second];
    if (this.#tls?.server.listening) yield [{ kind: 'tls' }, this.#tls.server];
    if (this.#tls?.second?.listening) yield [{ kind: 'second', of: 'tls' }, this.#tls.second];
    for (const [service, server] of this.#own) yield [{ kind: 'service', service }, server];
  }

  get host(): string {
    return this.#host;
  }

  ownPort(service: string): number | undefined {
    return portOf(this.#own.get(service));
  }

  /** 0 while it does not listen. */
  get port(): number {
    return portOf(this.#main) ?? 0;
  }

  /** Replaces the route of a service, for every request that has no instance yet. */
  set(route: ServiceRoute): void {
    this.#routes.set(route);
  }

  /** Gives a service a port of its own; throws `EADDRINUSE` if another process has it. */
  async expose(service: string, port: number): Promise<void> {
    if (this.ownPort(service) === port) return;
    const server = this.#server(() => this.#routes.get(service));
    await listening(server, port, this.#host);
    this.#close(service);
    this.#own.set(service, server);
  }

  isExposed(service: string): boolean {
    return this.#own.has(service);
  }

  delete(service: string): void {
    this.#routes.delete(service);
    this.#close(service);
  }

  drained(uid: string, withinMs: number): Promise<void> {
    return this.#inHand.drained(uid, withinMs);
  }

  inHand(uid: string): number {
    return this.#inHand.count(uid);
  }

  prove(question: RouteQuestion, signal: AbortSignal): Promise<RouteReply> {
    const { port } = this;
    if (port === 0) return Promise.resolve({ kind: 'denied' });
    const own = this.ownPort(question.service);
    const address = reachedAt(this.#host);
    const { https } = this;
    return proveRoute({ address, port, own, https, secret: this.#secret }, question, signal);
  }

  /** Accepts no more requests; those in hand may end within the time, then they are cut. */
  async close(withinMs: number): Promise<void> {
    this.#closeTls();
    const servers: (NetServer | null)[] = [this.#second, this.#main, ...this.#own.values()];
    const closed = servers.map(async (server) => {
      if (!server?.listening) return;
      const done = once(server, 'close');
      stopListening(server);
      await done;
    });
    const timer = setTimeout(() => this.#cap.destroyAll(), withinMs);
    await Promise.all(closed);
    clearTimeout(timer);
  }

  #isTls({ cert, key, port }: TlsOptions): boolean {
    const { source, server } = this.#tls as TlsDoor;
    const isThere = port === 0 || port === portOf(server);
    return isThere && source.cert === cert && source.key === key;
  }

  #newTls({ cert, key }: TlsOptions, say: (line: string) => void): TlsDoor {
    const source = { cert, key };
    const certificates = Certificates.open(source, say);
    const server = tlsListener(certificates, this.#mainServer(), this.#cap);
    return { source, certificates, server, second: null };
  }

  #closeTls(): void {
    this.#tls?.second?.close();
    this.#tls?.server.close();
    this.#tls = null;
  }

  #close(service: string): void {
    const server = this.#own.get(service);
    this.#own.delete(service);
    if (server !== undefined) stopListening(server);
  }

  #mainServer(): Server {
    return this.#server((req) => this.#routes.byHost(req.headers.host));
  }

  #server(routeOf: (req: IncomingMessage) => ServiceRoute | null): Server {
    // Uploads may take any time, only the headers of a request may not.
    const server = createServer({ requestTimeout: 0, headersTimeout: 30_000, keepAliveTimeout: 60_000 });
    // Every header counts: of more than its limit Node would keep the first ones, and the frame may be in the others.
    server.maxHeadersCount = 0;
    server.on('request', (req, res) => {
      this.#contained(req, res, async () => {
        if (!oneHost(req)) return answerPage('two_hosts', req, res);
        if (req.method === 'OPTIONS' && req.url === '*') return answerOptions(res);
        const elsewhere = awayFromPage(req);
        if (elsewhere !== null) return answerElsewhere(res, elsewhere);
        await this.#answer(routeOf(req), req, res);
      });
    });
    server.on('upgrade', (req, client, first) => {
      client.on('error', () => client.destroy());
      if (isAnswering(client)) return void client.destroy();
      if (!isWebSocket(req)) {
        // Another protocol is not offered: the request is read again as if it had not asked for one (F123).
        client.unshift(Buffer.concat([withoutUpgrade(req), first]));
        return void server.emit('connection', client);
      }
      const res = responseOn(client, req);
      this.#contained(req, res, async () => {
        const route = oneHost(req) ? routeOf(req) : 'two_hosts';
        if (route === 'two_hosts') return answerPage('two_hosts', req, res);
        if (route === null) return answerPage('unknown_host', req, res);
        await this.#forward.upgrade(route.service, req, res, { client, first });
      });
    });
    server.on('connect', (req, client) => {
      client.on('error', () => client.destroy());
      if (isAnswering(client)) client.destroy();
      else answerPage('no_tunnel', req, responseOn(client, req));
    });
    this.#cap.watch(server);
    return server;
  }

  /** An error that nobody expected ends this request, and nothing else (F120). */
  #contained(req: IncomingMessage, res: ServerResponse, act: () => Promise<void>): void {
    // One listener for each instance that is tried; there may be many.
    res.setMaxListeners(0);
    req.on('error', () => {});
    res.on('error', () => res.destroy());
    act().catch(() => {
      try {
        answerPage('broken_off', req, res);
      } catch {
        res.destroy();
      }
    });
  }

  async #answer(route: ServiceRoute | null, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (route === null) return answerPage('unknown_host', req, res);
    const nonce = proofAsked(req.headers[PROOF_ASKED], this.#secret);
    const marks: Record<string, string> =
      nonce === null ? {} : { [PROOF_ANSWER]: proofAnswer(route, nonce, this.#secret) };
    if (nonce !== null && req.headers[ROUTE_ONLY] !== undefined && route.endpoints.length > 0) {
      res.writeHead(204, marks).end();
      return;
    }
    await this.#forward.web(route.service, req, res, marks);
  }
}

/**
 * True if the request names one host. Of two, the next hop might believe the other (RFC 9112, 3.2). A host in the
 * request's target counts more than the header beside it (3.2.2), for the router and for the instance.
 */
function oneHost(req: IncomingMessage): boolean {
  const named = /^https?:\/\/([^/?]*)/i.exec(req.url ?? '')?.[1];
  if (named !== undefined) req.headers.host = named;
  return (req.headersDistinct.host?.length ?? 0) <= 1;
}

const portOf = (server: NetServer | undefined) => (server?.address() as AddressInfo | null | undefined)?.port;

/** Requests in hand go on. */
function stopListening(server: Server | NetServer): void {
  server.close();
  if ('closeIdleConnections' in server) server.closeIdleConnections();
}

async function listening(server: NetServer, port: number, host: string): Promise<void> {
  server.listen({ port, host });
  await once(server, 'listening');
}

/** Of a port that any may be, another one is taken where somebody has it at ::1. */
const PORT_TRIES = 20;

/**
 * Listens at both loopback addresses, where the host is one of them. Throws `EADDRINUSE` if another process has the port
 * at either: it would get requests that are ours (F119).
 */
async function listeningAtBoth<S extends NetServer>(
  newServer: () => S,
  port: number,
  host: string,
): Promise<[S, NetServer | null]> {
  for (let tries = 1; ; tries++) {
    const server = newServer();
    await listening(server, port, host);
    if (!hasSecondLoopback(host)) return [server, null];
    const taken = portOf(server) ?? 0;
    const second = await openSecondLoopback(server, taken);
    if (second.kind === 'open') return [server, second.server];
    if (second.kind === 'no_such_address') return [server, null];
    server.close();
    if (port !== 0 || tries === PORT_TRIES)
      throw Object.assign(new Error(`Another process listens at port ${taken} of ::1.`), {
        code: 'EADDRINUSE',
      });
  }
}

/** Null if another process has it, or if there is no such address. */
async function secondAt(server: NetServer): Promise<NetServer | null> {
  const second = await openSecondLoopback(server, portOf(server) ?? 0);
  return second.kind === 'open' ? second.server : null;
}
