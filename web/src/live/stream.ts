import type { Word } from './page-view.ts';

const BACK_OFF_MS = [500, 1_000, 2_000, 5_000] as const;
/** The server speaks at least every 5 s: a connection that says nothing for so long is dead, whatever it believes. */
const DEAD_AFTER_MS = 10_000;

/**
 * The one stream of the tab. It outlives its connections, and resumes after the last position it saw: nothing is told
 * twice and nothing is left out (S12).
 */
export class Stream {
  readonly #tell: (word: Word) => void;
  #source: EventSource | null = null;
  #path: string | null = null;
  #after: string | null = null;
  #tries = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (word: Word) => void) {
    this.#tell = tell;
  }

  /** Watches what this path tells, and nothing else; null: nothing. */
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
      this.#tell({ is: 'open' });
    });
    const on = (event: string, word: (data: never) => Word) =>
      source.addEventListener(event, (message: MessageEvent<string>) => {
        if (message.lastEventId !== '') this.#after = message.lastEventId;
        this.#alive();
        this.#tell(word(JSON.parse(message.data) as never));
      });
    on('claim', (claim) => ({ is: 'claims', claims: [claim] }));
    on('transition', (told) => ({ is: 'transition', told }));
    on('fresh', (told) => ({ is: 'fresh', told }));
    on('reset', () => ({ is: 'reset' }));
    // The browser would try again by itself, but gives up for ever where the server answers an error.
    source.addEventListener('error', () => this.#again());
  }

  #again(): void {
    this.#close();
    this.#tell({ is: 'lost' });
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
