import { setTimeout as wait } from 'node:timers/promises';
import { SENT_LINE_CHARS } from '../contract/log-limits.ts';
import type { Client } from './client.ts';
import { type OutageLog, persist } from './persist.ts';

/** The fields of a log item that are the same for all lines of one source. */
interface LogSource {
  readonly service: string;
  readonly revision: number;
  readonly attempt: number;
  readonly stream: 'build' | 'run';
  readonly instance?: string;
  readonly command?: string;
  readonly fence?: string;
  readonly epoch?: string;
}

interface NumberedLine {
  readonly seq: number;
  readonly at: string;
  readonly line: string;
}

/** Stays below the limit of a JSON body even if every character is escaped. */
const MAX_BATCH_CHARS = 128 * 1024;
const MAX_BATCH_LINES = 500;
const MAX_WAITING_CHARS = 1024 * 1024;
/** Counted for each line besides its text: a million empty lines fill the memory too (F121). */
const LINE_CHARS = 128;
/** The pause after each full batch, so that a build that writes without end leaves time for others (F92). */
const PAUSE_MS = 10;
/** Lines that come within this time go out in one call. */
const GATHER_MS = 100;

/**
 * Ships numbered lines in order, one call at a time. A call of unknown outcome is repeated with the same
 * numbers, and the server writes each number once. Memory is bounded: above a mebibyte `push` returns false,
 * and the reader of a pipe waits for `room` before it reads on.
 */
export class LogShipper {
  readonly #client: Client;
  readonly #source: LogSource;
  readonly #signal: AbortSignal;
  readonly #outages: OutageLog | undefined;
  readonly #waiting: NumberedLine[] = [];
  #chars = 0;
  #seq: number;
  #timer: NodeJS.Timeout | undefined;
  #shipping: Promise<void> | null = null;
  #hasRoom: PromiseWithResolvers | null = null;

  constructor(
    client: Client,
    source: LogSource,
    options: { readonly signal: AbortSignal; readonly outages?: OutageLog; readonly firstSeq?: number },
  ) {
    this.#client = client;
    this.#source = source;
    this.#signal = options.signal;
    this.#outages = options.outages;
    this.#seq = options.firstSeq ?? 1;
  }

  /** Returns false when there is no room for more: wait for `room`. */
  push(text: string): boolean {
    const line = text.slice(0, SENT_LINE_CHARS);
    this.#waiting.push({ seq: this.#seq++, at: new Date().toISOString(), line });
    this.#chars += line.length + LINE_CHARS;
    if (this.#chars >= MAX_BATCH_CHARS || this.#waiting.length >= MAX_BATCH_LINES) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), GATHER_MS);
    return this.#chars < MAX_WAITING_CHARS;
  }

  /** Resolves when there is room again, and at once when shipping has ended. */
  async room(): Promise<void> {
    if (this.#chars < MAX_WAITING_CHARS || this.#signal.aborted) return;
    this.#hasRoom ??= withResolvers();
    await this.#hasRoom.promise;
  }

  /** Resolves when every pushed line is with the server or was given up. */
  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#shipping !== null) {
      this.#begin();
      await this.#shipping;
    }
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#shipping !== null || this.#waiting.length === 0) return;
    this.#shipping = this.#ship().finally(() => {
      this.#shipping = null;
      this.#makeRoom();
    });
  }

  async #ship(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#batch();
      try {
        const items = batch.map((line) => ({ ...this.#source, ...line }));
        await persist(
          (signal) => this.#client.call('POST', '/v1/logs', { items }, { signal, timeoutMs: 10_000 }),
          this.#signal,
          this.#outages,
        );
      } catch {
        // Logs are no evidence: a refused line must not fail a build.
      }
      for (const { line } of batch) this.#chars -= line.length + LINE_CHARS;
      if (this.#chars < MAX_WAITING_CHARS) this.#makeRoom();
      if (batch.length === MAX_BATCH_LINES) await wait(PAUSE_MS);
    }
  }

  #batch(): NumberedLine[] {
    let chars = 0;
    const end = this.#waiting.findIndex(({ line }, at) => {
      chars += line.length;
      return at > 0 && (chars > MAX_BATCH_CHARS || at >= MAX_BATCH_LINES);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  #makeRoom(): void {
    this.#hasRoom?.resolve();
    this.#hasRoom = null;
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** `Promise.withResolvers` needs Node 22. */
function withResolvers(): PromiseWithResolvers {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
