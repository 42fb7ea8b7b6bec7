import type { CachedKind, CachedRecords } from '../cache/kinds.ts';

/** The records that observations are made of; the cache is one source of them. */
export interface ClusterRecords {
  records<K extends CachedKind>(kind: K, namespace?: string): Iterable<CachedRecords[K]>;
  record<K extends CachedKind>(kind: K, uid: string): CachedRecords[K] | null;
}
