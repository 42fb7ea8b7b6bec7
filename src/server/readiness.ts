import { inTime, Late } from '../store/in-time.ts';
import type { Store, Unavailable } from '../store/port.ts';

const LIMIT_MS = 2_000;
/** However many ask, the store is asked no oftener than this. */
const GOOD_FOR_MS = 1_000;

/** Asks the store whether it answers. The last outcome says nothing: a store that hangs fails no call. */
export class Readiness {
  readonly #store: Store;
  #asked: Promise<boolean> | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store) {
    this.#store = store;
  }

  answers(): Promise<boolean> {
    if (this.#asked !== null && performance.now() - this.#askedAt < GOOD_FOR_MS) return this.#asked;
    this.#askedAt = performance.now();
    this.#asked = inTime(
      this.#store.read((tx) => tx.now(), 'liveness'),
      LIMIT_MS,
    ).then(
      () => true,
      () => false,
    );
    return this.#asked;
  }

  /** Why nothing can be written, as the last that was tried found it; the servers' beat is written every second. */
  get unwritable(): Unavailable | null {
    return this.#store.unwritable ?? null;
  }

  /** As long as the store answers anybody it is waited for; if it does not, no longer than so. */
  async patiently<T>(asked: Promise<T>, ms: number): Promise<T> {
    try {
      return await inTime(asked, ms);
    } catch (error) {
      if (!(error instanceof Late) || !(await this.answers())) throw error;
      return this.patiently(asked, GOOD_FOR_MS);
    }
  }
}
