import { ApiFailure } from './problem.ts';

/**
 * A signal that aborts when `signal` does, or after a time with a problem of its own. `lift` must be called when the
 * work is done. Rejected: AbortSignal.any, which keeps every signal that it ever combined with a long-lived one
 * reachable in Node 20, a few bytes per watch for ever.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  readonly #abort = () => this.#controller.abort(this.#outer?.reason);

  constructor(signal: AbortSignal | undefined, ms: number, doing: string) {
    this.#outer = signal;
    this.#timer = setTimeout(() => {
      const message = `No answer in ${ms / 1000} s: ${doing}.`;
      this.#controller.abort(new ApiFailure({ kind: 'timed_out', message }));
    }, ms);
    if (signal?.aborted) this.#abort();
    else signal?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  lift(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}
