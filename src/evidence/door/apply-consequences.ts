import { commandId } from '../../contract/command-id.ts';
import type { Evidence } from '../../contract/evidence.ts';
import { targetOf } from '../../contract/names.ts';
import type { CommandKind, Outcome } from '../../contract/vocabulary.ts';
import { endingsBy } from '../../projection/endings.ts';
import type { Proven } from '../../projection/facts.ts';
import { commandOf, neededCommand } from '../../projection/workload.ts';
import { oneOf } from '../../store/port.ts';
import type { AttemptRow, CommandState } from '../../store/schema.ts';
import type { Door } from './door.ts';
import type { ServiceFile } from './service-file.ts';

export const OPEN_COMMAND = oneOf<CommandState>('held', 'recorded', 'published', 'offered', 'leased');

/** What admitted evidence brings about beside facts and claim, in the same transaction: endings, bytes, the next command. */
export async function applyConsequences(
  door: Door,
  file: ServiceFile,
  before: Proven,
  e: Evidence,
): Promise<void> {
  await close(door, file, before, e);
  await noteArtifact(door, file, e);
  await follow(door, file);
}

/** What the new evidence ended: outcomes of attempts, and commands that nobody waits for any more. */
async function close(door: Door, file: ServiceFile, before: Proven, e: Evidence): Promise<void> {
  for (const { revision, attempt, outcome, replaced } of endingsBy(before, file.proven, e)) {
    await end(door, file, revision, attempt, outcome);
    if (replaced) await supersede(door, file, revision, attempt);
  }
}

async function noteArtifact(door: Door, file: ServiceFile, e: Evidence): Promise<void> {
  const set = artifactOf(e);
  if (set === null || e.revision === null || e.attempt === null) return;
  const key = { org: door.org, service: file.service, revision: e.revision, attempt: e.attempt };
  await door.tx.update('attempts', key, {}, set);
}

/** S11: only an attempt in progress can end. */
async function end(
  door: Door,
  file: ServiceFile,
  revision: number,
  attempt: number,
  outcome: Outcome,
): Promise<void> {
  const key = { org: door.org, service: file.service, revision, attempt };
  await door.tx.update('attempts', key, { outcome: 'in_progress' }, { outcome, endedAt: door.at });
}

/** Nobody is offered superseded work; who holds it is told, and its lease no longer grows. */
async function supersede(door: Door, file: ServiceFile, revision: number, attempt: number): Promise<void> {
  const open = await door.tx.select('commands', {
    org: door.org,
    service: file.service,
    revision,
    attempt,
    state: OPEN_COMMAND,
  });
  for (const { id } of open) {
    await door.tx.update('commands', { org: door.org, id }, { state: OPEN_COMMAND }, { state: 'superseded' });
    // Looked up behind the command's lock: it may have been offered since it was found open (F38).
    for (const lease of await door.tx.select('leases', { org: door.org, command: id, endedAt: null })) {
      const offer = lease.acknowledgedAt === null;
      await door.tx.update(
        'leases',
        { org: door.org, id: lease.id },
        { endedAt: null },
        offer ? { endedAt: door.at, end: 'superseded', growing: false } : { growing: false },
      );
    }
  }
}

/** The next command of the active attempt, born in the transaction that made it necessary (S5, S6). */
async function follow(door: Door, file: ServiceFile): Promise<void> {
  const { active } = file;
  const next = nextCommand(file);
  if (active === undefined || next === null) return;
  const { id, kind } = next;
  if (file.command === id) return;
  const born = await door.tx.insert('commands', {
    org: door.org,
    id,
    service: file.service,
    target: targetOf(file.service),
    revision: active.revision,
    attempt: active.attempt.attempt,
    kind,
    state: 'recorded',
    fence: String(door.head.floor),
    lapses: 0,
    availableAt: door.at,
    cancelRequested: false,
  });
  if (!born) {
    await door.tx.update(
      'commands',
      { org: door.org, id },
      { state: 'held' },
      { state: 'recorded', availableAt: door.at },
    );
  }
  file.command = id;
  file.liveness = { ...file.liveness, lease: null };
}

/** The command that the active attempt needs next. */
export function nextCommand({
  service,
  active,
  asked,
}: Pick<ServiceFile, 'service' | 'active' | 'asked'>): { id: string; kind: CommandKind } | null {
  if (active === undefined || asked === undefined) return null;
  if (active.attempt.settled !== null || active.attempt.cancel !== null) return null;
  const kind = neededCommand(asked, active);
  if (kind === null) return null;
  const known = commandOf(active.attempt, kind)?.id;
  return { id: known ?? commandId(service, active.revision, active.attempt.attempt, kind), kind };
}

/** What evidence says of the bytes of its attempt. */
export function artifactOf(e: Evidence): (Pick<AttemptRow, 'artifact'> & Partial<AttemptRow>) | null {
  if (e.kind === 'artifact.stored') {
    const { digest, plan } = e.body;
    const command = plan?.command?.length ? plan.command : null;
    return { artifact: digest, port: plan?.port ?? null, command };
  }
  if (e.kind === 'runtime.applied' && e.body.artifact !== undefined) return { artifact: e.body.artifact };
  return null;
}
