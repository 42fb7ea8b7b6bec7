import { openSync, writeSync } from 'node:fs';

const BUSY_TRIES = 10;
const BUSY_MS = 10;
const WARN = 40;

/**
 * Destination of the log. Lines that cannot be written are dropped and counted, never thrown and never kept:
 * a full disk, or a reader that has gone, must neither end the server (F48) nor fill its memory. The next
 * line that can be written follows one that says how many are missing.
 */
export class LogLines {
  readonly #write: (bytes: Buffer) => number;
  #dropped = 0;
  #isCut = false;

  constructor(write: (bytes: Buffer) => number) {
    this.#write = write;
  }

  static to(where: string | number): LogLines {
    const fd = typeof where === 'number' ? where : openSync(where, 'a');
    return new LogLines((bytes) => writeSync(fd, bytes));
  }

  write(line: string): void {
    const missing = this.#dropped === 0 ? '' : missingLine(this.#dropped);
    if (this.#put(`${this.#isCut ? '\n' : ''}${missing}${line}`)) this.#dropped = 0;
    else this.#dropped += 1;
  }

  /** Returns whether all of it was written. */
  #put(text: string): boolean {
    let rest = Buffer.from(text);
    const { length } = rest;
    for (let tries = 0; rest.length > 0; )
      try {
        rest = rest.subarray(this.#write(rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || ++tries >= BUSY_TRIES) {
          this.#isCut ||= rest.length < length;
          return false;
        }
        pause();
      }
    this.#isCut = false;
    return true;
  }
}

/** In the form of the log's other lines. */
const missingLine = (dropped: number) =>
  `${JSON.stringify({ level: WARN, time: Date.now(), dropped, msg: 'lines of this log could not be written' })}\n`;

const waiting = new Int32Array(new SharedArrayBuffer(4));
const pause = () => Atomics.wait(waiting, 0, 0, BUSY_MS);
