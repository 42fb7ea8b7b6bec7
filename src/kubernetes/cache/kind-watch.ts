import type { KeptRecord } from '../api/reflect/record-store.ts';
import type { Reflector } from '../api/reflect/reflector.ts';

/** Opens the watch of a place: a namespace, or the whole cluster (null). `seed` is what another watch had of it. */
type OpenWatch<R extends KeptRecord> = (place: string | null, seed: readonly R[]) => Reflector<R>;

interface NarrowWatch<R extends KeptRecord> {
  readonly reflector: Reflector<R>;
  readonly openedAt: number;
}

/**
 * The watches of one kind: of the whole cluster, or of each namespace that the agent was started for. Where the cluster
 * refuses the whole of it, a namespace that may still be read has a watch of its own, which begins with what was known of
 * it, so that what is gone meanwhile is missed; it ends once the whole may be read again.
 */
export class KindWatch<R extends KeptRecord> {
  readonly #open: OpenWatch<R>;
  readonly #deleted: (record: R) => void;
  readonly #watches: ReadonlyMap<string | null, Reflector<R>>;
  readonly #narrow = new Map<string, NarrowWatch<R>>();

  constructor(places: readonly (string | null)[], open: OpenWatch<R>, deleted: (record: R) => void) {
    this.#open = open;
    this.#deleted = deleted;
    this.#watches = new Map(places.map((place) => [place, open(place, [])]));
  }

  start(): void {
    for (const reflector of this.#watches.values()) reflector.start();
  }

  stop(): void {
    for (const reflector of this.all()) reflector.stop();
  }

  *records(namespace?: string): Generator<R> {
    if (namespace !== undefined) yield* this.#of(namespace)?.recordsIn(namespace) ?? [];
    else if (this.#narrow.size === 0)
      for (const reflector of this.#watches.values()) yield* reflector.records.values();
    else {
      for (const reflector of this.#watches.values())
        for (const record of reflector.records.values())
          if (!this.#narrow.has(record.namespace)) yield record;
      for (const { reflector } of this.#narrow.values()) yield* reflector.records.values();
    }
  }

  record(uid: string): R | null {
    for (const { reflector } of this.#narrow.values()) {
      const found = reflector.records.get(uid);
      if (found !== undefined) return found;
    }
    for (const reflector of this.#watches.values()) {
      const found = reflector.records.get(uid);
      if (found !== undefined) return this.#narrow.has(found.namespace) ? null : found;
    }
    return null;
  }

  *namespaces(): Generator<string> {
    for (const reflector of this.all()) yield* reflector.namespaces();
  }

  /** By place, every watch that is open. */
  *places(): Generator<readonly [string | null, Reflector<R>]> {
    yield* this.#watches;
    for (const [namespace, { reflector }] of this.#narrow) yield [namespace, reflector];
  }

  all(): Reflector<R>[] {
    return [...this.places()].map(([, reflector]) => reflector);
  }

  /** The watch that a namespace is believed by: one of its own counts once it is proven. */
  believed(namespace: string): Reflector<R> | null {
    const own = this.#narrow.get(namespace)?.reflector;
    if (own !== undefined && own.standing().provenAt !== null) return own;
    return this.#watches.get(null) ?? this.#watches.get(namespace) ?? null;
  }

  /** The watches of a kind that is of no namespace of the user's. */
  whole(): Iterable<Reflector<R>> {
    return this.#watches.values();
  }

  get isNarrow(): boolean {
    return this.#narrow.size > 0;
  }

  /** The cluster refuses the whole of it. */
  isWholeRefused(): boolean {
    return this.#watches.get(null)?.standing().problem?.kind === 'forbidden';
  }

  /** Reads these namespaces by themselves, where the whole is refused. */
  narrow(namespaces: Iterable<string>, now: number): void {
    const whole = this.#watches.get(null);
    if (whole === undefined || !this.isWholeRefused()) return;
    for (const namespace of namespaces) {
      if (this.#narrow.has(namespace)) continue;
      const reflector = this.#open(namespace, whole.take(namespace));
      this.#narrow.set(namespace, { reflector, openedAt: now });
      reflector.start();
    }
  }

  /** Ends the watches of single namespaces once the whole is proven again; true if it was. */
  widen(): boolean {
    const whole = this.#watches.get(null)?.standing();
    if (whole === undefined || whole.problem !== null || whole.provenAt === null) return false;
    const { provenAt } = whole;
    if (this.#narrow.size === 0 || [...this.#narrow.values()].some(({ openedAt }) => provenAt <= openedAt))
      return false;
    const narrow = [...this.#narrow.values()];
    this.#narrow.clear();
    for (const { reflector } of narrow) {
      reflector.stop();
      for (const record of reflector.records.values())
        if (this.record(record.uid) === null) this.#deleted(record);
    }
    return true;
  }

  /** The namespace is no more, and whatever was in it. */
  forget(namespace: string): void {
    this.#of(namespace)?.forget(namespace);
  }

  #of(namespace: string): Reflector<R> | undefined {
    return this.#narrow.get(namespace)?.reflector ?? this.#watches.get(namespace) ?? this.#watches.get(null);
  }
}
