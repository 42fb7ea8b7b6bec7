import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import {
  createSecureServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClusterAccess } from '../../src/kubernetes/api/access.ts';

/** One request that the fake received; the test answers it as it likes. */
export interface FakeRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly stream: ServerHttp2Stream;
  /** Number of the connection, from 1: shows which requests came over the same one. */
  readonly connection: number;
  json(value: unknown, status?: number, headers?: Record<string, string>): void;
  /** Begins an answer that goes on. */
  begin(): void;
  line(value: unknown): void;
}

/**
 * A fake API server: real TLS and HTTP/2 sockets, and answers that a real one gives rarely or never (410, 429, half a
 * document, GOAWAY, silence). It stores nothing; what a real API server does is tried in the lab.
 */
export class FakeApi {
  readonly requests: FakeRequest[] = [];
  readonly sessions: ServerHttp2Session[] = [];
  readonly #server: Http2Server;
  readonly #sockets = new Set<Socket>();
  /** The server's own pair; it also takes the certificate for a client's. */
  readonly pair: { readonly key: string; readonly cert: string };
  token = 'first';

  private constructor(server: Http2Server, pair: FakeApi['pair'], answer: (request: FakeRequest) => void) {
    this.#server = server;
    this.pair = pair;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('session', (session) => {
      this.sessions.push(session);
      const connection = this.sessions.length;
      session.on('error', () => {});
      session.on('stream', (stream, headers) => {
        stream.on('error', () => {});
        const url = new URL(headers[':path'] ?? '/', 'https://fake');
        const begin = (status = 200, more: Record<string, string> = {}) =>
          stream.respond({ ':status': status, 'content-type': 'application/json', ...more });
        const request: FakeRequest = {
          path: url.pathname,
          query: url.searchParams,
          headers,
          stream,
          connection,
          json(value, status, more) {
            begin(status, more);
            stream.end(typeof value === 'string' ? value : JSON.stringify(value));
          },
          begin,
          line: (value) => stream.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`),
        };
        this.requests.push(request);
        answer(request);
      });
    });
  }

  static async start(answer: (request: FakeRequest) => void): Promise<FakeApi> {
    const { key, cert } = await certificate();
    const server = createSecureServer({ key, cert, ca: cert, requestCert: true, rejectUnauthorized: false });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return new FakeApi(server, { key, cert }, answer);
  }

  get authority(): string {
    return this.pair.cert;
  }

  get access(): ClusterAccess {
    return {
      server: new URL(`https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`),
      context: 'fake',
      namespace: 'default',
      isInside: false,
      credentials: async () => ({
        headers: { authorization: `Bearer ${this.token}` },
        tls: { ca: this.authority },
      }),
    };
  }

  async stop(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }
}

let issued: Promise<{ key: string; cert: string }> | null = null;

function certificate(): Promise<{ key: string; cert: string }> {
  issued ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fake-api-'));
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
    await promisify(execFile)('openssl', [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=fake'.split(
        ' ',
      ),
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ]);
    const pair = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
    await rm(folder, { recursive: true });
    return pair;
  })();
  return issued;
}
