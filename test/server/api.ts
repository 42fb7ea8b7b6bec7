import type { DescriptionCheck } from './description-check.ts';

/** An answer of the HTTP client below, which uses nothing but the protocol, as a script from outside would. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared with what the protocol says, field by field
  readonly body: any;
}

export interface RequestOptions {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly raw?: NonNullable<RequestInit['body']>;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Api {
  readonly address: string;
  readonly token: string;
  readonly #described: DescriptionCheck | null;

  /** With a description, every answer is checked against it. */
  constructor(address: string, token: string, described: DescriptionCheck | null = null) {
    this.address = address;
    this.token = token;
    this.#described = described;
  }

  as(token: string): Api {
    return new Api(this.address, token, this.#described);
  }

  get(path: string, options: RequestOptions = {}): Promise<Answered> {
    return this.call('GET', path, options);
  }

  post(path: string, body: unknown = {}, options: RequestOptions = {}): Promise<Answered> {
    return this.call('POST', path, { body, ...options });
  }

  async call(
    method: string,
    path: string,
    { token = this.token, body, raw, headers = {} }: RequestOptions = {},
  ): Promise<Answered> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(raw !== undefined
        ? { body: raw, duplex: 'half' }
        : body === undefined
          ? {}
          : { body: JSON.stringify(body) }),
    } as RequestInit);
    const text = await response.text();
    const isJson =
      /json/.test(response.headers.get('content-type') ?? '') &&
      !/ndjson/.test(response.headers.get('content-type') ?? '');
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    };
    const wrong = this.#described?.wrong(method, path, answer) ?? null;
    if (wrong !== null) throw new Error(`${method} ${path} is not as /openapi.json describes it: ${wrong}`);
    return answer;
  }

  /** Creates a token of a role, as an admin does. */
  async tokenFor(role: string, more: object = {}): Promise<string> {
    const { status, body } = await this.post('/v1/tokens', { role, ...more });
    if (status !== 201) throw new Error(`no token: ${JSON.stringify(body)}`);
    return body.token;
  }

  async events(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    init: RequestInit = {},
  ): Promise<Events> {
    const stop = new AbortController();
    const response = await fetch(`${this.address}${path}`, {
      headers: { authorization: `Bearer ${this.token}`, accept: 'text/event-stream', ...headers },
      signal: stop.signal,
      ...init,
    });
    const wrong = (received: StreamEvent) =>
      this.#described?.wrongEvent(init.method ?? 'GET', path, received) ?? null;
    return new Events(response, stop, wrong);
  }
}

export interface StreamEvent {
  readonly event: string;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly data: any;
}

/** An open stream, read one event at a time. */
export class Events {
  readonly response: Response;
  readonly #stop: AbortController;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #wrong: (received: StreamEvent) => string | null;
  #text = '';
  /** Kept as a browser keeps it: also from a message without data. */
  lastId: string | null = null;

  constructor(response: Response, stop: AbortController, wrong: (received: StreamEvent) => string | null) {
    this.response = response;
    this.#wrong = wrong;
    this.#stop = stop;
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
  }

  /** The next event; null when the stream has ended. */
  async next(): Promise<StreamEvent | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split('\n');
        this.#text = this.#text.slice(end + 2);
        const field = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        this.lastId = field('id') ?? this.lastId;
        const data = field('data');
        if (data === undefined) continue;
        const received = {
          event: field('event') ?? 'message',
          id: field('id') ?? null,
          data: JSON.parse(data),
        };
        const wrong = this.#wrong(received);
        if (wrong !== null) throw new Error(`an event is not as /openapi.json describes it: ${wrong}`);
        return received;
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** The next event for which `is` holds; those before it are skipped. */
  async until(is: (received: StreamEvent) => boolean): Promise<StreamEvent> {
    for (;;) {
      const received = await this.next();
      if (received === null) throw new Error('the stream has ended');
      if (is(received)) return received;
    }
  }

  close(): void {
    this.#stop.abort();
  }
}
