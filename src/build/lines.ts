import { StringDecoder } from 'node:string_decoder';
import { SENT_LINE_CHARS } from '../contract/log-limits.ts';

/**
 * Cuts a stream of bytes into lines. A lone CR cuts none: of a secret across it each half would pass redaction, and only
 * the whole line shows that it is one (S15). A progress bar that overwrites itself so is one line. The rest of a line that is
 * too long is dropped: output without a line end must not fill the memory (F89).
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
    const pieces = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n/);
    this.#rest = pieces.pop() ?? '';
    for (const line of pieces) this.#pass(line);
    if (this.#rest.length <= SENT_LINE_CHARS) return;
    if (!this.#isCut) this.#onLine(this.#rest.slice(0, SENT_LINE_CHARS));
    this.#isCut = true;
    this.#rest = '';
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
