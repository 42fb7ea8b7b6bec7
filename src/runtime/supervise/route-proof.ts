import { performance } from 'node:perf_hooks';
import type { RouteAnswer } from '../router/router.ts';

/** Whether the route answers, and for whom: known by asking the router as a user would, again and again. */
export class RouteProof {
  readonly #ask: () => Promise<RouteAnswer>;
  readonly #changed: () => void;
  readonly #everyMs: () => number;
  #answer: RouteAnswer = { answers: false };
  #askedAt = performance.now();
  #asking: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #stale = false;
  #ended = false;

  constructor(ask: () => Promise<RouteAnswer>, everyMs: () => number, changed: () => void) {
    this.#ask = ask;
    this.#everyMs = everyMs;
    this.#changed = changed;
  }

  get answer(): RouteAnswer {
    return this.#answer;
  }

  get seenAt(): number {
    return this.#askedAt;
  }

  /** What was known no longer is: the router was told something else. Asked again at once. */
  renew(): Promise<void> {
    this.#stale = this.#asking !== null;
    return this.look();
  }

  look(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#ended) return Promise.resolve();
    this.#asking ??= this.#once().finally(() => {
      this.#asking = null;
      if (this.#stale) {
        this.#stale = false;
        void this.look();
      } else if (!this.#ended) this.#timer = setTimeout(() => void this.look(), this.#everyMs());
    });
    return this.#asking;
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #once(): Promise<void> {
    // A path of which no request can be made is thrown.
    const answer = await this.#ask().catch((): RouteAnswer => ({ answers: false }));
    if (this.#ended) return;
    this.#askedAt = performance.now();
    const before = this.#answer;
    this.#answer = answer;
    if (JSON.stringify(before) !== JSON.stringify(answer)) this.#changed();
  }
}
