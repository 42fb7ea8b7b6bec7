import type { ServerResponse } from 'node:http';
import { Refused } from './problems.ts';

/** Who takes nothing of its answer for so long is cut off, as a slow reader of a stream is (F83). */
const STUCK_MS = 10_000;

/**
 * Long answers that are on their way to their readers. They are whole in memory until they are taken, so all of them
 * together may hold so much, and no more are begun meanwhile: readers that take nothing fill no server (F89).
 */
export class UnsentResponses {
  readonly #maxBytes: number;
  readonly #stuckMs: number;
  #bytes = 0;

  constructor(maxBytes = 64 * 1024 ** 2, stuckMs = STUCK_MS) {
    this.#maxBytes = maxBytes;
    this.#stuckMs = stuckMs;
  }

  /** Before an answer is made. */
  requireRoom(): void {
    if (this.#bytes >= this.#maxBytes)
      throw new Refused(
        'too_many',
        'As much is on its way to slow readers as this server holds; try again in a moment.',
        { limit: this.#maxBytes },
        1,
      );
  }

  /** Until it is taken, or its reader is gone. */
  hold(response: ServerResponse, bytes: number): void {
    this.#bytes += bytes;
    response.setTimeout(this.#stuckMs, () => response.destroy());
    response.once('close', () => {
      this.#bytes -= bytes;
    });
  }
}
