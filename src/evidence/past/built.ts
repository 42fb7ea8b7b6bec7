import { pick, readable, type Stored } from '../../store/broken-row.ts';
import type { ReadTx } from '../../store/port.ts';
import type { AttemptRow } from '../../store/schema.ts';

/** The artifact that an attempt built, and the plan that its build found. */
export type Built = Pick<AttemptRow, 'service' | 'revision' | 'artifact' | 'port' | 'command'>;

/** The attempt that built a revision's bytes: later ones run them, and do not record the build. */
export async function builtBy(
  tx: ReadTx,
  org: string,
  service: string,
  revision: number,
): Promise<Built | undefined> {
  const [attempts] = await tx.readAll([attemptsOf(org, service, revision)]);
  return builtIn(attempts);
}

/** The read of a revision's attempts, to be sent together with other reads. */
export const attemptsOf = (org: string, service: string, revision: number) =>
  ({ table: 'attempts', where: { org, service, revision }, options: { order: 'attempt' } }) as const;

export function builtIn(attempts: readonly Stored<'attempts'>[]): Built | undefined {
  const built = attempts.find((row) => readable(row).artifact !== null);
  return pick(built, 'service', 'revision', 'artifact', 'port', 'command');
}
