import { performance } from 'node:perf_hooks';

/** The clock is read at least so often, by a timer of its own, while anybody waits for it. */
const TICK_MS = 250;

/**
 * Monotonic time, less the time in which this process did not run: it was stopped, the machine slept, or something
 * held up its loop. An instance had no chance to be heard then, and must not be called silent for it.
 */
export class AwakeClock {
  readonly #monotonic: () => number;
  #readAt: number;
  #asleepMs = 0;
  #waiting = 0;
  #ticker: NodeJS.Timeout | undefined;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
    this.#readAt = monotonic();
  }

  now(): number {
    const at = this.#monotonic();
    const gapMs = at - this.#readAt;
    if (this.#waiting > 0 && gapMs > 2 * TICK_MS) this.#asleepMs += gapMs - TICK_MS;
    this.#readAt = at;
    return at - this.#asleepMs;
  }

  /** Acts when so much time has passed on this clock. Gives the way to call it off. */
  after(ms: number, act: () => void): () => void {
    const dueAt = this.now() + ms;
    this.#wait(1);
    let timer: NodeJS.Timeout | null = null;
    const end = () => {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      this.#wait(-1);
    };
    const arm = (leftMs: number) => {
      timer = setTimeout(() => {
        const left = dueAt - this.now();
        if (left > 0) return arm(left);
        end();
        act();
      }, Math.ceil(leftMs));
    };
    arm(ms);
    return end;
  }

  #wait(more: 1 | -1): void {
    this.#waiting += more;
    if (this.#waiting === 0) clearInterval(this.#ticker);
    else if (this.#waiting === 1 && more === 1) this.#ticker = setInterval(() => this.now(), TICK_MS).unref();
  }
}

/** The clock of this process. */
export const AWAKE = new AwakeClock();
