import { type Lane, Overloaded } from './port.ts';

/**
 * A bounded line before something that `width` may use at once. Liveness has its own line and always goes first:
 * a server that is busy with work must not let leases lapse and agents fall silent (F49).
 */
export class Lanes {
  readonly #limit: number;
  readonly #waiting: Record<Lane, (() => void)[]> = { liveness: [], work: [] };
  #free: number;

  constructor(width: number, limit: number) {
    this.#free = width;
    this.#limit = limit;
  }

  /** Resolves when it is this one's turn; who comes when the line is full is told so at once. */
  enter(lane: Lane): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    const line = this.#waiting[lane];
    if (line.length >= this.#limit) throw new Overloaded(`${line.length} transactions wait already`);
    return new Promise((resolve) => line.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.liveness.shift() ?? this.#waiting.work.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
