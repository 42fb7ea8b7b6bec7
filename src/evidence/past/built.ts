import type { ReadTx } from '../../store/port.ts';
import type { AttemptRow } from '../../store/schema.ts';

/** The attempt that made a revision's bytes: later ones run them, and tell nothing of how they were made. */
export async function builtBy(
  tx: ReadTx,
  org: string,
  service: string,
  revision: number,
): Promise<AttemptRow | undefined> {
  const [attempts] = await tx.readAll([attemptsOf(org, service, revision)]);
  return builtIn(attempts);
}

/** For who asks for more at the same time. */
export const attemptsOf = (org: string, service: string, revision: number) =>
  ({ table: 'attempts', where: { org, service, revision }, options: { order: 'attempt' } }) as const;

export const builtIn = (attempts: readonly AttemptRow[]) =>
  attempts.find(({ artifact }) => artifact !== null);
