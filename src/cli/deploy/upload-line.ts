import { bytes } from '../../contract/presentation/times.ts';
import type { CliContext } from '../context.ts';

const EVERY_MS = 100;

/**
 * Shows the progress of packing and sending: one line that redraws itself on a terminal, nothing in a pipe.
 */
export class UploadLine {
  readonly #shows: boolean;
  #writtenAt = 0;
  #isLineWritten = false;

  constructor(context: Pick<CliContext, 'live'>) {
    this.#shows = context.live && process.stderr.isTTY === true;
  }

  show(what: string, done: number, total: number): void {
    const now = performance.now();
    if (!this.#shows || now - this.#writtenAt < EVERY_MS) return;
    this.#writtenAt = now;
    this.#isLineWritten = true;
    const percent = total === 0 ? 100 : Math.min(100, Math.floor((done * 100) / total));
    process.stderr.write(`\r\x1b[K${what} ${bytes(done)} of ${bytes(total)} (${percent} %)`);
  }

  clear(): void {
    if (this.#isLineWritten) process.stderr.write('\r\x1b[K');
    this.#isLineWritten = false;
  }
}
