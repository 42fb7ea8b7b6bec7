import type { CacheChange } from '../cache/cluster-cache.ts';
import { lookUpNamespace, type ReadDocument } from './look-up-namespace.ts';

/** A namespace that ends is looked up again this often: its name may be used anew. */
const AGAIN_MS = 5_000;
/** The agent asks again after this time if the cluster refused the look. */
const REFUSED_MS = 300_000;
/** Caps how long an observation waits for looks that are under way. */
const WAIT_MS = 500;

interface NamespaceLook {
  readonly answered: Promise<void>;
  /** The look that follows, where something has left since this one was sent. */
  next: Promise<void> | null;
}

/**
 * Finds namespaces that somebody deleted. The cluster then ends every pod in them before the workloads, which would seem
 * to lose their copies by a fault. A namespace is looked up only when something leaves it, and after that was seen: it was
 * deleted before anything in it was. A look that is refused or fails says nothing.
 */
export class EndingNamespaces {
  readonly #read: ReadDocument;
  readonly #onChange: (namespace: string) => void;
  readonly #looks = new Map<string, NamespaceLook>();
  /** Monotonic: the last answer about each namespace that ends. */
  readonly #ending = new Map<string, number>();
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(read: ReadDocument, onChange: (namespace: string) => void) {
    this.#read = read;
    this.#onChange = onChange;
  }

  isEnding(namespace: string): boolean {
    return this.#ending.has(namespace);
  }

  /** Something leaves the namespace. */
  left(namespace: string, now: number): void {
    if (this.#ending.has(namespace) || now - this.#refusedAt < REFUSED_MS) return;
    const look = this.#looks.get(namespace);
    if (look === undefined) this.#look(namespace, now);
    else look.next ??= look.answered.then(() => this.#look(namespace, now));
  }

  lookAgain(now: number): void {
    for (const [namespace, at] of this.#ending)
      if (now - at >= AGAIN_MS && !this.#looks.has(namespace)) this.#look(namespace, now);
  }

  /** Resolves when the looks that are under way, or that must follow them, are answered, or when that takes too long. */
  async settled(): Promise<void> {
    if (this.#looks.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((done) => {
      timer = setTimeout(done, WAIT_MS);
    });
    const looks = [...this.#looks.values()].map(({ answered, next }) => next ?? answered);
    await Promise.race([Promise.all(looks), late]);
    clearTimeout(timer);
  }

  #look(namespace: string, now: number): Promise<void> {
    const answered = lookUpNamespace(this.#read, namespace).then((found) => {
      this.#looks.delete(namespace);
      const was = this.#ending.has(namespace);
      if (found === 'forbidden') this.#refusedAt = now;
      if (found === 'ending') this.#ending.set(namespace, now);
      else if (found !== 'unproven') this.#ending.delete(namespace);
      if (was !== this.#ending.has(namespace)) this.#onChange(namespace);
    });
    this.#looks.set(namespace, { answered, next: null });
    return answered;
  }
}

/** A pod is told to end, or is gone. */
export function leavesNamespace(
  change: CacheChange,
): change is Extract<CacheChange, { of: 'Pod'; kind: 'put' | 'deleted' }> {
  if (change.of !== 'Pod') return false;
  if (change.kind === 'deleted') return true;
  return (
    change.kind === 'put' &&
    change.record.deletingSince !== null &&
    (change.before?.deletingSince ?? null) === null
  );
}
