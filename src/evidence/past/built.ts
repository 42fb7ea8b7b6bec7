import { pick, readable, type Stored } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';
import type { AttemptRow } from '../../store/schema.ts';

/** What an attempt built, and what its build found beside the bytes. */
export type Built = Pick<AttemptRow, 'service' | 'revision' | 'artifact' | 'port' | 'command'>;

/** The attempt that made a revision's bytes: later ones run them, and tell nothing of how they were made. */
export async function builtBy(
  tx: ReadTx,
  org: string,
  service: string,
  revision: number,
): Promise<Built | undefined> {
  const [attempts] = await tx.readAll([attemptsOf(org, service, revision)]);
  return builtIn(attempts);
}

/** For who asks for more at the same time. */
export const attemptsOf = (org: string, service: string, revision: number) =>
  ({ table: 'attempts', where: { org, service, revision }, options: { order: 'attempt' } }) as const;

export function builtIn(attempts: readonly Stored<'attempts'>[]): Built | undefined {
  const built = attempts.find((row) => readable(row).artifact !== null);
  return pick(built, 'service', 'revision', 'artifact', 'port', 'command');
}
