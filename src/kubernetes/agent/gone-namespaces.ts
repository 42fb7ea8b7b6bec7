import { lookUpNamespace, type ReadDocument } from './look-up-namespace.ts';

/** The age of such a look is the age of what is said of the namespace. */
const AGAIN_MS = 5_000;
/** The agent asks again after this time if the cluster refused the look. */
const REFUSED_MS = 60_000;

/**
 * Finds namespaces that are gone together with the role that let the agent read them. What was in them cannot be listed
 * any more; where the namespace itself may be read, its absence proves that nothing is in it. A look that is refused or
 * fails says nothing.
 */
export class GoneNamespaces {
  readonly #read: ReadDocument;
  readonly #onChange: (namespace: string) => void;
  readonly #nextLookAt = new Map<string, number>();
  /** The instant of the last look that found each of them absent. */
  readonly #gone = new Map<string, number>();

  constructor(read: ReadDocument, onChange: (namespace: string) => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  /** Monotonic: absent as of then; null where nothing proves it. */
  absentAsOf(namespace: string): number | null {
    return this.#gone.get(namespace) ?? null;
  }

  isAbsent(namespace: string): boolean {
    return this.#gone.has(namespace);
  }

  /** @param refused namespaces that may not be read */
  look(refused: readonly string[], now: number): void {
    for (const namespace of new Set([...refused, ...this.#gone.keys()])) {
      if (now < (this.#nextLookAt.get(namespace) ?? 0)) continue;
      this.#nextLookAt.set(namespace, now + AGAIN_MS);
      void this.#look(namespace, now);
    }
  }

  async #look(namespace: string, sentAt: number): Promise<void> {
    const found = await lookUpNamespace(this.#read, namespace);
    if (found === 'unproven') return;
    if (found === 'forbidden') this.#nextLookAt.set(namespace, sentAt + REFUSED_MS);
    const was = this.#gone.has(namespace);
    if (found === 'absent') this.#gone.set(namespace, sentAt);
    else this.#gone.delete(namespace);
    if (was !== (found === 'absent')) this.#onChange(namespace);
  }
}
