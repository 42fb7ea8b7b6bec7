export const ARTIFACT_POINTS = {
  arriving: 'half of the bytes are written',
  whole: 'all bytes are durable under a temporary name',
  named: 'they have their name, the caller has no answer',
} as const;
export type ArtifactPoint = keyof typeof ARTIFACT_POINTS;

/** Two chunks of which a test knows the content. */
export const CHUNKS = [Buffer.alloc(100_000, 'a'), Buffer.alloc(100_000, 'b')] as const;
