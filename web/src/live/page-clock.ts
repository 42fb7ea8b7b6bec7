/**
 * A clock that only moves forward, and counts time asleep. `performance.now()` may stand still while the
 * machine sleeps, so that old claims would wake up young. The wall clock shows that gap and is used for
 * nothing else: a wrong wall clock changes nothing, and its jump can only make the page age older.
 */
export class PageClock {
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
