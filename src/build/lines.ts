import { StringDecoder } from 'node:string_decoder';
import { SENT_LINE_CHARS } from '../contract/log-limits.ts';

/**
 * Cuts a stream of bytes into lines. A progress bar that overwrites itself with CR gives one line for each
 * state. The rest of a line that is too long is dropped: output without a line end must not fill the memory (F89).
 */
export class Lines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #rest = '';
  /** The beginning of this line was passed on already. */
  #isCut = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    const pieces = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n|\r(?!$)/);
    this.#rest = pieces.pop() ?? '';
    for (const line of pieces) this.#pass(line);
    if (this.#rest.length <= SENT_LINE_CHARS) return;
    // A return at the end is kept: only the next chunk says whether it ends the line.
    const last = this.#rest.endsWith('\r') ? '\r' : '';
    if (!this.#isCut) this.#onLine(this.#rest.slice(0, SENT_LINE_CHARS));
    this.#isCut = true;
    this.#rest = last;
  }

  end(): void {
    const last = (this.#rest + this.#decoder.end()).replace(/\r$/, '');
    this.#rest = '';
    if (last !== '') this.#pass(last);
  }

  #pass(line: string): void {
    if (!this.#isCut) this.#onLine(line.slice(0, SENT_LINE_CHARS));
    this.#isCut = false;
  }
}
