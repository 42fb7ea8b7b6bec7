import type { EventSourceMessage } from 'eventsource-parser';
import { keyHeader } from '../api.ts';
import { onceDrawn } from '../parts/lazily.ts';

interface Listener {
  open(): void;
  message(message: EventSourceMessage): void;
  /** Once, unless it was closed here. */
  end(): void;
}

/**
 * One connection of server-sent events. Rejected: `EventSource`, which sends no header, and so not the page's half of its
 * session's secret (F127).
 */
export class EventConnection {
  readonly #abort = new AbortController();

  constructor(path: string, listener: Listener) {
    void this.#read(path, listener)
      .catch(() => {})
      .finally(() => {
        if (!this.#abort.signal.aborted) listener.end();
      });
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(path: string, listener: Listener): Promise<void> {
    // The first screen does without the parser.
    const [response, { createParser }] = await Promise.all([
      fetch(path, {
        headers: { ...keyHeader(), accept: 'text/event-stream' },
        credentials: 'same-origin',
        cache: 'no-store',
        signal: this.#abort.signal,
      }),
      onceDrawn(() => import('eventsource-parser')),
    ]);
    if (!response.ok || response.body === null) return;
    listener.open();
    const parser = createParser({ onEvent: (message) => listener.message(message) });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done || this.#abort.signal.aborted) return;
      parser.feed(value);
    }
  }
}
