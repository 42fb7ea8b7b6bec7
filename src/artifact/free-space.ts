import { statfs } from 'node:fs/promises';
import { asStorageError, NoSpace } from './storage-errors.ts';

/**
 * The free space is measured again after this many bytes. A measurement costs microseconds; a full disk costs
 * the ledger its heartbeats.
 */
const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

export type FreeBytes = (dir: string) => Promise<number>;

export const freeBytes: FreeBytes = async (dir) => {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
};

/**
 * Keeps a floor of free space under uploads and logs, because the ledger usually stands on the same disk: bytes
 * that can be sent again give way to evidence that cannot (F48).
 */
export class FreeSpace {
  readonly #dir: string;
  readonly #floorBytes: number;
  readonly #freeBytes: FreeBytes;
  #sinceLook = Number.POSITIVE_INFINITY;

  constructor(dir: string, floorBytes: number, look: FreeBytes = freeBytes) {
    this.#dir = dir;
    this.#floorBytes = floorBytes;
    this.#freeBytes = look;
  }

  /** Measures now, whatever the last measurement was. */
  async check(): Promise<void> {
    const free = await this.#freeBytes(this.#dir).catch((error: unknown) => {
      throw asStorageError(error);
    });
    if (free < this.#floorBytes) {
      this.#sinceLook = Number.POSITIVE_INFINITY;
      throw new NoSpace(`${free} bytes are free, the floor is ${this.#floorBytes}`);
    }
    this.#sinceLook = 0;
  }

  /**
   * Called before each write. Measures when enough was written since the last measurement, and always after a
   * refusal.
   */
  async beforeWriting(bytes: number): Promise<void> {
    this.#sinceLook += bytes;
    if (this.#sinceLook >= LOOK_EVERY_BYTES) await this.check();
  }
}
