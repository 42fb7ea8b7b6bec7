import type { ReadDocument } from './look-up-namespace.ts';

/** A namespace that could not be read is tried again after this time. */
const AGAIN_MS = 15_000;
/** Caps the looks that are under way: an agent that lost its rights may have known thousands of namespaces. */
const AT_ONCE = 8;

/**
 * Finds the namespaces that may still be read where the cluster refuses to be read as a whole: nobody lists the rights of
 * an agent, so that each namespace is tried. What was found is kept until the whole may be read again; the watches in it
 * say whether it still may.
 */
export class ReadableNamespaces {
  readonly #read: ReadDocument;
  readonly #onFound: (namespace: string) => void;
  readonly #lookedAt = new Map<string, number>();
  readonly #found = new Set<string>();
  #underWay = 0;

  constructor(read: ReadDocument, onFound: (namespace: string) => void) {
    this.#read = read;
    this.#onFound = onFound;
  }

  get found(): ReadonlySet<string> {
    return this.#found;
  }

  look(candidates: readonly string[], now: number): void {
    for (const namespace of candidates) {
      if (this.#underWay >= AT_ONCE) return;
      if (this.#found.has(namespace)) continue;
      if (now - (this.#lookedAt.get(namespace) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) continue;
      this.#lookedAt.set(namespace, now);
      void this.#look(namespace);
    }
  }

  forget(): void {
    this.#lookedAt.clear();
    this.#found.clear();
  }

  async #look(namespace: string): Promise<void> {
    this.#underWay += 1;
    try {
      await this.#read(`/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?limit=1`);
      this.#found.add(namespace);
      this.#onFound(namespace);
    } catch {
      // Refused, or no answer: tried again later.
    } finally {
      this.#underWay -= 1;
    }
  }
}
