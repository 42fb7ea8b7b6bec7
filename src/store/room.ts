import { NoRoom, ReadOnly } from './port.ts';

/**
 * A small write may fit on a disk that is full for others: for this long after a failure, a success proves
 * nothing.
 */
const DOUBT_MS = 5_000;

/**
 * Records whether the store can be written, from the results of ordinary writes. Rejected: to test it by
 * writing, which would fill the disk (F48).
 */
export class Room {
  readonly #monotonic: () => number;
  #missed: { readonly why: NoRoom | ReadOnly; readonly at: number } | null = null;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  get missed(): NoRoom | ReadOnly | null {
    return this.#missed?.why ?? null;
  }

  wasFound(): void {
    if (this.#missed === null) return;
    const { why, at } = this.#missed;
    if (why instanceof ReadOnly || this.#monotonic() - at >= DOUBT_MS) this.#missed = null;
  }

  async soughtBy<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      if (error instanceof NoRoom || error instanceof ReadOnly)
        this.#missed = { why: error, at: this.#monotonic() };
      throw error;
    }
  }
}
