/**
 * A clock that only moves on, and counts the time asleep too. `performance.now()` may stand still while the machine
 * sleeps, so that old claims would wake up young; the wall clock shows that gap, and is trusted for nothing else: that
 * it is wrong by an hour changes nothing, and a jump of it can only make the page look older than it is.
 */
export class SteadyClock {
  readonly #monotonic: () => number;
  readonly #wall: () => number;
  #lastMonotonic: number;
  #lastWall: number;
  #asleep = 0;

  constructor(monotonic = () => performance.now(), wall = () => Date.now()) {
    this.#monotonic = monotonic;
    this.#wall = wall;
    this.#lastMonotonic = monotonic();
    this.#lastWall = wall();
  }

  now(): number {
    const monotonic = this.#monotonic();
    const wall = this.#wall();
    const gap = wall - this.#lastWall - (monotonic - this.#lastMonotonic);
    if (gap > 1_000) this.#asleep += gap;
    this.#lastMonotonic = monotonic;
    this.#lastWall = wall;
    return monotonic + this.#asleep;
  }
}
