import type { Client } from '../../src/client/client.ts';
import { People } from '../../src/client/people.ts';
import type { RevisionKind } from '../../src/contract/vocabulary.ts';

const READ_AT_ONCE = 50;

/** The kinds of revisions, read from the servers as they appear: what was requested is no claim. */
export class Revisions {
  readonly #people: readonly People[];
  readonly #kinds = new Map<string, Map<number, RevisionKind>>();
  readonly #newest = new Map<string, number>();
  readonly #reading = new Set<string>();
  #turn = 0;

  constructor(clients: readonly Client[]) {
    this.#people = clients.map((client) => new People(client));
  }

  /**
   * The revisions whose processes count for this one: a scaling keeps the processes of the one before. Null: not read
   * yet.
   */
  countedFor(ref: string, revision: number): readonly number[] | null {
    this.#newest.set(ref, Math.max(revision, this.#newest.get(ref) ?? 0));
    const kinds = this.#kinds.get(ref);
    const counted: number[] = [];
    for (let n = revision; n > 0; n--) {
      const kind = kinds?.get(n);
      if (kind === undefined) {
        void this.#read(ref);
        return null;
      }
      counted.push(n);
      if (kind !== 'scale') return counted;
    }
    return counted;
  }

  currentOf(ref: string): readonly number[] {
    const newest = this.#newest.get(ref);
    return newest === undefined ? [] : (this.countedFor(ref, newest) ?? []);
  }

  async #read(ref: string): Promise<void> {
    if (this.#reading.has(ref)) return;
    this.#reading.add(ref);
    try {
      const people = this.#people[this.#turn++ % this.#people.length];
      const kinds = this.#kinds.get(ref) ?? new Map<number, RevisionKind>();
      for (const { revision, kind } of (await people?.revisions(ref, READ_AT_ONCE)) ?? [])
        kinds.set(revision, kind);
      this.#kinds.set(ref, kinds);
    } catch {
      // Read again when it is needed again.
    } finally {
      this.#reading.delete(ref);
    }
  }
}
