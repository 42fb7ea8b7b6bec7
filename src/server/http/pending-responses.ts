import type { ServerResponse } from 'node:http';

/** Answers that are owed to who was let in: a server that stops gives them before it goes. */
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

  /** When none is owed any more, or after so long; how many still are. */
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
