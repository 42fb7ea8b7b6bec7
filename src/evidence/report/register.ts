import { addDigits, type Digits, maxDigits, ZERO } from '../../contract/digits.ts';
import { type Answer, problem } from '../../contract/problem.ts';
import type { Registration } from '../../contract/report.ts';
import type { AgentRow } from '../../store/schema.ts';
import { type Caller, sourceOf, spansTarget } from '../door/caller.ts';
import type { Door } from '../door/door.ts';
import type { Host } from '../door/host.ts';
import { requeue } from '../door/lease-end.ts';
import { agentLiveness } from '../door/liveness.ts';
import { TARGET_SIZE, throughDoor } from '../door/through-door.ts';
import { currentAgent } from './current-agent.ts';

/**
 * A newer registration fences the older one: its leases are revoked and re-queued in this transaction, and its
 * instance may never register again. The current instance registering again gets its epoch again; for another identity
 * it must be another one, as what it said before was about something else.
 */
export function register(
  host: Host,
  caller: Caller,
  target: string,
  given: Registration,
): Promise<Answer<{ epoch: Digits; now: number }>> {
  const { org } = caller;
  const needs = [
    { table: 'agents', keys: [{ org, target }], lock: true },
    { table: 'registrations', keys: [{ org, target, instance: given.instance }] },
  ] as const;
  return throughDoor(
    host,
    org,
    async (door) => {
      const { tx } = door;
      if (caller.role !== 'agent' || !spansTarget(caller, target)) {
        return problem('forbidden', 'This token may not register an agent for this target.');
      }
      const current = await currentAgent(door, target);
      if (current?.instance === given.instance) {
        if (current.identity === given.identity) return { ok: true, epoch: current.epoch, now: door.at };
        return problem(
          'instance_fenced',
          'This instance has registered for another identity; register again with a new instance.',
        );
      }
      const known = await tx.get('registrations', { org, target, instance: given.instance });
      if (known !== undefined) {
        // After a recovery nobody speaks for the target: then it is no other agent that stands in the way, and an agent
        // that may go on under a new instance can tell that from one that has been replaced.
        const { agent = '', epoch = ZERO } = current ?? {};
        return current?.instance
          ? problem('instance_fenced', 'A newer registration has replaced this instance; start a new one.', {
              holder: { agent, epoch },
            })
          : problem('instance_fenced', 'The records were restored; register again with a new instance.');
      }
      const epoch = addDigits(maxDigits(current?.epoch ?? ZERO, String(door.head.floor)), 1);
      const changed = current !== undefined && current.identity !== given.identity;
      const files = changed ? await targetFiles(door, target) : [];
      const evidence = await door.append({
        kind: 'agent.heartbeat',
        source: { ...sourceOf(caller, 'agent'), instance: given.instance },
        target,
        body: { epoch, agent: given.agent, identity: given.identity, changed },
      });
      const row: AgentRow = {
        org,
        target,
        ...given,
        epoch,
        registeredAt: door.at,
        evidence: evidence.id,
        identityEpoch: changed || current === undefined ? epoch : current.identityEpoch,
        identitySince: changed || current === undefined ? door.at : current.identitySince,
        identityChanged: changed || (current?.identityChanged ?? false),
        seenAt: door.at,
        skewMs: null,
      };
      const { registeredAt, identityEpoch, identitySince, identityChanged } = row;
      const spoke = { registeredAt, evidence: evidence.id, identityEpoch, identitySince, identityChanged };
      await tx.insert('registrations', { org, target, instance: given.instance, epoch, ...spoke });
      if (current === undefined) await tx.insert('agents', row);
      else await tx.update('agents', { org, target }, { epoch: current.epoch }, row);
      for (const file of files) {
        file.liveness = { ...file.liveness, agent: agentLiveness(row) };
        await door.rejudge(file, 'agent', evidence.id);
      }
      await requeueOlder(door, target, epoch, caller);
      return { ok: true, epoch, now: door.at };
    },
    { needs, size: TARGET_SIZE, caller },
  );
}

export async function targetFiles(door: Door, target: string) {
  const files = [];
  const { org } = door;
  const rows = await door.tx.select('services', { org, target }, { order: 'service' });
  await door.prefetch(rows.map(({ service }) => service));
  for (const { service } of rows) {
    const file = await door.file(service);
    if (file !== null) files.push(file);
  }
  return files;
}

/** What an older epoch held goes back to the queue: no lapse, for nobody failed. */
async function requeueOlder(door: Door, target: string, epoch: Digits, caller: Caller): Promise<void> {
  const open = await door.tx.select('leases', { org: door.org, target, endedAt: null }, { order: 'id' });
  for (const lease of open) {
    if (lease.kind === 'build' || lease.epoch === epoch) continue;
    await requeue(door, lease, 'registration', caller.name);
  }
}
