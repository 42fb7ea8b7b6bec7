import { type Answer, type Problem, type ProblemParams, problem } from '../contract/problem.ts';
import type { Stage } from '../contract/vocabulary.ts';
import type { Caller } from '../evidence/door/caller.ts';
import type { Door } from '../evidence/door/door.ts';
import type { Host } from '../evidence/door/host.ts';
import { stopLeases, withdrawOffers } from '../evidence/door/lease-end.ts';
import { OPEN_COMMAND } from '../evidence/door/new-command.ts';
import type { ServiceFile } from '../evidence/door/service-file.ts';
import type { RevisionFacts } from '../projection/facts.ts';
import { rfc3339 } from '../projection/instant.ts';
import { queueOf } from '../projection/queue.ts';
import { neededCommand, ownedLease } from '../projection/workload.ts';
import { type Acted, act, actorOf, type Idempotency, inProgress } from './acted.ts';

/**
 * Cancel ends the work, not just a row: what nobody owns is withdrawn at once, what somebody owns is
 * `cancelling` until its holder says so or its lease ends. Once apply is acknowledged it is too late.
 */
export function cancel(
  host: Host,
  caller: Caller,
  service: string,
  revision: number | null = null,
  key: Idempotency | null = null,
): Promise<Answer<Acted>> {
  return act(host, caller, service, key, async (door, file) => {
    if (file === null) return problem('not_found', 'There is no such service.');
    const { active, asked } = file;
    const queued = queueOf(file.proven).waiting.find(
      (r) => r.revision === revision && r.attempt.settled === null,
    );
    if (queued !== undefined) return cancelQueued(door, file, queued, caller);
    const isNamed = revision === null || revision === active?.revision;
    if (active === undefined || asked === undefined || !isNamed || !inProgress(file))
      return notInProgress(door, file, revision);
    const answer = { ok: true, revision: active.revision, attempt: active.attempt.attempt } as const;
    if (active.attempt.cancel !== null) return answer;
    if (asked.origin.kind === 'observe')
      return problem(
        'nothing_to_cancel',
        'Nothing is done here: another tool manages this service; act there.',
      );
    // mutant: cancel-too-late
    if (isTooLate(active) || neededCommand(asked, active) === null) {
      const detail = 'The target has already been told; roll back or tear down instead.';
      return problem('cancel_not_possible', detail, inTheWay(file));
    }
    const owner = active.attempt.commands.find((c) => ownedLease(c) !== null);
    const stage = file.standing(door.at).stage ?? 'queue';
    // Taken back before it is on record as over: what is over gives way to the next in the queue, with its work.
    const withdrawn = owner === undefined ? await closeOpen(door, file, active) : [];
    // mutant: cancel-immediate
    await requested(door, file, active, caller, { immediate: owner === undefined, queued: false });
    await (owner === undefined ? noteWithdrawn(door, file, active, stage, withdrawn) : ask(door, owner.id));
    return answer;
  });
}

async function notInProgress(
  { org, tx }: Door,
  { service }: ServiceFile,
  revision: number | null,
): Promise<Problem> {
  if (revision === null) return problem('nothing_to_cancel', 'Nothing is in progress.');
  const row = await tx.get('revisions', { org, service, revision });
  return row === undefined
    ? problem('not_found', `There is no revision ${revision}.`, { revision })
    : problem('nothing_to_cancel', `Revision ${revision} is not in progress.`, { revision });
}

/** Who carries it out, as long as somebody does, and what is still possible. */
function inTheWay({ liveness: { lease } }: ServiceFile): ProblemParams {
  const instead = 'rollback or teardown';
  if (lease === null || !lease.acknowledged || lease.ended) return { instead };
  return { holder: { worker: lease.holder }, until: rfc3339(lease.until), instead };
}

function isTooLate(active: RevisionFacts): boolean {
  return active.attempt.commands.some(
    (c) => c.kind !== 'build' && c.leases.some((l) => l.acknowledged !== null),
  );
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
  await closeOpen(door, file, queued);
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

/** Nobody owns it: the command goes, and an open offer with it. */
async function closeOpen(
  door: Door,
  file: ServiceFile,
  { revision, attempt }: RevisionFacts,
): Promise<string[]> {
  const { org, tx } = door;
  const where = { org, service: file.service, revision, attempt: attempt.attempt, state: OPEN_COMMAND };
  const closed: string[] = [];
  for (const { id } of await tx.select('commands', where)) {
    // mutant: cancel-closes-command
    if ((await tx.update('commands', { org, id }, { state: OPEN_COMMAND }, { state: 'cancelled' })) === 0)
      continue;
    closed.push(id);
    await withdrawOffers(door, id);
  }
  return closed;
}

/** Somebody owns it: the holder is told with its next heartbeat, and its lease no longer grows. */
async function ask(door: Door, command: string): Promise<void> {
  const { org, tx } = door;
  await tx.update('commands', { org, id: command }, { state: 'leased' }, { cancelRequested: true });
  await stopLeases(door, command);
}
