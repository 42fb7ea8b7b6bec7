import type { Happening } from '../oracle-port.ts';
import { type Books, digitsAsNumber } from './books.ts';
import type { Findings } from './findings.ts';

type Streamed = Extract<Happening, { kind: 'streamed' }>;

/** A reader sees every transition once and in order (S12), and in the end all of them (L4). */
export class StreamRules {
  readonly #books: Books;
  readonly #findings: Findings;

  constructor(books: Books, findings: Findings) {
    this.#books = books;
    this.#findings = findings;
  }

  streamed({ org, reader, positions }: Streamed): void {
    const book = this.#books.org(org);
    const { transitions } = book;
    let own = book.readers.get(reader);
    if (own === undefined) {
      own = { next: 0 };
      book.readers.set(reader, own);
    }
    for (const position of positions) {
      this.#findings.count('S12');
      const expected = transitions[own.next];
      if (digitsAsNumber(position) !== expected) {
        this.#findings.broken(
          'S12',
          `${reader} got transition ${position}, but ${expected ?? 'nothing'} comes after ${transitions[own.next - 1] ?? 'the start'}`,
        );
        return;
      }
      own.next++;
    }
  }

  /** L4. `before`: what was there by then must have been read by now. */
  finish(before: number): void {
    for (const { org, readers, transitions, transitionsSeenAt } of this.#books.orgs.values()) {
      for (const [reader, { next }] of readers) {
        this.#findings.count('L4');
        const seenAt = transitionsSeenAt[next];
        if (seenAt !== undefined && seenAt < before)
          this.#findings.broken(
            'L4',
            `${reader} of ${org} never got transition ${transitions[next]}, ${transitions.length - next} behind the head`,
          );
      }
    }
  }
}
