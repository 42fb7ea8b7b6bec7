import { commandId, commandOrdinal, leaseId } from '../contract/command-id.ts';
import type { Source } from '../contract/evidence.ts';
import type { Door } from '../evidence/door/door.ts';
import { endLease, withdrawOffers } from '../evidence/door/lease-end.ts';
import { newCommand } from '../evidence/door/new-command.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import type { Decision } from '../projection/decide.ts';
import { commandOf } from '../projection/workload.ts';
import { readable } from '../store/broken-row.ts';
import { oneOf } from '../store/port.ts';
import type { CommandState } from '../store/schema.ts';

/**
 * Carries out one decision. The revoking write comes first and carries its guard; if it touches no row,
 * another write was faster and nothing is recorded: exactly one of {result accepted, lease expired} happens
 * (F37).
 */
export async function carryOut(
  door: Door,
  file: ServiceFile,
  decision: Decision,
  source: Source,
): Promise<boolean> {
  switch (decision.do) {
    case 'lapse':
      return lapse(door, file, decision, source);
    case 'revoke':
      return revoke(door, file, decision, source);
    case 'withdraw':
      return withdraw(door, file, decision, source);
    case 'remove_again':
      return removeAgain(door, file, source);
    case 'time_out':
      // Opening the file has settled it, which recorded the outcome already.
      return false;
  }
}

type DecisionOf<D extends Decision['do']> = Extract<Decision, { do: D }>;

function stamp(file: ServiceFile) {
  return { revision: file.active?.revision ?? null, attempt: file.active?.attempt.attempt ?? null };
}

/** Its holder died or fell silent (F07): the fence is burned with the lease, and the next holder has a higher one. */
async function lapse(
  door: Door,
  file: ServiceFile,
  { command, fence, lapses, next }: DecisionOf<'lapse'>,
  source: Source,
): Promise<boolean> {
  const { org, tx } = door;
  const lease = await tx.get('leases', { org, id: leaseId(command, fence) });
  const { until } = readable(lease);
  if (lease === undefined || until === undefined) return false;
  const cancelling = file.active?.attempt.cancel !== null;
  // mutant: lapse-requeues
  const state: CommandState =
    next === 'requeue' ? 'published' : next === 'fail' ? 'failed' : cancelling ? 'cancelled' : 'withdrawn';
  if (!(await endLease(door, lease, 'lapsed', state))) return false;
  await tx.update('commands', { org, id: command }, { fence }, { lapses });
  const about = { source, ...stamp(file), command, fence };
  await door.admit(file, { kind: 'lease.lapsed', ...about, body: { lapses, next, at: until } });
  if (next === 'requeue')
    await door.admit(file, { kind: 'command.requeued', ...about, body: { after: 'lapse' } });
  return true;
}

/**
 * The stage's deadline passed while a lease is held: the fence is revoked first, so that the failure is true.
 */
async function revoke(
  door: Door,
  file: ServiceFile,
  { command, fence, stage, at }: DecisionOf<'revoke'>,
  source: Source,
): Promise<boolean> {
  const lease = await door.tx.get('leases', { org: door.org, id: leaseId(command, fence) });
  // mutant: revoke-ends-lease
  if (lease === undefined || !(await endLease(door, lease, 'revoked', 'failed'))) return false;
  await door.admit(file, {
    kind: 'stage.timed_out',
    source,
    ...stamp(file),
    command,
    fence,
    body: { stage, outcome: 'failed', at, cause: `${stage}_timed_out` },
  });
  return true;
}

/** No lease is held: the command is withdrawn together with an offer that is still open. */
async function withdraw(
  door: Door,
  file: ServiceFile,
  { command, stage, at }: DecisionOf<'withdraw'>,
  source: Source,
): Promise<boolean> {
  const { org, tx } = door;
  const id = command ?? file.command;
  if (id === null) return false;
  const unowned = oneOf<CommandState>('recorded', 'published', 'offered');
  // mutant: withdraw-closes-command
  if ((await tx.update('commands', { org, id }, { state: unowned }, { state: 'withdrawn' })) === 0)
    return false;
  await withdrawOffers(door, id);
  await door.admit(file, {
    kind: 'command.withdrawn',
    source,
    ...stamp(file),
    command: id,
    body: { stage, at, why: 'deadline' },
  });
  return true;
}

/** Records a new `remove` command, because an instance was observed that was proven gone. */
async function removeAgain(door: Door, file: ServiceFile, source: Source): Promise<boolean> {
  const { active, service } = file;
  if (active === undefined) return false;
  const last = commandOf(active.attempt, 'remove');
  const ordinal = last === null ? 1 : commandOrdinal(last.id) + 1;
  const { revision } = active;
  const { attempt } = active.attempt;
  const id = commandId(service, revision, attempt, 'remove', ordinal);
  const about = { service, revision, attempt };
  const inserted = await door.tx.insert('commands', newCommand(door, about, 'remove', 'recorded', id));
  if (!inserted) return false;
  file.command = id;
  file.liveness = { ...file.liveness, lease: null };
  await door.admit(file, {
    kind: 'command.requeued',
    source,
    revision,
    attempt,
    command: id,
    body: { after: 'contradiction' },
  });
  return true;
}
