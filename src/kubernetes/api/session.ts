import {
  type ClientRequest,
  type IncomingMessage,
  Agent as PlainAgent,
  request as plainRequest,
} from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  constants,
} from 'node:http2';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { ApiCredentials } from './access.ts';
import { ApiFailure } from './problem.ts';

/** The beginning of an answer; the body streams. An abort of the request's signal ends it with the signal's reason. */
export interface ApiAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: AsyncIterable<Buffer>;
}

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One connection to one API server. */
export interface ApiSession {
  readonly protocol: 'h2' | 'http/1.1';
  /** False once the server or the network has ended it: GOAWAY, reset, no pong. */
  readonly usable: boolean;
  /** Requests under way. */
  readonly load: number;
  send(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>;
  /** Ends the session unless the other side answers a ping in time. */
  check(timeoutMs: number): void;
  /** Takes no further requests; those under way go on. */
  retire(): void;
  destroy(): void;
}

/** Lets a page of a list arrive without a round trip per 64 KB; one unread stream does not stop the others. */
const STREAM_WINDOW = 1 << 20;
const SESSION_WINDOW = 16 << 20;

/** Connects to the API server. HTTP/2 where TLS agrees on it, which every API server does. */
export async function connectSession(
  server: URL,
  tls: ApiCredentials['tls'],
  signal: AbortSignal,
): Promise<ApiSession> {
  if (server.protocol === 'http:') return new Http1Session(server, {});
  const socket = await dial(server, tls, signal);
  if (socket.alpnProtocol === 'h2') return new Http2Session(server, socket);
  // A proxy in between that speaks no HTTP/2.
  socket.destroy();
  return new Http1Session(server, tls);
}

function dial(server: URL, tls: ApiCredentials['tls'], signal: AbortSignal): Promise<TLSSocket> {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port: Number(server.port || 443),
      ALPNProtocols: ['h2', 'http/1.1'],
      // TLS has no server name for an address.
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      ...tls,
    });
    const abort = () => socket.destroy(signal.reason);
    const settle = (error?: Error) => {
      signal.removeEventListener('abort', abort);
      if (error === undefined) resolve(socket.off('error', settle));
      else reject(error instanceof ApiFailure ? error : unreachable(server, error));
    };
    socket.once('secureConnect', () => settle()).once('error', settle);
    socket.setKeepAlive(true, 10_000).setNoDelay(true);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

class Http2Session implements ApiSession {
  readonly protocol = 'h2';
  readonly #server: URL;
  readonly #session: ClientHttp2Session;
  #load = 0;
  #retired = false;
  #checking: NodeJS.Timeout | null = null;

  constructor(server: URL, socket: TLSSocket) {
    this.#server = server;
    this.#session = connectHttp2(server.origin, {
      createConnection: () => socket,
      settings: { initialWindowSize: STREAM_WINDOW, enablePush: false },
    });
    this.#session.once('connect', () => {
      // It may be closed before it is connected.
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(SESSION_WINDOW);
    });
    // The requests under way end with errors of their own, so nothing is lost by not listening here.
    this.#session.on('error', () => this.retire());
    this.#session.on('goaway', () => this.retire());
    this.#session.on('close', () => {
      this.retire();
      this.#checked();
    });
  }

  get usable(): boolean {
    return !this.#retired && !this.#session.closed && !this.#session.destroyed;
  }

  get load(): number {
    return this.#load;
  }

  send({ method, path, headers, body }: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      let stream: ClientHttp2Stream;
      try {
        stream = this.#session.request(
          { ':method': method, ':path': path, ...headers },
          { endStream: body === undefined },
        );
      } catch (error) {
        return reject(unreachable(this.#server, error));
      }
      this.#load++;
      const abort = () => {
        stream.close(constants.NGHTTP2_CANCEL);
        stream.destroy(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      stream.once('close', () => {
        this.#load--;
        signal.removeEventListener('abort', abort);
        reject(unreachable(this.#server, new Error('the connection closed before an answer')));
      });
      stream.once('error', (error) =>
        reject(signal.aborted ? signal.reason : unreachable(this.#server, error)),
      );
      stream.once('response', (answered) =>
        resolve({
          status: Number(answered[':status']),
          header: (name) => headerOf(answered[name]),
          body: bodyOf(this.#server, stream, signal, () => !stream.aborted && !stream.rstCode),
        }),
      );
      if (body !== undefined) stream.end(body);
    });
  }

  check(timeoutMs: number): void {
    if (!this.usable || this.#checking !== null) return;
    this.#checking = setTimeout(() => this.destroy(), timeoutMs);
    if (!this.#session.ping(() => this.#checked())) this.destroy();
  }

  #checked(): void {
    if (this.#checking !== null) clearTimeout(this.#checking);
    this.#checking = null;
  }

  retire(): void {
    this.#retired = true;
  }

  destroy(): void {
    this.#retired = true;
    this.#session.destroy();
  }
}

/** One socket per request: a kubectl proxy, or a gateway that speaks no HTTP/2. */
class Http1Session implements ApiSession {
  readonly protocol = 'http/1.1';
  readonly #server: URL;
  readonly #agent: PlainAgent | SecureAgent;
  #load = 0;
  #retired = false;

  constructor(server: URL, tls: ApiCredentials['tls']) {
    this.#server = server;
    const options = { keepAlive: true, maxSockets: 100 };
    this.#agent =
      server.protocol === 'http:' ? new PlainAgent(options) : new SecureAgent({ ...options, ...tls });
  }

  get usable(): boolean {
    return !this.#retired;
  }

  get load(): number {
    return this.#load;
  }

  send({ method, path, headers, body }: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    return new Promise((resolve, reject) => {
      const send = this.#server.protocol === 'http:' ? plainRequest : secureRequest;
      const url = new URL(path, this.#server.origin);
      const request: ClientRequest = send(url, { method, headers, agent: this.#agent, signal });
      this.#load++;
      request.once('close', () => this.#load--);
      request.once('error', (error) =>
        reject(signal.aborted ? signal.reason : unreachable(this.#server, error)),
      );
      request.once('response', (answered: IncomingMessage) => {
        // Whoever reads the body gets the error; an answer that is not read may end as it likes.
        answered.on('error', () => {});
        resolve({
          status: answered.statusCode ?? 0,
          header: (name) => headerOf(answered.headers[name]),
          body: bodyOf(this.#server, answered, signal, () => answered.complete),
        });
      });
      request.end(body);
    });
  }

  /** Sockets are not shared, so a silent one harms only its own request. */
  check(): void {}

  retire(): void {
    this.#retired = true;
  }

  destroy(): void {
    this.#retired = true;
    this.#agent.destroy();
  }
}

/** A stream that is reset ends without an error in Node; `isWhole` tells it from one that is complete. */
async function* bodyOf(
  server: URL,
  stream: AsyncIterable<Buffer>,
  signal: AbortSignal,
  isWhole: () => boolean,
): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    throw signal.aborted ? signal.reason : unreachable(server, error);
  }
  if (signal.aborted) throw signal.reason;
  if (!isWhole()) throw unreachable(server, new Error('the answer broke off'));
}

function headerOf(value: string | string[] | number | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value === undefined ? undefined : String(value);
}

function unreachable(server: URL, error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  const said = error instanceof Error ? error.message || error.name : String(error);
  return new ApiFailure({
    kind: 'unreachable',
    message: `The API server at ${server.origin} cannot be reached: ${said}.`,
  });
}
