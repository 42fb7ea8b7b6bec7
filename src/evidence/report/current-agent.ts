import type { ProblemParams } from '../../contract/problem.ts';
import { intact, readable } from '../../store/broken-row.ts';
import type { AgentRow } from '../../store/schema.ts';
import { agentLiveness } from '../door/liveness.ts';
import type { OrgTransaction } from '../door/org-transaction.ts';

/** The row of the agent that speaks for a target, as far as it can be read. */
export type CurrentAgent = Partial<AgentRow>;

/**
 * The current agent of a target, locked. Where its row cannot be read, its registration says the same (F56); if that
 * cannot be read either, the target has no current agent until one registers.
 */
export async function currentAgent(
  { org, tx }: OrgTransaction,
  target: string,
): Promise<CurrentAgent | undefined> {
  const row = await tx.lock('agents', { org, target });
  if (row === undefined) return undefined;
  const current = readable(row);
  const { instance } = current;
  if (agentLiveness(row, 0) !== 'broken' || instance === undefined) return current;
  const registration = intact(await tx.get('registrations', { org, target, instance }));
  if (registration === undefined) return current;
  const { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged, places } =
    registration;
  const mended = { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged, places };
  await tx.update('agents', { org, target }, {}, mended);
  return { ...current, ...mended };
}

/** The current agent as a conflict names it; empty after a recovery, until an agent registers. */
export function holderIn(agent: CurrentAgent | undefined): ProblemParams {
  const { agent: name, instance } = agent ?? {};
  return name === undefined || !instance ? {} : { holder: { agent: name, instance } };
}
