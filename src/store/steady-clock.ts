/** Of real time, while the clock is behind: whatever is counted takes little longer, and the clock catches up in time. */
const PACE = 0.9;
/** Answers of a database overtake each other by less. */
const STEP_MS = 1_000;
/** What runs writes records of several kinds, the rarest of them within a day or so. */
export const NEAR_MS = 86_400_000;

/** A clock that was found behind what it said before, or behind what is on record. */
export interface SetBack {
  readonly byMs: number;
  readonly found: 'at the start' | 'while running';
}

export interface SteadyOptions {
  /** How long a store is taken to have been away, at least, if its clock is behind what is on record. */
  readonly awayMs?: number;
  readonly setBack?: (found: SetBack) => void;
  /** An instant on record was not believed. */
  readonly disbelieved?: (instant: number) => void;
}

/**
 * A clock that may be set back, told as one that is not (F35). It never goes back, and while it is behind what it said
 * before, time goes on all the same: were it to stand still, nothing would go stale, no lease would end and no work
 * would become due for as long as the step (S2). Rejected: to go on at full pace, for then it would stay ahead for ever.
 */
export class SteadyClock {
  readonly #awayMs: number;
  readonly #setBack: (found: SetBack) => void;
  readonly #disbelieved: (instant: number) => void;
  readonly #monotonic: () => number;
  #said = 0;
  #told = 0;
  #toldAt: number;

  constructor(options: SteadyOptions = {}, monotonic: () => number = () => performance.now()) {
    this.#awayMs = options.awayMs ?? 0;
    this.#setBack = options.setBack ?? (() => {});
    this.#disbelieved = options.disbelieved ?? (() => {});
    this.#monotonic = monotonic;
    this.#toldAt = monotonic();
  }

  /**
   * When a store is opened: what its clock says, and the newest instant of each kind of record. Of a clock that is
   * behind, nobody can tell for how long there was nobody: what was seen before must not pass for fresh.
   */
  begin(said: number, newest: readonly number[]): void {
    this.#said = said;
    const byMs = this.#believed(said, newest) - said;
    this.#told = byMs > 0 ? said + byMs + this.#awayMs : said;
    this.#toldAt = this.#monotonic();
    if (byMs > 0) this.#setBack({ byMs, found: 'at the start' });
  }

  /**
   * One number that is broken would move the clock for ever (F56): an instant that neither another kind of record nor
   * the clock comes near is not believed, but the second newest, up to which two of them say that time has come. Where
   * there is one kind alone, there is nothing else to go by.
   */
  #believed(said: number, newest: readonly number[]): number {
    const [first = 0, second = first] = newest.toSorted((a, b) => b - a);
    if (first - Math.max(second, said) <= NEAR_MS) return first;
    if (second !== first) this.#disbelieved(first);
    return second;
  }

  /** What the clock says now, made steady. */
  tell(said: number): number {
    const byMs = this.#said - said;
    this.#said = said;
    const at = this.#monotonic();
    this.#told = said >= this.#told ? said : this.#told + (at - this.#toldAt) * PACE;
    this.#toldAt = at;
    if (byMs >= STEP_MS) this.#setBack({ byMs, found: 'while running' });
    return Math.floor(this.#told);
  }

  /** Others tell the same clock, and none of them is behind another. */
  follow(instant: number): number {
    this.#told = Math.max(this.#told, instant);
    return Math.floor(this.#told);
  }

  get isBehind(): boolean {
    return this.#told - this.#said >= STEP_MS;
  }
}
