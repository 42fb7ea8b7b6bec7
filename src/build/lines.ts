import { StringDecoder } from 'node:string_decoder';

/** Longer lines are split: output without a line end must not fill the memory (F89). */
const MAX_LINE = 16 * 1024;

/**
 * Cuts a stream of bytes into lines. A progress bar that overwrites itself with CR gives one line for each
 * state.
 */
export class Lines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const pieces = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n|\r(?!$)/);
    this.#rest = pieces.pop() ?? '';
    for (const line of pieces) this.#tell(line);
    while (this.#rest.length > MAX_LINE) {
      this.#onLine(this.#rest.slice(0, MAX_LINE));
      this.#rest = this.#rest.slice(MAX_LINE);
    }
  }

  end(): void {
    const last = (this.#rest + this.#decoder.end()).replace(/\r$/, '');
    this.#rest = '';
    if (last !== '') this.#tell(last);
  }

  #tell(line: string): void {
    for (let at = 0; at === 0 || at < line.length; at += MAX_LINE)
      this.#onLine(line.slice(at, at + MAX_LINE));
  }
}
