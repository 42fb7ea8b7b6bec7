import type { ServerResponse } from 'node:http';

/** Responses that were not sent yet: a server that stops sends them before it exits. */
export class PendingResponses {
  readonly #owed = new Set<ServerResponse>();
  #settled: (() => void) | null = null;

  add(answer: ServerResponse): void {
    this.#owed.add(answer);
    answer.once('close', () => {
      this.#owed.delete(answer);
      if (this.#owed.size === 0) this.#settled?.();
    });
  }

  /** Waits until none is pending, for at most `ms`; answers how many still are. */
  async drained(ms: number): Promise<number> {
    if (this.#owed.size > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#settled = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    return this.#owed.size;
  }
}
