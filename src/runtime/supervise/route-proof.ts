import { performance } from 'node:perf_hooks';
import { couldNotLook } from './could-not-look.ts';
import type { RouteAnswer } from './router-port.ts';

/** Proves again and again, by a request through the router, that a route answers and for which attempt. */
export class RouteProof {
  readonly #request: () => Promise<RouteAnswer>;
  readonly #changed: () => void;
  readonly #everyMs: () => number;
  #answer: RouteAnswer = { answers: false };
  #observedAt = performance.now();
  #proving: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #stale = false;
  #ended = false;

  constructor(request: () => Promise<RouteAnswer>, everyMs: () => number, changed: () => void) {
    this.#request = request;
    this.#everyMs = everyMs;
    this.#changed = changed;
  }

  get answer(): RouteAnswer {
    return this.#answer;
  }

  get observedAt(): number {
    return this.#observedAt;
  }

  /** The route was replaced, so its proof is void: proves it at once. */
  renew(): Promise<void> {
    this.#stale = this.#proving !== null;
    return this.prove();
  }

  prove(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#ended) return Promise.resolve();
    this.#proving ??= this.#proveOnce().finally(() => {
      this.#proving = null;
      if (this.#stale) {
        this.#stale = false;
        void this.prove();
      } else if (!this.#ended) this.#timer = setTimeout(() => void this.prove(), this.#everyMs());
    });
    return this.#proving;
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #proveOnce(): Promise<void> {
    const answer = await this.#request().catch(unanswered);
    if (this.#ended || answer === null) return;
    this.#observedAt = performance.now();
    const before = this.#answer;
    this.#answer = answer;
    if (JSON.stringify(before) !== JSON.stringify(answer)) this.#changed();
  }
}

/** A path that cannot be requested is thrown. Null if nobody could look (F122): then the last proof ages. */
const unanswered = (error: unknown): RouteAnswer | null => (couldNotLook(error) ? null : { answers: false });
