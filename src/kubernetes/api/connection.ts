import type { ApiCredentials, ClusterAccess } from './access.ts';
import { Deadline } from './deadline.ts';
import { ApiFailure, problemOfAnswer } from './problem.ts';
import { type ApiAnswer, type ApiRequest, type ApiSession, connectSession } from './session.ts';

interface ApiCallOptions {
  readonly signal?: AbortSignal;
  /** Covers the headers of a stream, and all of a document. */
  readonly timeoutMs?: number;
  readonly accept?: string;
  /** Uses this session and no other: a list and the watch that it proves must meet the same API server. */
  readonly session?: ApiSession;
}

/** A request that changes something. */
export interface ApiWrite {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body: object;
  /** The way in which a PATCH is meant. */
  readonly contentType?: string;
}

/** A stream that was opened: its lines, the session that carries it, and how to end it. */
interface ApiStream {
  readonly session: ApiSession;
  readonly body: AsyncIterable<Buffer>;
  end(reason: Error): void;
}

/** A request without the headers that every request has. */
type AskedRequest = Omit<ApiRequest, 'headers'> & Partial<Pick<ApiRequest, 'headers'>>;

const CONNECT_MS = 5_000;
const ANSWER_MS = 30_000;
const PING_MS = 2_000;
/** Credentials are read again after this time: a token file rotates, a plugin's token expires. */
const CREDENTIALS_MS = 30_000;
/** Caps requests per connection. API servers take 100 or more; a watch and its proof are two. */
const LOAD = 80;
/** Caps one document. A page of a list is far below; what is above is no list. */
const DOCUMENT_BYTES = 256 << 20;
/** Caps what is read of an answer that refuses. */
const REFUSAL_BYTES = 64 << 10;

/**
 * Calls the API of one cluster. Opens as many HTTP/2 connections as the number of open requests needs, sends the
 * credentials of the moment with each request, and reads them again after a 401.
 */
export class ApiConnection {
  readonly access: ClusterAccess;
  readonly #sessions = new Set<ApiSession>();
  #opening: Promise<ApiSession> | null = null;
  #credentials: { readonly value: ApiCredentials; readonly at: number } | null = null;
  #reading: Promise<ApiCredentials> | null = null;
  #isClosed = false;

  constructor(access: ClusterAccess) {
    this.access = access;
  }

  /** A whole JSON document. */
  document(path: string, options: ApiCallOptions = {}): Promise<{ value: unknown; bytes: number }> {
    return this.#document({ method: 'GET', path }, options);
  }

