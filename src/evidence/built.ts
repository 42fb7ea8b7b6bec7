import type { ReadTx } from '../store/port.ts';
import type { AttemptRow } from '../store/schema.ts';

/** The attempt that made a revision's bytes: later ones run them, and tell nothing of how they were made. */
export async function builtBy(
  tx: ReadTx,
  org: string,
  service: string,
  revision: number,
): Promise<AttemptRow | undefined> {
  const attempts = await tx.select('attempts', { org, service, revision }, { order: 'attempt' });
  return attempts.find(({ artifact }) => artifact !== null);
}
