/** A token bucket for each name: `size` at once, then `perSecond`. Answers whole seconds to wait, or 0. */
export class TokenBucket {
  readonly #size: number;
  readonly #perMs: number;
  readonly #levels = new Map<string, { level: number; at: number }>();

  constructor(size: number, perSecond: number) {
    this.#size = size;
    this.#perMs = perSecond / 1000;
  }

  /** Answers how long `name` would have to wait, without taking anything. */
  waits(name: string, now = performance.now()): number {
    const level = this.#level(name, now);
    return level >= 1 ? 0 : Math.max(1, Math.ceil((1 - level) / this.#perMs / 1000));
  }

  take(name: string, now = performance.now()): number {
    const wait = this.waits(name, now);
    if (wait > 0) return wait;
    const level = this.#level(name, now) - 1;
    const last = this.#levels.get(name);
    if (last === undefined) {
      if (this.#levels.size > 50_000) this.#levels.clear();
      this.#levels.set(name, { level, at: now });
    } else {
      last.level = level;
      last.at = now;
    }
    return 0;
  }

  #level(name: string, now: number): number {
    const last = this.#levels.get(name);
    return last === undefined ? this.#size : Math.min(this.#size, last.level + (now - last.at) * this.#perMs);
  }
}
