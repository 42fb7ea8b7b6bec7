/**
 * The sequence numbers received from a source, as ranges: mostly one. Senders repeat batches and may send
 * them out of order. The number of ranges is bounded: a number below the oldest range counts as received.
 */
export class SequenceNumbers {
  /** Ascending, apart from each other, both ends included. */
  readonly #ranges: [from: number, to: number][] = [];
  readonly #maxRanges: number;

  constructor(maxRanges = 64) {
    this.#maxRanges = maxRanges;
  }

  /** Adds a number; false if it was received before. */
  add(seq: number): boolean {
    const at = this.#ranges.findLastIndex(([from]) => from <= seq);
    const before = this.#ranges[at];
    const after = this.#ranges[at + 1];
    if (before !== undefined && seq <= before[1]) return false;
    if (before === undefined && this.#ranges.length >= this.#maxRanges) return false;
    if (before?.[1] === seq - 1) {
      before[1] = seq;
      if (after?.[0] === seq + 1) {
        before[1] = after[1];
        this.#ranges.splice(at + 1, 1);
      }
    } else if (after?.[0] === seq + 1) after[0] = seq;
    else this.#ranges.splice(at + 1, 0, [seq, seq]);
    if (this.#ranges.length > this.#maxRanges) this.#ranges.shift();
    return true;
  }
}
