import type { FastifyReply } from 'fastify';
import type { Call } from '../http/route.ts';

/** A reader that is further behind is cut off: it resumes where it was, and nobody else waits for it (F83). */
const BEHIND_BYTES = 1 << 20;
/** The longest that `drained` waits for a reader that takes nothing. */
const STALLED_MS = 10_000;
const RECONNECT_MS = 1_000;

/** An event with the JSON of its data; `id` where a client can resume after it. */
interface SentEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
  /** The JSON of `data`, where it is there already. */
  readonly json?: string;
}

/** Caches the text of an event, which is written to many readers. */
const texts = new WeakMap<SentEvent, string>();

/** An event as it goes over the wire. JSON has no line breaks, so that one `data` line is enough (F90). */
function eventText(sent: SentEvent): string {
  const cached = texts.get(sent);
  if (cached !== undefined) return cached;
  const { event, id } = sent;
  const json = sent.json ?? JSON.stringify(sent.data);
  const text = `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${json}\n\n`;
  texts.set(sent, text);
  return text;
}

/** An open stream of server-sent events. */
export class Sse {
  readonly #reply: FastifyReply;
  /** Written in this moment, and sent as one piece at its end: framing thousands of events costs as much as their text. */
  #text = '';
  /** Bytes written in this turn of the event loop, in which nothing can be sent. */
  #burst = 0;
  #open = true;
  readonly closed: Promise<void>;

  constructor(
    { reply, correlation }: Pick<Call<unknown, unknown>, 'reply' | 'correlation'>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.#reply = reply;
    reply.hijack();
    const { raw } = reply;
    raw.on('error', () => {});
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      connection: 'keep-alive',
      'x-correlation-id': correlation,
      'x-content-type-options': 'nosniff',
      ...headers,
    });
    raw.write(`retry: ${RECONNECT_MS}\n\n`);
    raw.socket?.setNoDelay(true);
    this.closed = new Promise((resolve) => {
      const close = () => {
        this.#open = false;
        resolve();
      };
      if (raw.destroyed) close();
      else raw.once('close', close);
    });
  }

  get open(): boolean {
    return this.#open;
  }

  send(event: SentEvent): void {
    this.write(eventText(event));
  }

  write(text: string): void {
    if (!this.#open) return;
    const { raw } = this.#reply;
    // Bytes are sent after this turn of the event loop, so those that it has written do not count as the reader's
    // delay.
    if (raw.writableLength - this.#burst > BEHIND_BYTES) {
      this.#open = false;
      raw.destroy();
      return;
    }
    if (this.#text === '') process.nextTick(() => this.#flush());
    this.#text += text;
  }

  #flush(): void {
    if (this.#text === '' || !this.#open) return;
    if (this.#burst === 0)
      setImmediate(() => {
        this.#burst = 0;
      });
    const { raw } = this.#reply;
    const before = raw.writableLength;
    raw.write(this.#text);
    this.#text = '';
    this.#burst += raw.writableLength - before;
  }

  /** Gives the reader a position to resume after. It is no event: readers only remember it (S12). */
  bookmark(position: string): void {
    this.write(`id: ${position}\n\n`);
  }

  /** Resolves when the reader has taken most of what was written, or is gone. Cuts off one that takes nothing (F83). */
  async drained(stalledMs = STALLED_MS): Promise<void> {
    const { raw } = this.#reply;
    if (!this.#open || raw.writableLength + this.#text.length <= BEHIND_BYTES / 2) return;
    this.#flush();
    const stalled = setTimeout(() => raw.destroy(), stalledMs);
    await Promise.race([new Promise((drained) => raw.once('drain', drained)), this.closed]);
    clearTimeout(stalled);
  }

  /** Ends the stream in order; the reader reconnects by itself, with its last id. */
  end(why: string): void {
    if (!this.#open) return;
    this.#flush();
    this.#open = false;
    this.#reply.raw.end(`: ${why}\n\n`);
  }
}

const CALM_MS = 4_000;

/** Writes a comment every few seconds, so that no proxy takes a calm stream for a dead one (F87). Returns the stop. */
export function keepAlive(sse: Sse): () => void {
  const timer = setInterval(() => sse.write(': calm\n\n'), CALM_MS);
  const stop = () => clearInterval(timer);
  void sse.closed.then(stop);
  return stop;
}
