import type { OwnDelay } from './own-delay.ts';

/**
 * Somebody who is asked again and again, one question at a time. An answer counts until the next question has been
 * left without one for longer than its patience. A question that stays without an answer while we ourselves did not get
 * to listen proves nothing: the answer before it stands.
 */
export class Asker {
  readonly #ask: () => Promise<number | null>;
  readonly #everyMs: number;
  readonly #own: OwnDelay;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  #answer: number | null = null;

  constructor(ask: () => Promise<number | null>, everyMs: number, own: OwnDelay) {
    this.#ask = ask;
    this.#everyMs = everyMs;
    this.#own = own;
  }

  /** The revision of the last answer; null: none came. */
  get answer(): number | null {
    return this.#answer;
  }

  look(now: number): void {
    if (this.#isWaiting || now - this.#askedAt < this.#everyMs) return;
    this.#askedAt = now;
    this.#isWaiting = true;
    void this.#ask().then((answer) => {
      this.#isWaiting = false;
      if (answer !== null || !this.#own.hasStarvedSince(now, performance.now())) this.#answer = answer;
    });
  }
}
