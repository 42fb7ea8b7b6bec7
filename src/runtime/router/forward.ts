import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { createProxyServer } from 'httpxy';
import type { Endpoint } from '../supervise/router-port.ts';
import type { InHand } from './in-hand.ts';
import { answerPage, type RouterPage, refuseUpgrade } from './pages.ts';
import type { Routes } from './routes.ts';

/**
 * Sends one request to one ready instance.
 *
 * The connection is made before anything of the request is read. While it cannot be made, nothing was sent, and the next
 * instance gets the request, whatever it is. Once it is made, only what is safe to repeat and had no body is repeated.
 * Rejected: a pool of kept connections to instances. One that the instance closes just then swallows a request of which
 * nobody can say whether it was acted on; a connection on the same machine costs less than that doubt.
 */
export class Forwarder {
  readonly #routes: Routes;
  readonly #inHand: InHand;
  readonly #onRefused: (uid: string) => void;
  readonly #proxy = createProxyServer({ proxyTimeout: 0 });

  constructor(routes: Routes, inHand: InHand, onRefused: (uid: string) => void) {
    this.#routes = routes;
    this.#inHand = inHand;
    this.#onRefused = onRefused;
    this.#proxy.on('proxyRes', (proxyRes, req) => {
      const { closes, marks } = req as ForwardedRequest;
      // Connection management is between neighbours: an instance does not close the connection of a user.
      proxyRes.headers.connection = closes ? 'close' : 'keep-alive';
      delete proxyRes.headers['keep-alive'];
      Object.assign(proxyRes.headers, marks);
    });
  }

  /** `marks` are put on an answer that an instance gave, and not on the router's own pages. */
  async web(
    service: string,
    req: IncomingMessage,
    res: ServerResponse,
    marks: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const forwarded = req as ForwardedRequest;
    forwarded.marks = marks;
    forwarded.closes = /\bclose\b/i.test(req.headers.connection ?? '') || req.httpVersion === '1.0';
    asNeighbour(req);
    const tried = new Set<string>();
    const repeatable = isRepeatable(req);
    let isTaken = false;
    let again = {};
    for (;;) {
      const endpoint = this.#routes.next(service, tried);
      if (endpoint === null) return answerPage(isTaken ? 'broken_off' : this.#whyNone(service), req, res);
      tried.add(endpoint.uid);
      const release = this.#inHand.take(endpoint.uid, res);
      const socket = await connected(endpoint);
      if (socket === null) {
        release();
        this.#onRefused(endpoint.uid);
        continue;
      }
      if (res.destroyed) {
        socket.destroy();
        return;
      }
      isTaken = true;
      try {
        await this.#proxy.web(req, res, { target: targetOf(endpoint), agent: oneSocket(socket), ...again });
        return;
      } catch {
        socket.destroy();
        if (res.headersSent || res.destroyed || !repeatable) return answerPage('broken_off', req, res);
        release();
        this.#onRefused(endpoint.uid);
        // The request was read to its end already, and will not end a second time.
        again = { buffer: Readable.from([]) };
      }
    }
  }

  /** The page when every instance refused the connection: none of them has received the request. */
  #whyNone(service: string): RouterPage {
    return this.#routes.get(service)?.isStopped ? 'stopped' : 'not_ready';
  }

  async upgrade(service: string, req: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const { connection, upgrade } = req.headers;
    asNeighbour(req);
    Object.assign(req.headers, { connection, upgrade });
    const tried = new Set<string>();
    for (;;) {
      const endpoint = this.#routes.next(service, tried);
      if (endpoint === null) return refuseUpgrade(this.#whyNone(service), client);
      tried.add(endpoint.uid);
      const release = this.#inHand.take(endpoint.uid, client);
      const socket = await connected(endpoint);
      if (socket === null) {
        release();
        this.#onRefused(endpoint.uid);
        continue;
      }
      if (client.destroyed) {
        socket.destroy();
        return;
      }
      // Either end takes the other with it: an upgraded connection has no request that could end it.
      client.once('close', () => socket.destroy());
      socket.once('close', () => client.destroy());
      await this.#proxy
        .ws(req, client as Socket, { target: targetOf(endpoint), agent: oneSocket(socket) }, head)
        .catch(() => client.destroy());
      return;
    }
  }
}

interface ForwardedRequest extends IncomingMessage {
  /** The user closes the connection after this answer. */
  closes?: boolean;
  marks?: Readonly<Record<string, string>>;
}

const targetOf = ({ address, port }: Endpoint) => ({ protocol: 'http:', host: address, port });

function connected({ address, port }: Endpoint): Promise<Socket | null> {
  return new Promise((done) => {
    const socket = connect({ host: address, port, noDelay: true });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      done(socket);
    });
    socket.once('error', () => done(null));
  });
}

/** Hands out the connection that was made, once. */
function oneSocket(socket: Socket): Agent {
  const agent = new Agent({ keepAlive: false });
  return Object.assign(agent, { createConnection: () => socket });
}

/** True if the method is safe to repeat and there is no body that was half sent. */
function isRepeatable({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return !hasBody && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS');
}

const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'te', 'upgrade'];

/**
 * Makes the request one of the router's own: removes headers that were meant for the router alone, and adds where the
 * request came from. Headers in which a client says that itself are unproven, and are removed.
 */
function asNeighbour(req: IncomingMessage): void {
  const { headers } = req;
  // A client may name the whole address (RFC 9112, 3.2.2); an instance gets the path.
  const path = (req.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  req.url = path === '' || path.startsWith('?') ? `/${path}` : path;
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  for (const name of [...HOP_BY_HOP, ...named]) if (name !== 'transfer-encoding') delete headers[name];
  for (const name of Object.keys(headers))
    if (name.startsWith('x-forwarded-') || name === 'forwarded' || name === 'x-real-ip') delete headers[name];
  // Answered by our own server already.
  delete headers.expect;
  headers['x-forwarded-for'] = (req.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  headers['x-forwarded-proto'] = 'http';
  headers['x-forwarded-host'] = headers.host ?? '';
  headers['x-forwarded-port'] = String(req.socket.localPort ?? '');
}
