import { lookUpNamespace, type ReadDocument } from './look-up-namespace.ts';

const AGAIN_MS = 15_000;

/**
 * Finds namespaces that a rule names and that do not exist: to list in one of them answers with nothing, as in one that
 * is empty. Only those without any object are looked up, each again after a while. A look-up that is refused or fails
 * says nothing.
 */
export class NamedNamespaces {
  readonly #read: ReadDocument;
  readonly #onChange: () => void;
  readonly #lookedAt = new Map<string, number>();
  readonly #absent = new Set<string>();

  constructor(read: ReadDocument, onChange: () => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  isAbsent(namespace: string): boolean {
    return this.#absent.has(namespace);
  }

  /** @param empty the named namespaces in which nothing is */
  look(empty: readonly string[], now: number): void {
    const wanted = new Set(empty);
    for (const known of this.#lookedAt.keys()) if (!wanted.has(known)) this.#forget(known);
    for (const namespace of wanted) {
      if (now - (this.#lookedAt.get(namespace) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) continue;
      this.#lookedAt.set(namespace, now);
      void this.#lookUp(namespace);
    }
  }

  #forget(namespace: string): void {
    this.#lookedAt.delete(namespace);
    if (this.#absent.delete(namespace)) this.#onChange();
  }

  async #lookUp(namespace: string): Promise<void> {
    const found = await lookUpNamespace(this.#read, namespace);
    if (found === 'unproven' || found === 'forbidden' || !this.#lookedAt.has(namespace)) return;
    const was = this.#absent.has(namespace);
    if (found === 'absent') this.#absent.add(namespace);
    else this.#absent.delete(namespace);
    if (was !== (found === 'absent')) this.#onChange();
  }
}
