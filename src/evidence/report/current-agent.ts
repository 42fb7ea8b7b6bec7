import type { ProblemParams } from '../../contract/problem.ts';
import { isReadable, readableOrNull } from '../../store/columns.ts';
import type { AgentRow } from '../../store/schema.ts';
import type { Door } from '../door/door.ts';
import { agentLiveness } from '../door/liveness.ts';

/**
 * Who speaks for a target, locked. What its row cannot say any more, its registration says (F56); if that cannot be
 * read either, nobody speaks for the target but one that registers anew.
 */
export async function currentAgent({ org, tx }: Door, target: string): Promise<AgentRow | undefined> {
  const row = await tx.lock('agents', { org, target });
  if (row === undefined || isReadable(agentLiveness(row) ?? {})) return row;
  const known = await tx.get('registrations', { org, target, instance: row.instance });
  if (known === undefined || !isReadable(known)) return row;
  const { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged } = known;
  const spoke = { epoch, registeredAt, evidence, identityEpoch, identitySince, identityChanged };
  await tx.update('agents', { org, target }, {}, spoke);
  return { ...row, ...spoke };
}

/** As a conflict names it; after a recovery nobody speaks for a target until an agent registers. */
export function holderIn(agent: AgentRow | undefined): ProblemParams {
  const [name, instance] = [readableOrNull(agent?.agent), readableOrNull(agent?.instance)];
  return name == null || !instance ? {} : { holder: { agent: name, instance } };
}
