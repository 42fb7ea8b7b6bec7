import type { StreamMessage } from './page-view.ts';

const BACK_OFF_MS = [500, 1_000, 2_000, 5_000] as const;
/**
 * The server sends at least every 5 s: a connection that is silent for longer is dead, whatever the browser
 * believes.
 */
const DEAD_AFTER_MS = 10_000;

/**
 * The one stream of the tab. It outlives its connections, and resumes after the last position it received, so
 * that no event comes twice and none is missing (S12).
 */
export class Stream {
  readonly #onMessage: (message: StreamMessage) => void;
  #source: EventSource | null = null;
  #path: string | null = null;
  #after: string | null = null;
  #tries = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;

  constructor(onMessage: (message: StreamMessage) => void) {
    this.#onMessage = onMessage;
  }

  /** Watches this path and no other; null watches nothing. */
  watch(path: string | null): void {
    if (path === this.#path) return;
    this.#path = path;
    this.#after = null;
    this.#tries = 0;
    this.#connect();
  }

  #connect(): void {
    this.#close();
    if (this.#path === null) return;
    const after = this.#after === null ? '' : `?after=${this.#after}`;
    const source = new EventSource(`${this.#path}${after}`);
    this.#source = source;
    this.#alive();
    source.addEventListener('open', () => {
      this.#tries = 0;
      this.#onMessage({ kind: 'open' });
    });
    const on = (name: string, messageOf: (data: never) => StreamMessage) =>
      source.addEventListener(name, ({ lastEventId, data }: MessageEvent<string>) => {
        if (lastEventId !== '') this.#after = lastEventId;
        this.#alive();
        this.#onMessage(messageOf(JSON.parse(data) as never));
      });
    on('claim', (claim) => ({ kind: 'claims', claims: [claim] }));
    on('transition', (event) => ({ kind: 'transition', event }));
    on('fresh', (event) => ({ kind: 'fresh', event }));
    on('reset', () => ({ kind: 'reset' }));
    // Reconnects by itself: the browser would give up for ever where the server answers an error.
    source.addEventListener('error', () => this.#again());
  }

  #again(): void {
    this.#close();
    this.#onMessage({ kind: 'lost' });
    const wait = BACK_OFF_MS[Math.min(this.#tries++, BACK_OFF_MS.length - 1)];
    this.#retry = setTimeout(() => this.#connect(), wait);
  }

  #alive(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#again(), DEAD_AFTER_MS);
  }

  #close(): void {
    this.#source?.close();
    this.#source = null;
    clearTimeout(this.#retry);
    clearTimeout(this.#watchdog);
  }
}
