/**
 * Compares two resourceVersions of one kind in one cluster (F62): negative, zero or positive; null where they are no
 * decimal numbers, as those of some aggregated API servers, and then only equality says anything. Documented as
 * comparable from 1.35 on; every release before writes them in the same way, from the same counter of etcd.
 */
export function compareVersions(one: string, other: string): number | null {
  if (one === other) return 0;
  if (!DECIMAL.test(one) || !DECIMAL.test(other)) return null;
  if (one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : 1;
}

const DECIMAL = /^[1-9]\d*$/;

export function hasReached(version: string | null, other: string): boolean {
  const order = version === null ? null : compareVersions(version, other);
  return order !== null && order >= 0;
}

/** The higher one; where they do not compare, the newcomer. */
export function higherOf(one: string | null, newcomer: string): string {
  return one !== null && (compareVersions(one, newcomer) ?? -1) > 0 ? one : newcomer;
}
