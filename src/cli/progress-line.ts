const EVERY_MS = 500;

/**
 * Shows the progress of a long command on stderr: one line that redraws itself on a terminal, else a line now
 * and then.
 */
export class ProgressLine {
  readonly #since = Date.now();
  #writtenAt = Date.now();
  #isLineWritten = false;

  show(what: string, rows: number): void {
    const now = Date.now();
    const terminal = process.stderr.isTTY === true;
    if (now - this.#writtenAt < (terminal ? EVERY_MS : 10 * EVERY_MS)) return;
    this.#writtenAt = now;
    const rate = Math.round((rows * 1000) / Math.max(1, now - this.#since));
    process.stderr.write(
      `${terminal ? '\r\x1b[K' : ''}${what}, ${rows} rows, ${rate} rows/s${terminal ? '' : '\n'}`,
    );
    this.#isLineWritten = terminal;
  }

  clear(): void {
    if (this.#isLineWritten) process.stderr.write('\r\x1b[K');
    this.#isLineWritten = false;
  }
}
