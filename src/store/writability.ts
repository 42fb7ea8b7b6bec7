import { NoRoom, ReadOnly } from './port.ts';

/**
 * A small write may fit on a disk that is full for others: for this long after a failure, a success proves
 * nothing.
 */
const FAILURE_HOLDS_MS = 5_000;

/**
 * Records whether the store can be written, from the results of ordinary writes. Rejected: to test it by
 * writing, which would fill the disk (F48).
 */
export class Writability {
  readonly #monotonic: () => number;
  #failure: { readonly why: NoRoom | ReadOnly; readonly at: number } | null = null;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  get reason(): NoRoom | ReadOnly | null {
    return this.#failure?.why ?? null;
  }

  noteSuccess(): void {
    if (this.#failure === null) return;
    const { why, at } = this.#failure;
    if (why instanceof ReadOnly || this.#monotonic() - at >= FAILURE_HOLDS_MS) this.#failure = null;
  }

  async watch<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      if (error instanceof NoRoom || error instanceof ReadOnly)
        this.#failure = { why: error, at: this.#monotonic() };
      throw error;
    }
  }
}
