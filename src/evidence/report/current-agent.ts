import type { Digits } from '../../contract/digits.ts';
import type { ProblemParams } from '../../contract/problem.ts';
import { isReadable, readableOrNull } from '../../store/columns.ts';
import type { AgentRow } from '../../store/schema.ts';
import { agentLiveness } from '../door/liveness.ts';
import type { OrgTransaction } from '../door/org-transaction.ts';

/**
 * The current agent of a target, locked. Where its row cannot be read, its registration says the same (F56); if that
 * cannot be read either, the target has no current agent until one registers.
 */
export async function currentAgent(
  { org, tx }: OrgTransaction,
  target: string,
): Promise<AgentRow | undefined> {
  const row = await tx.lock('agents', { org, target });
  if (row === undefined || isReadable(agentLiveness(row) ?? {})) return row;
  const registration = await tx.get('registrations', { org, target, instance: row.instance });
  if (registration === undefined || !isReadable(registration)) return row;
  const { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged } = registration;
  const mended = { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged };
  await tx.update('agents', { org, target }, {}, mended);
  return { ...row, ...mended };
}

/** Undefined if the epoch cannot be read: the target then has no current agent until one registers. */
export const epochOf = (agent: AgentRow | undefined): Digits | undefined =>
  readableOrNull(agent?.epoch) ?? undefined;

/** The current agent as a conflict names it; empty after a recovery, until an agent registers. */
export function holderIn(agent: AgentRow | undefined): ProblemParams {
  const [name, instance] = [readableOrNull(agent?.agent), readableOrNull(agent?.instance)];
  return name == null || !instance ? {} : { holder: { agent: name, instance } };
}
