import type { Store, Unavailable } from '../store/port.ts';
import { StoreTimeout, withTimeLimit } from '../store/time-limit.ts';

const LIMIT_MS = 2_000;
/** Bounds how often the store is probed, however many callers there are. */
const GOOD_FOR_MS = 1_000;

/**
 * Probes whether the store answers. The outcome of the last call is no substitute: a store that hangs fails
 * no call.
 */
export class StoreProbe {
  readonly #store: Store;
  #probe: Promise<boolean> | null = null;
  #probedAt = Number.NEGATIVE_INFINITY;

  constructor(store: Store) {
    this.#store = store;
  }

  answers(): Promise<boolean> {
    if (this.#probe !== null && performance.now() - this.#probedAt < GOOD_FOR_MS) return this.#probe;
    this.#probedAt = performance.now();
    this.#probe = withTimeLimit(
      this.#store.read((tx) => tx.now(), 'liveness'),
      LIMIT_MS,
    ).then(
      () => true,
      () => false,
    );
    return this.#probe;
  }

  /** The reason why the last write failed, or null; the server's beat is written every second. */
  get unwritable(): Unavailable | null {
    return this.#store.unwritable ?? null;
  }

  /** Waits for a read as long as the store answers probes; if it does not, for no longer than `ms`. */
  async patiently<T>(read: Promise<T>, ms: number): Promise<T> {
    try {
      return await withTimeLimit(read, ms);
    } catch (error) {
      if (!(error instanceof StoreTimeout) || !(await this.answers())) throw error;
      return this.patiently(read, GOOD_FOR_MS);
    }
  }
}