  /**
   * Changes something, once: an answer that is lost leaves unsaid whether it was done, which only a read can tell.
   */
  async write(
    { method, path, body, contentType = 'application/json' }: ApiWrite,
    options: Pick<ApiCallOptions, 'signal' | 'timeoutMs'> = {},
  ): Promise<unknown> {
    const asked = { method, path, body: JSON.stringify(body), headers: { 'content-type': contentType } };
    return (await this.#document(asked, options)).value;
  }

  async #document(asked: AskedRequest, options: ApiCallOptions): Promise<{ value: unknown; bytes: number }> {
    const name = `${asked.method} ${asked.path}`;
    const deadline = new Deadline(options.signal, options.timeoutMs ?? ANSWER_MS, name);
    let session: ApiSession | undefined;
    try {
      const answer = await this.#answer(asked, options, deadline.signal, (used) => {
        session = used;
      });
      const text = await textOf(answer, DOCUMENT_BYTES);
      return { value: parsed(text), bytes: text.length };
    } catch (error) {
      if (error instanceof ApiFailure && error.problem.kind === 'timed_out') session?.check(PING_MS);
      throw error;
    } finally {
      deadline.lift();
    }
  }

  /**
   * An answer of whatever status, as the proxy of the API server passes it on; of its text only what an API server's own
   * refusal may have.
   */
  async proxied(path: string, timeoutMs: number): Promise<{ status: number; text: string }> {
    const ended = new AbortController();
    const deadline = new Deadline(ended.signal, timeoutMs, `GET ${path}`);
    try {
      const { headers } = await this.#currentCredentials(false);
      const session = await this.#session();
      const full = this.access.server.pathname.replace(/\/$/, '') + path;
      const request = { method: 'GET', path: full, headers: { accept: '*/*', ...headers } } as const;
      const answer = await session.send(request, deadline.signal);
      const text = answer.status < 400 ? '' : await beginningOf(answer, REFUSAL_BYTES);
      return { status: answer.status, text };
    } finally {
      // Ends the stream of an answer that is not read to its end.
      ended.abort(new Error('read as far as needed'));
      deadline.lift();
    }
  }

  /** An answer whose end is not awaited; its body throws the reason with which it was ended. */
  async stream(path: string, options: ApiCallOptions = {}): Promise<ApiStream> {
    const controller = new AbortController();
    const outer = options.signal;
    const abort = () => controller.abort(outer?.reason);
    if (outer?.aborted) abort();
    outer?.addEventListener('abort', abort, { once: true });
    const deadline = new Deadline(controller.signal, options.timeoutMs ?? ANSWER_MS, `GET ${path}`);
    const expire = () => controller.abort(deadline.signal.reason);
    deadline.signal.addEventListener('abort', expire, { once: true });
    let session: ApiSession | undefined;
    try {
      const asked = { method: 'GET', path } as const;
      const answer = await this.#answer(asked, options, controller.signal, (used) => {
        session = used;
      });
      if (session === undefined) throw new Error('answered without a session');
      const body = released(answer.body, () => outer?.removeEventListener('abort', abort));
      return { session, body, end: (reason) => controller.abort(reason) };
    } catch (error) {
      outer?.removeEventListener('abort', abort);
      if (error instanceof ApiFailure && error.problem.kind === 'timed_out') session?.check(PING_MS);
      throw error;
    } finally {
      deadline.signal.removeEventListener('abort', expire);
      deadline.lift();
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) session.destroy();
    this.#sessions.clear();
  }

  async #answer(
    asked: AskedRequest,
    options: ApiCallOptions,
    signal: AbortSignal,
    using: (session: ApiSession) => void,
  ): Promise<ApiAnswer> {
    for (let tries = 0; ; tries++) {
      const { headers } = await this.#currentCredentials(tries > 0);
      let session = options.session ?? (await this.#session());
      // Many may have waited for the same connection. No await between this and the request, which counts itself.
      while (options.session === undefined && session.load >= LOAD) session = await this.#session();
      signal.throwIfAborted();
      using(session);
      const path = this.access.server.pathname.replace(/\/$/, '') + asked.path;
      const accept = options.accept ?? 'application/json';
      const request = { ...asked, path, headers: { accept, ...asked.headers, ...headers } };
      const answer = await session.send(request, signal);
      if (answer.status >= 200 && answer.status < 300) return answer;
      const text = await textOf(answer, REFUSAL_BYTES);
      if (answer.status === 401 && tries === 0) continue;
      throw new ApiFailure(problemOfAnswer(answer.status, answer.header('retry-after'), text));
    }
  }

  /** Plugins are slow, so that one reading serves all who ask meanwhile. */
  #currentCredentials(renewed: boolean): Promise<ApiCredentials> {
    const cached = this.#credentials;
    if (!renewed && cached !== null && performance.now() - cached.at < CREDENTIALS_MS)
      return Promise.resolve(cached.value);
    this.#reading ??= this.access
      .credentials({ renewed })
      .then((value) => {
        if (cached !== null && !sameCertificate(cached.value, value)) this.#retireAll();
        this.#credentials = { value, at: performance.now() };
        return value;
      })
      .finally(() => {
        this.#reading = null;
      });
    return this.#reading;
  }

  /** A connection keeps the certificate with which it was opened. */
  #retireAll(): void {
    for (const session of this.#sessions) session.retire();
  }

  async #session(): Promise<ApiSession> {
    for (const session of this.#sessions)
      if (!session.usable && session.load === 0) {
        session.destroy();
        this.#sessions.delete(session);
      }
    for (const session of this.#sessions) if (session.usable && session.load < LOAD) return session;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<ApiSession> {
    if (this.#isClosed) throw new ApiFailure({ kind: 'unreachable', message: 'This connection is closed.' });
    const { tls } = await this.#currentCredentials(false);
    const deadline = new Deadline(undefined, CONNECT_MS, `connecting to ${this.access.server.origin}`);
    try {
      const session = await connectSession(this.access.server, tls, deadline.signal);
      if (this.#isClosed) session.destroy();
      else this.#sessions.add(session);
      return session;
    } finally {
      deadline.lift();
    }
  }
}

function sameCertificate(one: ApiCredentials, other: ApiCredentials): boolean {
  const text = ({ tls: { ca, cert, key } }: ApiCredentials) => [ca, cert, key].map(String).join('\n');
  return text(one) === text(other);
}

async function* released<T>(items: AsyncIterable<T>, release: () => void): AsyncGenerator<T> {
  try {
    yield* items;
  } finally {
    release();
  }
}

async function textOf(answer: ApiAnswer, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > limit) {
      const message = `The API server’s answer is longer than ${limit} bytes.`;
      throw new ApiFailure({ kind: 'protocol', message });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function beginningOf(answer: ApiAnswer, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limit) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiFailure({ kind: 'protocol', message: 'The API server’s answer is no JSON document.' });
  }
}
