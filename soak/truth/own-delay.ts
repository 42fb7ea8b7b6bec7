const TICK_MS = 50;
const KEPT_MS = 120_000;
/** Shorter delays are those of an idle machine too. */
const NOTED_MS = 100;

/** A time in which this process itself did not get to look. */
export interface OwnDelayed {
  /** When it came to again. */
  readonly at: number;
  readonly ms: number;
}

/** A longer delay makes what was found meanwhile no evidence against anybody. */
export const STARVED_MS = 500;

/** Measures by how much the event loop of the soak itself is late: the machine may be busy with others. */
export class OwnDelay {
  readonly delays: OwnDelayed[] = [];
  worstMs = 0;
  /** The sum of all that are long enough to matter. */
  starvedMs = 0;
  #dueAt = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#dueAt = performance.now() + TICK_MS;
    this.#timer = setInterval(() => this.#tick(performance.now()), TICK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** True if we were away for too long since that instant, or are just coming back. */
  hasStarvedSince(from: number, now: number): boolean {
    return (
      now - this.#dueAt >= STARVED_MS || this.delays.some(({ at, ms }) => at >= from && ms >= STARVED_MS)
    );
  }

  #tick(now: number): void {
    const ms = now - this.#dueAt;
    this.#dueAt = now + TICK_MS;
    if (ms < NOTED_MS) return;
    this.delays.push({ at: now, ms });
    this.worstMs = Math.max(this.worstMs, ms);
    if (ms >= STARVED_MS) this.starvedMs += ms;
    while ((this.delays[0]?.at ?? now) < now - KEPT_MS) this.delays.shift();
  }
}
