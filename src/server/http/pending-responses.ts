import type { ServerResponse } from 'node:http';

/** Responses that were not sent yet: a server that stops sends them before it exits. */
export class PendingResponses {
  readonly #pending = new Set<ServerResponse>();
  #onDrained: (() => void) | null = null;

  add(answer: ServerResponse): void {
    this.#pending.add(answer);
    answer.once('close', () => {
      this.#pending.delete(answer);
      if (this.#pending.size === 0) this.#onDrained?.();
    });
  }

  /** Waits until none is pending, for at most `ms`; answers how many still are. */
  async drained(ms: number): Promise<number> {
    if (this.#pending.size > 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#onDrained = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    return this.#pending.size;
  }
}
