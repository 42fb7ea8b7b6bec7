import { compareDigits, type Digits } from '../../contract/digits.ts';

/** Of what a reader may be behind, a part: it is let go of at once. */
const MOST_CHARS = 256 * 1024;

/**
 * What comes while a viewer is told what was before. More than so much is not kept: it is on the ledger, and the viewer
 * is told of it from there.
 */
export class HeldBack {
  #texts: (readonly [string, Digits | null])[] = [];
  #chars = 0;

  add(text: string, position: Digits | null): void {
    this.#chars += text.length;
    if (this.isTooMuch) this.#texts = [];
    else this.#texts.push([text, position]);
  }

  get isTooMuch(): boolean {
    return this.#chars > MOST_CHARS;
  }

  forget(): void {
    this.#texts = [];
    this.#chars = 0;
  }

  /** What is news to who knows everything up to there. */
  after(position: Digits): readonly string[] {
    return this.#texts.flatMap(([text, at]) =>
      at === null || compareDigits(at, position) > 0 ? [text] : [],
    );
  }
}
