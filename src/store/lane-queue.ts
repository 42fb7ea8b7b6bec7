import { type Lane, Overloaded } from './port.ts';

interface QueuedCaller {
  enter(): void;
  refuse(why: Error): void;
}

/**
 * A bounded queue before something that `width` callers may use at once. Liveness has its own lane and always
 * goes first: a server that is busy with work must not let leases lapse and agents fall silent (F49).
 */
export class LaneQueue {
  readonly #limit: number;
  readonly #waiting: Record<Lane, QueuedCaller[]> = { liveness: [], work: [] };
  #free: number;

  constructor(width: number, limit: number) {
    this.#free = width;
    this.#limit = limit;
  }

  /** Resolves when it is the caller's turn; throws `Overloaded` at once if the lane is full. */
  enter(lane: Lane): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    const line = this.#waiting[lane];
    if (line.length >= this.#limit) throw new Overloaded(`${line.length} transactions wait already`);
    return new Promise((enter, refuse) => line.push({ enter, refuse }));
  }

  leave(): void {
    const next = this.#waiting.liveness.shift() ?? this.#waiting.work.shift();
    if (next === undefined) this.#free++;
    else next.enter();
  }

  /**
   * Fails every waiting caller, because the resource they wait for does not answer: each would only wait for
   * the same timeout in turn.
   */
  refuseAll(why: Error): void {
    for (const line of Object.values(this.#waiting)) for (const { refuse } of line.splice(0)) refuse(why);
  }
}
