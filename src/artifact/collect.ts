import type { ArtifactStore } from './store.ts';

const AT_ONCE = 200;

/**
 * Deletes stored bytes that no org refers to and that were last stored before `before`. `before` must lie
 * further back than the longest time between an upload's last byte and the write of its reference.
 *
 * `referred` returns those of the digests that some org still holds. A caller that wants to refer to stored
 * bytes takes a hold in the same transaction. So bytes are deleted only after the last hold is gone, and a
 * caller that comes too late is refused (`artifact_missing`) instead of promised bytes that are being
 * deleted.
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
