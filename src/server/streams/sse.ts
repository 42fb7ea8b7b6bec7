import type { FastifyReply } from 'fastify';
import type { Call } from '../http/route.ts';

/** What a reader may be behind before it is cut off: it resumes where it was, and nobody else waits for it (F83). */
const BEHIND_BYTES = 1 << 20;
/** Who is told at its own pace has so long for each piece. */
const PATIENCE_MS = 10_000;
const RECONNECT_MS = 1_000;

/** One event as it goes over the wire. JSON has no line breaks, so that one `data` line is enough (F90). */
export function eventText(event: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** One open stream. */
export class Sse {
  readonly #reply: FastifyReply;
  /** Written since the process last had time to send anything. */
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

  send(event: string, data: unknown, id?: string): void {
    this.write(eventText(event, data, id));
  }

  /** What was put into words once for many readers. */
  write(text: string): void {
    if (!this.#open) return;
    const { raw } = this.#reply;
    // Nothing leaves before a turn of the loop is over: what was written in this one is nobody's delay but ours.
    if (raw.writableLength - this.#burst > BEHIND_BYTES) {
      this.#open = false;
      raw.destroy();
      return;
    }
    if (this.#burst === 0)
      setImmediate(() => {
        this.#burst = 0;
      });
    const before = raw.writableLength;
    raw.write(text);
    this.#burst += raw.writableLength - before;
  }

  /** Where a reader is that has not been told anything with an id yet. No event: readers only remember it (S12). */
  bookmark(position: string): void {
    this.write(`id: ${position}\n\n`);
  }

  /** When the reader has taken most of what was written, or is gone; one that takes nothing is cut off (F83). */
  async drained(patienceMs = PATIENCE_MS): Promise<void> {
    const { raw } = this.#reply;
    if (!this.#open || raw.writableLength <= BEHIND_BYTES / 2) return;
    const stalled = setTimeout(() => raw.destroy(), patienceMs);
    await Promise.race([new Promise((drained) => raw.once('drain', drained)), this.closed]);
    clearTimeout(stalled);
  }

  /** Ends in order; the reader comes back by itself, with the last id it saw. */
  end(why: string): void {
    if (!this.#open) return;
    this.#open = false;
    this.#reply.raw.end(`: ${why}\n\n`);
  }
}

const CALM_MS = 4_000;

/** A comment now and then, so that nothing between us and the reader takes a calm stream for a dead one (F87). */
export function keepAlive(sse: Sse): () => void {
  const timer = setInterval(() => sse.write(': calm\n\n'), CALM_MS);
  const stop = () => clearInterval(timer);
  void sse.closed.then(stop);
  return stop;
}
