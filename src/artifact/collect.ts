import type { ArtifactStore } from './store.ts';

const AT_ONCE = 200;

/**
 * Removes what nothing refers to, of what was last stored before `before`. That instant lies further back than any
 * upload takes from its last byte to its reference.
 *
 * `referred` answers which of these digests some org still holds. Whoever wants to refer to bytes that are there
 * must need such a hold, taken in the same transaction: then bytes go only after the last hold on them is gone, and
 * who comes too late is refused (`artifact_missing`) instead of promised what is being removed.
 */
export async function collectGarbage(
  store: ArtifactStore,
  before: number,
  referred: (digests: readonly string[]) => Promise<ReadonlySet<string>>,
  signal?: AbortSignal,
): Promise<{ removed: number; bytes: number }> {
  const result = { removed: 0, bytes: 0 };
  let batch: { digest: string; size: number }[] = [];
  const sweep = async () => {
    const kept = await referred(batch.map(({ digest }) => digest));
    for (const { digest, size } of batch) {
      if (kept.has(digest) || !(await store.remove(digest, before))) continue;
      result.removed += 1;
      result.bytes += size;
    }
    batch = [];
  };
  for await (const artifact of store.digests(before)) {
    if (signal?.aborted) return result;
    batch.push(artifact);
    if (batch.length === AT_ONCE) await sweep();
  }
  if (batch.length > 0) await sweep();
  return result;
}
