import { pipeline, Readable, Transform } from 'node:stream';
import { Refusal } from '../contract/refusal.ts';

/** A refusal by the server, with its problem document. */
export class ProblemAnswer extends Refusal {
  override readonly name = 'ProblemAnswer';
  override readonly code: string;
  readonly problem: Readonly<Record<string, unknown>>;
  /** Time after which the server wants the next try, if it named one. */
  readonly retryAfterMs: number | null;

  constructor(problem: Readonly<Record<string, unknown>>, retryAfterMs: number | null = null) {
    super(`${problem.title}: ${problem.detail}`);
    this.code = String(problem.code);
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  get status(): number {
    return Number(this.problem.status);
  }
}

/** The server could not be reached, or the connection broke before the answer was complete. */
export class Unreachable extends Refusal {
  override readonly name = 'Unreachable';
}

/** Something answers that is no Evident server: a proxy, a sign-in page, another program. */
export const unexpectedAnswer = (server: string) =>
  new Unreachable(
    `What answers at ${server} is no Evident server: its answer is of another kind. Name the right one with --server and --token, or look at the proxy in between.`,
  );

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason and never `Unreachable`. */
  readonly signal?: AbortSignal;
  /** Covers the whole answer of `call`, and only the headers of a stream. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls the API of a server with one token. */
export class Client {
  readonly server: string;
  readonly #token: string;

  constructor(server: string, token: string) {
    this.server = server.replace(/\/$/, '');
    this.#token = token;
  }

  async call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...type, ...options.headers };
    return this.#answer(options, (signal) =>
      this.#fetch(path, {
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  }

  /** Sends bytes as they are read, without holding them all in memory. */
  async upload<T>(
    method: string,
    path: string,
    bytes: AsyncIterable<Uint8Array>,
    options: CallOptions = {},
  ): Promise<T> {
    const headers = { 'content-type': 'application/octet-stream', ...options.headers };
    const body = Readable.toWeb(Readable.from(bytes, { objectMode: false })) as ReadableStream;
    return this.#answer(options, (signal) =>
      this.#fetch(path, { method, headers, signal, body, duplex: 'half' }),
    );
  }

  /** Streams the bytes of an answer. A broken connection throws `Unreachable`. */
  async download(path: string, options: CallOptions = {}): Promise<Readable> {
    const limit = new Limit(options);
    try {
      const { headers = {} } = options;
      const response = await this.#fetch(path, { method: 'GET', headers, signal: limit.signal });
      if (!response.ok) throw problemOf(response, await response.text());
      limit.stopClock();
      const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as never);
      const named = this.#named(body, options);
      return named.once('close', () => limit.lift());
    } catch (error) {
      limit.lift();
      throw this.#inWords(error, options);
    }
  }

  async #answer<T>(options: CallOptions, ask: (signal: AbortSignal) => Promise<Response>): Promise<T> {
    const limit = new Limit(options);
    try {
      const response = await ask(limit.signal);
      const text = await response.text();
      if (!response.ok) throw problemOf(response, text);
      const answer = text === '' ? null : parsed(text);
      if (text !== '' && answer === null) throw unexpectedAnswer(this.server);
      return answer as T;
    } catch (error) {
      throw this.#inWords(error, options);
    } finally {
      limit.lift();
    }
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    return fetch(`${this.server}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${this.#token}`, ...init.headers },
    });
  }

  /** Gives errors of the body the same types as errors of the call. */
  #named(body: Readable, options: CallOptions): Readable {
    const out = new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) });
    pipeline(body, out, (error) => {
      if (error) out.destroy(this.#inWords(error, options));
    });
    return out;
  }

  #inWords(error: unknown, { signal }: CallOptions): Error {
    if (error instanceof ProblemAnswer || error instanceof Unreachable) return error;
    if (signal?.aborted)
      return signal.reason instanceof Error ? signal.reason : new Error('the call was ended');
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    const isNobody = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
    return new Unreachable(
      isNobody
        ? `No server answers at ${this.server}. Start one with: evident up`
        : `The server at ${this.server} did not answer in time, or broke off. It may be starting, busy or frozen; asking again is safe.`,
      { cause: error },
    );
  }
}

/**
 * Ends a call by its caller's signal or by time. Rejected: `AbortSignal.any`, whose result stays registered
 * on its source signals, and a worker's signals live as long as the worker.
 */
class Limit {
  readonly #stop = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #end = () => this.#stop.abort();

  constructor({ signal, timeoutMs }: CallOptions) {
    this.#callerSignal = signal;
    if (signal?.aborted) this.#end();
    signal?.addEventListener('abort', this.#end);
    if (timeoutMs !== undefined) this.#timer = setTimeout(this.#end, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  stopClock(): void {
    clearTimeout(this.#timer);
  }

  lift(): void {
    this.stopClock();
    this.#callerSignal?.removeEventListener('abort', this.#end);
  }
}

function problemOf(response: Response, text: string): ProblemAnswer {
  const answer = parsed(text);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const { status } = response;
  return new ProblemAnswer(
    isProblem(answer) ? answer : { title: 'The server failed', detail: `status ${status}`, status },
    Number.isFinite(seconds) ? seconds * 1000 : null,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isProblem = (answer: unknown): answer is Record<string, unknown> =>
  typeof answer === 'object' && answer !== null && 'code' in answer;
