export const ARTIFACT_POINTS = {
  arriving: 'half of the bytes are written',
  whole: 'all bytes are durable under a temporary name',
  named: 'all bytes have their final name, the caller has no answer',
} as const;
export type ArtifactPoint = keyof typeof ARTIFACT_POINTS;

/** The content of the artifact, in two chunks. */
export const CHUNKS = [Buffer.alloc(100_000, 'a'), Buffer.alloc(100_000, 'b')] as const;
