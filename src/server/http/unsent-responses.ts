import type { ServerResponse } from 'node:http';
import { Refused } from './problems.ts';

/**
 * Bounds how long a client may take nothing of its response before it is cut off, like a slow reader of a
 * stream (F83).
 */
const STUCK_MS = 10_000;

/**
 * Bounds the memory of long responses. Each is held in memory until its client has taken it; while all of
 * them together reach `maxBytes`, no more are begun, so that clients that take nothing cannot fill the server
 * (F89).
 */
export class UnsentResponses {
  readonly #maxBytes: number;
  readonly #stuckMs: number;
  #bytes = 0;

  constructor(maxBytes = 64 * 1024 ** 2, stuckMs = STUCK_MS) {
    this.#maxBytes = maxBytes;
    this.#stuckMs = stuckMs;
  }

  /** Refuses while unsent responses reach the limit. Call it before a response is built. */
  requireRoom(): void {
    if (this.#bytes >= this.#maxBytes)
      throw new Refused(
        'too_many',
        'As much is on its way to slow readers as this server holds; try again in a moment.',
        { limit: this.#maxBytes },
        1,
      );
  }

  /** Counts a response until it is sent, or its client is gone. */
  hold(response: ServerResponse, bytes: number): void {
    this.#bytes += bytes;
    response.setTimeout(this.#stuckMs, () => response.destroy());
    response.once('close', () => {
      this.#bytes -= bytes;
    });
  }
}
