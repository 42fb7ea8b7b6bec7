/**
 * The pace of the steady clock while the source clock is behind, as a part of real time: timeouts become a
 * little longer, and the source catches up eventually.
 */
const PACE = 0.9;
/** A smaller step back is no alarm: answers of a database overtake each other by less. */
const STEP_MS = 1_000;
/**
 * Two records within this time support each other: a running server writes records of several kinds, the
 * rarest about daily.
 */
export const NEAR_MS = 86_400_000;

/** A clock that was found behind its own earlier reading, or behind the newest recorded instant. */
export interface ClockSetBack {
  readonly byMs: number;
  readonly found: 'at the start' | 'while running';
}

export interface SteadyOptions {
  /** The least downtime that is assumed if the clock is behind the newest recorded instant. */
  readonly awayMs?: number;
  readonly onSetBack?: (found: ClockSetBack) => void;
  /** Called with a recorded instant that was ignored as damage. */
  readonly onInstantIgnored?: (instant: number) => void;
}

/**
 * Makes a steady clock of one that may be set back (F35). It never goes back, and while its source is behind,
 * it still advances: if it stood still, nothing would go stale, no lease would end and no work would become
 * due for as long as the step (S2). Rejected: to advance at full pace, because then it would stay ahead for
 * ever.
 */
export class SteadyClock {
  readonly #awayMs: number;
  readonly #onSetBack: (found: ClockSetBack) => void;
  readonly #onInstantIgnored: (instant: number) => void;
  readonly #monotonic: () => number;
  #reading = 0;
  #time = 0;
  #timeAt: number;

  constructor(options: SteadyOptions = {}, monotonic: () => number = () => performance.now()) {
    this.#awayMs = options.awayMs ?? 0;
    this.#onSetBack = options.onSetBack ?? (() => {});
    this.#onInstantIgnored = options.onInstantIgnored ?? (() => {});
    this.#monotonic = monotonic;
    this.#timeAt = monotonic();
  }

  /**
   * Starts the clock when a store is opened, from the source's reading and the newest instant of each kind of
   * record. If the source is behind, the length of the downtime is unknown, so earlier observations must not
   * pass for fresh.
   */
  begin(reading: number, newest: readonly number[]): void {
    this.#reading = reading;
    const byMs = this.#newestCredible(reading, newest) - reading;
    this.#time = byMs > 0 ? reading + byMs + this.#awayMs : reading;
    this.#timeAt = this.#monotonic();
    if (byMs > 0) this.#onSetBack({ byMs, found: 'at the start' });
  }

  /**
   * The newest credible instant. One damaged number would move the clock for ever (F56): an instant that is
   * near neither another kind of record nor the clock is ignored, and the second newest counts, which two
   * kinds support. If there is only one kind, it is believed.
   */
  #newestCredible(reading: number, newest: readonly number[]): number {
    const [first = 0, second = first] = newest.toSorted((a, b) => b - a);
    if (first - Math.max(second, reading) <= NEAR_MS) return first;
    if (second !== first) this.#onInstantIgnored(first);
    return second;
  }

  /** The steady time for a reading of the source clock. */
  advance(reading: number): number {
    const byMs = this.#reading - reading;
    this.#reading = reading;
    const at = this.#monotonic();
    this.#time = reading >= this.#time ? reading : this.#time + (at - this.#timeAt) * PACE;
    this.#timeAt = at;
    if (byMs >= STEP_MS) this.#onSetBack({ byMs, found: 'while running' });
    return Math.floor(this.#time);
  }

  /** Advances to a reading of another server on the same clock, so that no server is behind another. */
  follow(instant: number): number {
    this.#time = Math.max(this.#time, instant);
    return Math.floor(this.#time);
  }

  get isBehind(): boolean {
    return this.#time - this.#reading >= STEP_MS;
  }
}
