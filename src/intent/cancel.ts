import type { Caller } from '../access/caller.ts';
import { type Answer, noService, type Problem, problem } from '../contract/problem.ts';
import type { Stage } from '../contract/vocabulary.ts';
import type { Door } from '../evidence/door/door.ts';
import type { Host } from '../evidence/door/host.ts';
import { stopLeases, withdrawOffers } from '../evidence/door/lease-end.ts';
import { OPEN_COMMAND } from '../evidence/door/new-command.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import type { RevisionFacts } from '../projection/facts.ts';
import { queueOf } from '../projection/queue.ts';
import { cancelRefusal, isInProgress, unreadable } from '../projection/refusals.ts';
import { ownedLease } from '../projection/workload.ts';
import { pick } from '../store/broken-row.ts';
import { type Acted, act, actorOf, type RequestKey, subjectOf } from './acted.ts';

/**
 * Cancel ends the work, not just a row: an unowned command is withdrawn at once, an owned one is `cancelling`
 * until its holder confirms it or its lease ends. Once apply is acknowledged it is too late.
 */
export function cancel(
  host: Host,
  caller: Caller,
  service: string,
  revision: number | null = null,
  key: RequestKey | null = null,
): Promise<Answer<Acted>> {
  return act(host, caller, service, key, async (door, file) => {
    if (file === null) return noService();
    const queued = queueOf(file.proven).waiting.find(
      (r) => r.revision === revision && r.attempt.settled === null,
    );
    if (queued !== undefined) return cancelQueued(door, file, queued, caller);
    const subject = subjectOf(file, door.at);
    if (subject === null) return unreadable();
    const active = subject.revision;
    if (revision !== null && (revision !== active.revision || !isInProgress(active)))
      return notInProgress(door, file, revision);
    const refusal = cancelRefusal(subject);
    if (refusal !== null) return refusal;
    const answer = { ok: true, revision: active.revision, attempt: active.attempt.attempt } as const;
    if (active.attempt.cancel !== null) return answer;
    const owner = active.attempt.commands.find((c) => ownedLease(c) !== null);
    const stage = subject.standing.stage ?? 'queue';
    // Withdrawn before the cancellation is recorded: its end starts the next revision in the queue, with its
    // commands.
    const withdrawn = owner === undefined ? await closeCommands(door, file, active) : [];
    // mutant: cancel-immediate
    await requested(door, file, active, caller, { immediate: owner === undefined, queued: false });
    await (owner === undefined
      ? noteWithdrawn(door, file, active, stage, withdrawn)
      : requestOfHolder(door, owner.id));
    return answer;
  });
}

async function notInProgress(
  { org, tx }: Door,
  { service }: ServiceFile,
  revision: number,
): Promise<Problem> {
  const row = await tx.get('revisions', { org, service, revision });
  return row === undefined
    ? problem('not_found', `No revision ${revision}.`, { revision })
    : problem('nothing_to_cancel', `Revision ${revision} is not in progress.`, { revision });
}

async function requested(
  door: Door,
  file: ServiceFile,
  { revision, attempt }: RevisionFacts,
  caller: Caller,
  how: { immediate: boolean; queued: boolean },
): Promise<void> {
  const { actor, source } = actorOf(caller);
  await door.admit(file, {
    kind: 'cancel.requested',
    source,
    revision,
    attempt: attempt.attempt,
    body: { actor, ...how },
  });
}

async function cancelQueued(door: Door, file: ServiceFile, queued: RevisionFacts, caller: Caller) {
  await requested(door, file, queued, caller, { immediate: true, queued: true });
  await closeCommands(door, file, queued);
  return { ok: true, revision: queued.revision, attempt: queued.attempt.attempt } as const;
}

async function noteWithdrawn(
  door: Door,
  file: ServiceFile,
  active: RevisionFacts,
  stage: Stage,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    await door.admit(file, {
      kind: 'command.withdrawn',
      source: { role: 'sweeper', name: 'cancel', instance: 'door' },
      revision: active.revision,
      attempt: active.attempt.attempt,
      command: id,
      body: { stage, at: door.at, why: 'cancelled' },
    });
  }
}

/** Closes the open commands of an attempt that nobody owns, and their open offers with them. */
async function closeCommands(
  door: Door,
  file: ServiceFile,
  { revision, attempt }: RevisionFacts,
): Promise<string[]> {
  const { org, tx } = door;
  const where = { org, service: file.service, revision, attempt: attempt.attempt, state: OPEN_COMMAND };
  const closed: string[] = [];
  for (const { id } of (await tx.select('commands', where)).flatMap((row) => pick(row, 'id') ?? [])) {
    // mutant: cancel-closes-command
    if ((await tx.update('commands', { org, id }, { state: OPEN_COMMAND }, { state: 'cancelled' })) === 0)
      continue;
    closed.push(id);
    await withdrawOffers(door, id);
  }
  return closed;
}

/**
 * Requests the cancel of the holder, which learns of it with its next heartbeat; its lease no longer grows.
 */
async function requestOfHolder(door: Door, command: string): Promise<void> {
  const { org, tx } = door;
  await tx.update('commands', { org, id: command }, { state: 'leased' }, { cancelRequested: true });
  await stopLeases(door, command);
}
