/** The little that is kept of an object; `uid` is its identity (F67). */
export interface KeptRecord {
  readonly uid: string;
  /** Empty for a cluster-scoped kind. */
  readonly namespace: string;
  readonly name: string;
  /** Its own resourceVersion. */
  readonly version: string;
}

/** Records by uid, and by namespace: an observation of one namespace must not read those of all others. */
export class RecordStore<R extends KeptRecord> {
  readonly #byUid = new Map<string, R>();
  readonly #byNamespace = new Map<string, Map<string, R>>();

  get byUid(): ReadonlyMap<string, R> {
    return this.#byUid;
  }

  /** Namespaces with a record in them. */
  namespaces(): Iterable<string> {
    return this.#byNamespace.keys();
  }

  inNamespace(namespace: string): Iterable<R> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  set(record: R): void {
    const { uid, namespace } = record;
    this.#byUid.set(uid, record);
    const there = this.#byNamespace.get(namespace);
    if (there === undefined) this.#byNamespace.set(namespace, new Map([[uid, record]]));
    else there.set(uid, record);
  }

  delete(uid: string): void {
    const record = this.#byUid.get(uid);
    if (record === undefined) return;
    this.#byUid.delete(uid);
    const there = this.#byNamespace.get(record.namespace);
    there?.delete(uid);
    if (there?.size === 0) this.#byNamespace.delete(record.namespace);
  }

  clear(): void {
    this.#byUid.clear();
    this.#byNamespace.clear();
  }
}
