/** Of real time, while the clock is behind: whatever is counted takes little longer, and the clock catches up in time. */
const PACE = 0.9;

/**
 * A clock that may be set back, told as one that is not (F35). It never goes back, and while it is behind what it said
 * before, time goes on all the same: were it to stand still, nothing would go stale, no lease would end and no work
 * would become due for as long as the step (S2). Rejected: to go on at full pace, for then it would stay ahead for ever.
 */
export class SteadyClock {
  readonly #monotonic: () => number;
  #told = 0;
  #toldAt: number;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
    this.#toldAt = monotonic();
  }

  /** What the clock says now, made steady. At the start it is told the newest instant on record. */
  tell(said: number): number {
    const at = this.#monotonic();
    this.#told = said >= this.#told ? said : this.#told + (at - this.#toldAt) * PACE;
    this.#toldAt = at;
    return Math.floor(this.#told);
  }
}
