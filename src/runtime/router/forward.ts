import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Endpoint } from '../supervise/router-port.ts';
import { type Exchange, type ExchangeEnd, exchange } from './exchange.ts';
import type { InHand } from './in-hand.ts';
import { answerPage, type RouterPage } from './pages.ts';
import { type RequestHead, requestHead, upgradeHead } from './request-head.ts';
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
  readonly #answerHeadMs: number | undefined;

  constructor(routes: Routes, inHand: InHand, onRefused: (uid: string) => void, answerHeadMs?: number) {
    this.#routes = routes;
    this.#inHand = inHand;
    this.#onRefused = onRefused;
    this.#answerHeadMs = answerHeadMs;
  }

  /** `marks` are put on an answer that an instance gave, and not on the router's own pages. */
  async web(
    service: string,
    req: IncomingMessage,
    res: ServerResponse,
    marks: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const head = requestHead(req);
    if (head === null) return answerPage('unknown_coding', req, res);
    await this.#forward(service, head, { req, res, marks, upgrade: null }, res);
  }

  /** `res` answers on the client's connection unless that becomes a WebSocket. */
  async upgrade(
    service: string,
    req: IncomingMessage,
    res: ServerResponse,
    upgrade: { readonly client: Duplex; readonly first: Buffer },
  ): Promise<void> {
    const head = upgradeHead(req);
    if (head === null) return answerPage('unknown_coding', req, res);
    await this.#forward(service, head, { req, res, marks: {}, upgrade }, upgrade.client);
  }

  async #forward(
    service: string,
    head: RequestHead,
    call: Omit<Exchange, 'socket' | 'head'>,
    exchanged: ServerResponse | Duplex,
  ): Promise<void> {
    const { req, res } = call;
    const tried = new Set<string>();
    let last: ExchangeEnd | null = null;
    for (;;) {
      const endpoint = this.#routes.next(service, tried);
      if (endpoint === null)
        return answerPage(last === null ? this.#whyNone(service) : 'broken_off', req, res);
      tried.add(endpoint.uid);
      const release = this.#inHand.take(endpoint.uid, exchanged);
      const socket = await connected(endpoint);
      if (socket === null) {
        release();
        this.#onRefused(endpoint.uid);
        continue;
      }
      if (exchanged.destroyed) {
        socket.destroy();
        return;
      }
      const patience = this.#answerHeadMs === undefined ? {} : { answerHeadMs: this.#answerHeadMs };
      last = await exchange({ ...call, ...patience, socket, head });
      if (last === 'answered') return;
      if (last === 'malformed') return answerPage('malformed', req, res);
      if (exchanged.destroyed || !isRepeatable(head)) return answerPage('broken_off', req, res);
      release();
      this.#onRefused(endpoint.uid);
    }
  }

  /** The page when every instance refused the connection: none of them has received the request. */
  #whyNone(service: string): RouterPage {
    return this.#routes.get(service)?.isStopped ? 'stopped' : 'not_ready';
  }
}

/** Null if the instance does not take the connection. An error of the connection later ends what is sent on it. */
function connected({ address, port }: Endpoint): Promise<Socket | null> {
  return new Promise((done) => {
    const socket = connect({ host: address, port, noDelay: true });
    socket.once('connect', () => done(socket));
    // Stays: a connection that is reset before its first request would have nobody to take the error.
    socket.on('error', () => done(null));
  });
}

/** True if the method is safe to repeat and there is no body that was half sent. */
const isRepeatable = ({ method, hasBody }: RequestHead) =>
  !hasBody && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS');
