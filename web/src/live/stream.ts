import { EventConnection } from './event-connection.ts';
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
  #connection: EventConnection | null = null;
  #path: string | null = null;
  #isResting = false;
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

  reconnect(): void {
    this.#tries = 0;
    this.#connect();
  }

  /** Gives its connection back; the view is lost until it wakes, and then goes on from where it was. */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#close();
    this.#onMessage({ kind: 'lost' });
  }

  wake(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    this.#connect();
  }

  #connect(): void {
    this.#close();
    if (this.#path === null || this.#isResting) return;
    const after = this.#after === null ? '' : `?after=${this.#after}`;
    this.#connection = new EventConnection(`${this.#path}${after}`, {
      open: () => {
        this.#tries = 0;
        this.#onMessage({ kind: 'open' });
      },
      message: ({ event, id, data }) => {
        if (id !== undefined && id !== '') this.#after = id;
        this.#alive();
        const message = messageOf(event, data);
        if (message !== null) this.#onMessage(message);
      },
      end: () => this.#again(),
    });
    this.#alive();
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
    this.#connection?.close();
    this.#connection = null;
    clearTimeout(this.#retry);
    clearTimeout(this.#watchdog);
  }
}

/** Null for events that this page does not know. */
function messageOf(event: string | undefined, data: string): StreamMessage | null {
  switch (event) {
    case 'claim':
      return { kind: 'claims', claims: [JSON.parse(data)] };
    case 'transition':
      return { kind: 'transition', event: JSON.parse(data) };
    case 'fresh':
      return { kind: 'fresh', event: JSON.parse(data) };
    case 'reset':
      return { kind: 'reset' };
    default:
      return null;
  }
}
