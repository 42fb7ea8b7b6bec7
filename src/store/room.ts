import { NoRoom } from './port.ts';

/** What is small may find room where others do not: one that does proves nothing for so long. */
const DOUBT_MS = 5_000;

/** Whether there is room on the store's disk, as those who write find it: asking by writing would fill it (F48). */
export class Room {
  readonly #monotonic: () => number;
  #missedAt: number | null = null;

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  get isLeft(): boolean {
    return this.#missedAt === null;
  }

  wasFound(): void {
    if (this.#missedAt !== null && this.#monotonic() - this.#missedAt >= DOUBT_MS) this.#missedAt = null;
  }

  async soughtBy<T>(writing: Promise<T>): Promise<T> {
    try {
      return await writing;
    } catch (error) {
      if (error instanceof NoRoom) this.#missedAt = this.#monotonic();
      throw error;
    }
  }
}
